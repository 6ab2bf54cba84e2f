/**
 * Requests that people have made of object-storage clients, most of them for years, and pail's
 * answers, numbered and named after the threads as docs/coming-from.md lists them. A request with a
 * whole file of tests elsewhere is shown here once.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { type LargeService, startLargeService } from "../support/large-service.js";
import { createHome, type Home, RUNTIME } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let stores: RunningStore[];
let env: NodeJS.ProcessEnv;
const pail = (...args: string[]) => home.pail(args, { env });
const ok = async (...args: string[]) => {
  const { code, stdout, stderr } = await pail(...args);
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
};
const keys = async (place: string) => {
  const { stdout } = await pail("ls", "-r", "--json", "--literal", place);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { key: string }).key);
};
const file = (name: string, content: string | Buffer = name) => {
  const path = join(home.directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};

/** Runs pail with the alias `large`; a last argument may be variables. */
async function withLarge(
  { endpoint }: LargeService,
  ...words: (string | NodeJS.ProcessEnv)[]
): Promise<string> {
  const args = words.filter((word) => typeof word === "string");
  const more = words.find((word) => typeof word === "object");
  const keys = { accessKeyId: "a", secretAccessKey: "b" };
  const alias = hostVariable("large", { endpoint, ...keys } as RunningStore);
  const { code, stdout, stderr } = await home.pail(args, { env: { ...alias, ...more } });
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
}

beforeAll(async () => {
  home = createHome({ here: true });
  stores = await Promise.all([startStore(), startStore()]);
  env = { ...hostVariable("a", stores[0]!), ...hostVariable("b", stores[1]!) };
  for (const name of ["t/x.txt", "t/sub/y.log", "t/z.tmp"]) file(name);
  await ok("mb", "a/box", "b/box");
  await ok("cp", "-r", "t/", "a/box/t");
});
afterAll(async () => {
  home.remove();
  await Promise.all(stores.map(async (store) => store.close()));
});

test("1 sync at all (s5cmd#3), 24 with the same tool (s3sync#218)", async () => {
  await ok("sync", "t", "a/box/synced");
  expect(await keys("a/box/synced/")).toHaveLength(3);
});

test("2 an empty source does not wipe the target (rclone#1032, aws-cli#440)", async () => {
  mkdirSync(join(home.directory, "empty"), { recursive: true });
  await ok("sync", "t", "a/box/guarded");
  const done = await pail("sync", "--delete", "empty", "a/box/guarded");
  expect(done.code).toBe(5);
  expect(await keys("a/box/guarded/")).toHaveLength(3);
});

test("3 the same size, other content, older: it is copied (aws-cli#1074, #599)", async () => {
  const path = file("same/f", "old!");
  await ok("sync", "same", "a/box/same");
  writeFileSync(path, "new!");
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  await ok("sync", "same", "a/box/same");
  expect(await ok("cat", "a/box/same/f")).toBe("new!");
});

test("4 what was uploaded in parts is known again (rclone#523, rc#342)", async () => {
  file("parts/big", Buffer.alloc(11 * 1024 * 1024, 7));
  await ok("sync", "--part-size", "5MiB", "parts", "a/box/parts");
  const again = await ok("sync", "--json", "--compare", "checksum", "parts", "a/box/parts");
  expect(again).not.toContain('"copied","action"');
});

test("6 two endpoints in one copy (s5cmd#529, aws-cli#3616), 20 with metadata and tags (rclone#111)", async () => {
  await ok("cp", "--metadata", "owner=me", "--tag", "k=v", "t/x.txt", "a/box/whole");
  await ok("cp", "a/box/whole", "b/box/whole");
  expect(JSON.parse(await ok("stat", "--json", "b/box/whole"))).toMatchObject({
    metadata: { owner: "me" },
    tags: { k: "v" },
  });
});

test("7 the service copies more than 5 GB by itself (s5cmd#29, rclone#3682)", async () => {
  const large = await startLargeService(0);
  try {
    await withLarge(large, "cp", "large/box/huge", "large/box/copied");
    const parts = large.asked.filter((line) => line.includes("partNumber="));
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect(large.asked.some((line) => line.startsWith("GET /box/huge?version"))).toBe(false);
    expect(large.asked.filter((line) => line === "GET /box/huge")).toEqual([]);
    expect(large.asked.at(-1)).toMatch(/^POST \/box\/copied\?uploadId=/);
  } finally {
    large.close();
  }
});

test("9 copying starts while the listing goes on (rclone#5859)", async () => {
  const large = await startLargeService(1500);
  try {
    let fetched: () => void;
    const begun = new Promise<void>((resolve) => (fetched = resolve));
    let listings = 0;
    large.hold = (line) => {
      if (line.startsWith("GET /many/k")) fetched();
      if (!line.includes("list-type")) return undefined;
      listings += 1;
      // The second page is not given before an object of the first was asked for.
      return listings > 1 ? begun : undefined;
    };
    await withLarge(large, "cp", "-rq", "large/many/", "many/");
    expect(readdirSync(join(home.directory, "many"))).toHaveLength(1500);
  } finally {
    large.close();
  }
});

test("12 pattern files and lists of names (aws-cli#5160, rclone files-from)", async () => {
  file("patterns", "*.tmp\n");
  file("names", "x.txt\nsub/y.log\n");
  await ok("cp", "-r", "--exclude-from", "patterns", "t/", "a/box/p12");
  expect(await keys("a/box/p12/")).toEqual(["p12/sub/y.log", "p12/x.txt"]);
  await ok("cp", "-r", "--files-from", "names", "t/", "a/box/n12");
  expect(await keys("a/box/n12/")).toEqual(["n12/sub/y.log", "n12/x.txt"]);
});

test("13 globs in arguments (aws-cli#925, s5cmd#235)", async () => {
  await ok("cp", "a/box/t/*.txt", "down/");
  expect(readFileSync(join(home.directory, "down/x.txt"), "utf8")).toBe("t/x.txt");
});

test("14 true exit codes (mc#2474), 15 on after a bad file (mc#2604), 16 JSON (aws-cli#709)", async () => {
  const done = await pail("cp", "--json", "a/box/none", "a/box/t/x.txt", "out/");
  expect(done.code).toBe(7);
  const lines = done.stdout.trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { type?: string });
  expect(records.map(({ type }) => type)).toEqual(expect.arrayContaining(["failed", "copied"]));
  expect(readFileSync(join(home.directory, "out/x.txt"), "utf8")).toBe("t/x.txt");
});

test("17 a dry run with removals, and a plan that is applied as it was read (azcopy#2389)", async () => {
  await ok("sync", "t", "a/box/plan");
  rmSync(join(home.directory, "t/z.tmp"));
  const dry = await ok("sync", "--delete", "--delete-limit", "50%", "--dry-run", "t", "a/box/plan");
  expect(dry).toMatch(/gone.*\n.*1 \(7B\)/);
  expect(await keys("a/box/plan/")).toHaveLength(3);
  rmSync(join(home.directory, "plan.jsonl"), { force: true });
  const plan = ["--delete", "--delete-limit", "50%", "--plan", "plan.jsonl"];
  await ok("sync", ...plan, "t", "a/box/plan");
  await ok("sync", "--apply", "plan.jsonl");
  expect(await keys("a/box/plan/")).toHaveLength(2);
  file("t/z.tmp");
});

test("18 downloads are verified (s5cmd#563)", async () => {
  const bytes = Buffer.alloc(6 * 1024 * 1024, 3);
  file("v", bytes);
  await ok("cp", "v", "a/box/v");
  await ok("cp", "a/box/v", "v2");
  const md5 = (data: Buffer) => createHash("md5").update(data).digest("hex");
  expect(md5(readFileSync(join(home.directory, "v2")))).toBe(md5(bytes));
});

test("19 no-clobber, atomically (aws-cli#2874, s5cmd#752)", async () => {
  const done = await pail("cp", "-n", "t/x.txt", "a/box/whole");
  expect(done.stderr).toContain("exists");
  const failed = await pail("cp", "--if-exists", "fail", "t/x.txt", "a/box/whole");
  expect(failed.code).toBe(5);
});

test("21 lifecycle rules from the client (openshift-etcd-backup#114)", async () => {
  await ok("ilm", "add", "a/box", "--prefix", "logs/", "--expire-days", "7");
  expect(await ok("ilm", "list", "a/box")).toContain("logs/: expires after 7 days");
});

test("23 mc's words: mb -p, mv, find, du, tree, tag, version, pipe (nginx-s3-gateway#594)", async () => {
  await ok("mb", "-p", "a/box");
  await ok("cp", "-q", "a/box/v", "a/box/w");
  await ok("mv", "a/box/w", "a/box/moved");
  expect(await ok("find", "a/box", "--name", "moved")).toBe("a/box/moved\n");
  expect(await ok("du", "a/box/moved")).toContain("6.0MiB");
  expect(await ok("tree", "a/box")).toContain("synced/");
  await ok("tag", "set", "a/box/moved", "k=v");
  expect(await ok("version", "status", "a/box")).toContain("never");
  expect((await home.pail(["pipe", "a/box/piped"], { env, stdin: "x" })).code).toBe(0);
});

// The single executable has no files beside it.
test.skipIf(RUNTIME !== process.execPath)(
  "25 a command starts with one file, and none of what is rare (aws-cli#9011)",
  async () => {
    const root = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
    const files = ["bin/run.js", "bin/package.json", "package.json", "dist/main.cjs"];
    for (const name of files) file(`pail/${name}`, readFileSync(root(name)));
    const run = promisify(execFile);
    const words = [join(home.directory, "pail/bin/run.js"), "ls", "a/box/t/"];
    const { stdout } = await run(process.execPath, words, { env: { ...home.env, ...env } });
    expect(stdout).toContain("x.txt");
  },
);

test("names in any script, times of files (s5cmd#161, mc#3967)", async () => {
  const path = file("héllo/日本.txt");
  utimesSync(path, 1_500_000_000, 1_500_000_000);
  await ok("cp", "-r", "héllo", "a/box/");
  await ok("cp", "-r", "a/box/héllo/", "back");
  expect(Math.round(statSync(join(home.directory, "back/日本.txt")).mtimeMs / 1000)).toBe(
    1_500_000_000,
  );
});
