/** Links and forms that others use without credentials, and the list of them. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
let env: NodeJS.ProcessEnv;
const ok = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.pail(args, { env });
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
};

beforeAll(async () => {
  home = createHome({ here: true });
  store = await startStore();
  env = hostVariable("t", store);
  mkdirSync(join(home.directory, "d/sub"), { recursive: true });
  for (const name of ["a", "b [1]", "sub/c"]) writeFileSync(join(home.directory, "d", name), name);
  await ok("mb", "t/box", "t/two");
  await ok("cp", "-r", "d/", "t/box");
});
afterAll(async () => {
  home.remove();
  await store.close();
});

test("links of a prefix and of a pattern work for everybody", async () => {
  const links = (await ok("presign", "-r", "t/box")).trim().split("\n");
  const answers = await Promise.all(links.map(async (link) => (await fetch(link)).text()));
  expect(answers).toEqual(["a", "b [1]", "sub/c"]);
  expect((await ok("presign", "t/box/?")).trim().split("\n")).toHaveLength(1);
});

test("a form uploads below a prefix, and nowhere else", async () => {
  const [curl] = (await ok("share", "upload", "t/box/in/")).trim().split("\n");
  writeFileSync(join(home.directory, "new.txt"), "new");
  const send = (command: string) =>
    promisify(execFile)("bash", ["-c", `${command} -s -o /dev/null -w '%{http_code}'`], {
      cwd: home.directory,
    });
  expect((await send(curl!.replace("@FILE", "@new.txt"))).stdout).toBe("204");
  expect(await ok("cat", "t/box/in/new.txt")).toBe("new");
  const outside = curl!.replace("@FILE", "@new.txt").replace("key=in/", "key=out/");
  expect((await send(outside)).stdout).toBe("403");
  const { fields } = JSON.parse(await ok("share", "upload", "--json", "t/box/exact")) as {
    fields: Record<string, string>;
  };
  expect(fields["key"]).toBe("exact");
  expect(JSON.stringify(fields)).not.toContain(store.secretAccessKey);
});

test("shared links are listed while they work, in a file that only the user can read", async () => {
  await ok("share", "download", "--expires", "1h", "t/box/a");
  const listed = await ok("share", "list");
  expect(listed).toMatch(/^download t\/box\/a until /m);
  expect(listed).toMatch(/^upload t\/box\/in\/ until /m);
  const file = join(home.directory, "state", "shares.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const old = { kind: "download", location: "t/box/old", url: "http://x/", expires: "2020-01-01" };
  writeFileSync(file, `${JSON.stringify(old)}\n${readFileSync(file, "utf8")}`);
  expect(await ok("share", "list")).toBe(listed);
});

test("unfinished uploads of a whole alias are listed", async () => {
  for (const bucket of ["box", "two"]) await ok("uploads", "abort", `t/${bucket}`);
  for (const bucket of ["box", "two"]) await ok("api", "POST", `t/${bucket}/up`, "-Q", "uploads");
  expect(await ok("uploads", "list", "t")).toMatch(/ t\/box\/up\n.* t\/two\/up\n$/);
});

test("grep names lines, and objects that it could not search", async () => {
  writeFileSync(join(home.directory, "log"), "one\ntwo [x]\nONE\n");
  writeFileSync(join(home.directory, "bin"), Buffer.from([0, 1, 2]));
  await ok("cp", "log", "bin", "t/two/logs/");
  expect(await ok("grep", "-i", "one", "t/two")).toBe(
    "t/two/logs/log:1:one\nt/two/logs/log:3:ONE\n",
  );
  expect(await ok("grep", "[x]", "t/two/logs/*")).toBe("t/two/logs/log:2:two [x]\n");
  expect(await ok("grep", "-l", "-E", "^t", "t")).toBe("t/two/logs/log\n");
  const none = await home.pail(["grep", "zzz", "t/two"], { env });
  expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining("logs/bin: ") });
  const some = await home.pail(["grep", "-m", "1", "-i", "one", "t/two", "--json"], { env });
  expect(JSON.parse(some.stdout)).toMatchObject({ type: "line", line: 1, text: "one" });
});

test("aliases are exported, and edited with care", async () => {
  const set = ["alias", "set", "kept", store.endpoint, store.accessKeyId];
  const stdin = store.secretAccessKey;
  expect((await home.pail([...set, "--secret-key-stdin"], { stdin })).code).toBe(0);
  expect(await ok("alias", "export")).not.toContain(store.secretAccessKey);
  const whole = JSON.parse(await ok("alias", "export", "--with-secrets", "kept")) as object;
  expect(whole).toMatchObject({ version: 1, aliases: { kept: { secretKey: stdin } } });
  const editor = (script: string) =>
    home.pail(["alias", "edit"], { env: { EDITOR: `sed -i ${script}` } });
  expect((await editor("s/kept/other/")).code).toBe(0);
  expect(await ok("alias", "export")).toContain('"other"');
  expect(await editor("s/{/[/")).toMatchObject({ code: 2 });
  expect(await editor("s/http:/ftp:/")).toMatchObject({ code: 2 });
  expect(await ok("alias", "export")).toContain('"other"');
});
