/** Cases in which the shell commands once said or did something untrue. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { BIN, createHome, finish, type Home, RUNTIME } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";

const FILES = 150;
let home: Home;
beforeAll(async () => {
  home = createHome({ here: true });
  mkdirSync(join(home.directory, "many"));
  for (let i = 0; i < FILES; i += 1) writeFileSync(join(home.directory, "many", `f${i}`), `${i}`);
  writeFileSync(join(home.directory, "1.txt"), "one\n");
  writeFileSync(join(home.directory, "big"), Buffer.alloc(4 * 1024 * 1024));
  await home.pail(["mb", "local/box"]);
  await home.pail(["cp", "1.txt", "big", "local/box"]);
});
afterAll(() => home.remove());

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const records = (text: string) =>
  lines(text).map((line) => JSON.parse(line) as Record<string, unknown>);
async function count(target: string): Promise<number> {
  return lines((await home.pail(["ls", "-r", target])).stdout).length;
}

describe("a reader that closes the pipe", () => {
  /** Runs pail and closes stdout, and stderr if asked, after the first of what is written there. */
  async function closed(args: readonly string[], also: "stderr" | undefined): Promise<unknown> {
    const child = home.start(args);
    child.stdout?.once("data", () => {
      child.stdout?.destroy();
      if (also !== undefined) child[also]?.destroy();
    });
    return (await finish(child)).code;
  }

  test.each([undefined, "stderr"] as const)(
    "stops no command that changes something (%s)",
    async (also) => {
      const target = `local/box/many-${String(also)}`;
      expect(await closed(["cp", "-r", "many/", target], also)).toBe(0);
      expect(await count(target)).toBe(FILES);
      expect(await closed(["rm", "-r", "--force", target], also)).toBe(0);
      expect((await home.pail(["ls", "-r", target])).code).toBe(3);
    },
  );

  test.each([["cat"], ["cp"]])("ends %s, which writes to that reader", async (command) => {
    const sources = Array.from({ length: 8 }, () => "local/box/big");
    const args = command === "cat" ? ["cat", ...sources] : ["cp", ...sources, "-"];
    expect(await closed(args, undefined)).toBe(0);
  });
});

describe("a stream under a file's name", () => {
  test.each(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])("%s is not replaced", (name) => {
    const log = join(home.directory, "app.log");
    writeFileSync(log, "old log\n");
    execFileSync("sh", ["-c", `"$0" "$1" cp local/box/1.txt ${name} >> app.log`, RUNTIME, BIN], {
      cwd: home.directory,
      env: home.env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    expect(readFileSync(log, "utf8")).toBe("old log\none\n");
  });

  test("can be read from, too", async () => {
    const script = `"$0" "$1" cp /dev/fd/3 local/box/three 3< 1.txt && "$0" "$1" cp /dev/stdin local/box/in < 1.txt`;
    execFileSync("sh", ["-c", script, RUNTIME, BIN], {
      cwd: home.directory,
      env: home.env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    expect((await home.pail(["cat", "local/box/three", "local/box/in"])).stdout).toBe("one\none\n");
    const none = await home.pail(["cp", "local/box/1.txt", "/dev/fd/1234"]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("/dev/fd/1234") });
  });
});

describe("a flag", () => {
  test("for every command may stand before it", async () => {
    for (const args of [
      ["--json", "ls", "local/box"],
      ["-q", "--json", "ls", "local/box"],
      ["alias", "--json", "list"],
    ]) {
      const { code, stdout } = await home.pail(args);
      expect(code).toBe(0);
      expect(records(stdout).length).toBeGreaterThan(0);
    }
  });

  test("in a cluster counts", async () => {
    const { code, stdout, stderr } = await home.pail(["cp", "-rq", "many/", "local/box/quiet"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each([
    [["cp", "--version-id", "x", "1.txt", "local/box/v"], /1\.txt is not in a bucket/],
    [["cp", "--version-id", "x", "-", "local/box/v"], /is not in a bucket/],
    [["cp", "--version-id", "x", "local/box/a", "local/box/b", "local/box/c/"], /one object/],
    [["cat", "--version-id", "x", "local/box/a", "local/box/b"], /one object/],
    [["cp", "-r", "--version-id", "x", "local/box", "out"], /--version-id/],
    [["ls", "--recursive=true", "local/box"], /--recursive takes no value/],
    [["cp", "1.txt"], /missing argument: TARGET\n/],
    [["cp"], /missing argument: SOURCES, TARGET\n/],
    [["cp", "-", "-"], /neither the source nor the target is in a bucket/],
    [["cp", "1.txt", "-"], /neither the source nor the target is in a bucket/],
  ])("that this command does not know is refused: %j", async (args, message) => {
    const result = await home.pail(args);
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(message) });
  });
});

describe("a URL", () => {
  let aws: RunningStore;
  beforeAll(async () => {
    aws = await startStore();
  });
  afterAll(() => aws.close());

  test.each([
    ["cp", "1.txt", "s3://photos/1.txt"],
    ["cp", "-r", "local/box", "s3://photos/"],
    ["ls", "s3://photos"],
  ])("with s3: is no local path: %j", async (...args) => {
    const { code, stderr } = await home.pail(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is no alias "aws"\nhint: export AWS_ACCESS_KEY_ID/);
  });

  test("of another kind is refused, and the error says what to write", async () => {
    for (const args of [
      ["cp", "1.txt", "https://host/box/1.txt"],
      ["ls", "gs://box"],
      ["rm", "file:///etc/passwd"],
    ]) {
      const { code, stderr } = await home.pail(args);
      expect(code).toBe(2);
      expect(stderr).toContain("is a URL, and a location is alias/bucket/key");
    }
  });

  test("with s3: belongs to the alias aws, which the AWS environment makes", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: aws.accessKeyId,
      AWS_SECRET_ACCESS_KEY: aws.secretAccessKey,
      AWS_ENDPOINT_URL: aws.endpoint,
    };
    expect(await home.pail(["mb", "-p", "s3://photos"], { env })).toMatchObject({ code: 0 });
    expect(await home.pail(["cp", "1.txt", "s3://photos/1.txt"], { env })).toMatchObject({
      code: 0,
    });
    expect((await home.pail(["cat", "aws/photos/1.txt"], { env })).stdout).toBe("one\n");
    expect((await home.pail(["alias", "list"], { env })).stdout).toMatch(
      /^aws .*AWS_ACCESS_KEY_ID$/m,
    );
    expect((await home.pail(["alias", "list"])).stdout).not.toMatch(/^aws /m);
  });
});

test("mb -p says which buckets it made", async () => {
  const { code, stdout } = await home.pail(["mb", "-p", "local/box", "local/new"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "local/box was there\nmade local/new\n" });
  const json = await home.pail(["mb", "-p", "--json", "local/new"]);
  expect(records(json.stdout)).toMatchObject([{ type: "bucket-exists", location: "local/new" }]);
  expect(await home.pail(["rb", "local/new"])).toMatchObject({ code: 0 });
});

test("with several targets each has its turn, and each failure is named", async () => {
  const stat = await home.pail(["stat", "local/box/none", "local/box/1.txt", "local/nope"]);
  expect(stat.code).toBe(7);
  expect(stat.stdout).toContain("local/box/1.txt");
  expect(stat.stderr).toMatch(/local\/box\/none[^]*local\/nope[^]*2 of 3 targets failed/);
  const made = await home.pail(["mb", "local/x1x", "local/BAD", "local/x2x"]);
  expect(made).toMatchObject({ code: 7, stdout: "made local/x1x\nmade local/x2x\n" });
  const listed = await home.pail(["ls", "local/x1x", "local/box/1.txt"]);
  expect(listed.stdout).toMatch(/^local\/x1x:\n\nlocal\/box\/1\.txt:\n.*1\.txt\n$/);
  expect(await home.pail(["rb", "local/x1x", "local/x2x"])).toMatchObject({ code: 0 });
  const urls = await home.pail(["presign", "-q", "local/box/a", "local/box/b"]);
  expect(lines(urls.stdout)).toHaveLength(2);
});

test("rm --stdin takes the lines that ls --json prints", async () => {
  await home.pail(["cp", "-r", "many/", "local/box/piped"]);
  const { stdout } = await home.pail(["ls", "-r", "--json", "local/box/piped"]);
  const stdin = records(stdout).map(({ location }) => `${String(location)}\n`);
  expect(stdin).toHaveLength(FILES);
  expect(await home.pail(["rm", "--stdin"], { stdin: stdin.join("") })).toMatchObject({ code: 0 });
  expect(await home.pail(["ls", "local/box/piped"])).toMatchObject({ code: 3 });
});

test("cat --range takes the last bytes", async () => {
  expect((await home.pail(["cat", "--range", "-3", "local/box/1.txt"])).stdout).toBe("ne\n");
  expect((await home.pail(["cat", "--range", "-99", "local/box/1.txt"])).stdout).toBe("one\n");
  await home.pail(["cp", "-", "local/box/empty"], { stdin: "" });
  const empty = await home.pail(["cat", "--range", "-3", "local/box/empty"]);
  expect(empty).toMatchObject({ code: 0, stdout: "" });
});

test("a prefix copied as an object gets the right hint", async () => {
  await home.pail(["cp", "1.txt", "local/box/dir/1.txt"]);
  for (const source of ["local/box/dir", "local/box/dir/"]) {
    const { code, stderr } = await home.pail(["cp", source, "."]);
    expect(code).toBe(3);
    expect(stderr).toContain("add -r");
  }
});

test("api sends a checksum of its body, which S3 demands of requests that set up a bucket", async () => {
  const args = ["api", "PUT", "local/box", "-Q", "tagging", "--dry-run", "--data"];
  const md5 = /^content-md5: XrY7u\+Ae7tCTyyK7j1rNww==$/m;
  writeFileSync(join(home.directory, "body"), "hello world");
  expect((await home.pail([...args, "hello world"])).stdout).toMatch(md5);
  expect((await home.pail([...args, "@body"])).stdout).toMatch(md5);
  const own = await home.pail([...args, "hello world", "-H", "x-amz-checksum-crc32=DUoRhQ=="]);
  expect(own.stdout).not.toMatch(/content-md5/);
});

test("nothing on stderr can control a terminal, not even through a log", async () => {
  const { stderr } = await home.pail(["cat", "local/box/\u001b]0;own\u0007\u200b"]);
  expect(stderr).toContain(String.raw`\x1b]0;own\x07\u200b`);
});

describe("rm", () => {
  const put = (...keys: string[]) =>
    Promise.all(keys.map((key) => home.pail(["cp", "1.txt", `local/box/rm/${key}`])));

  test("goes on past what fails, and names every failure", async () => {
    await put("a", "b", "c");
    const targets = [
      "local/box/rm/a",
      "local/nobucket/x",
      "no/alias",
      "local/box",
      "local/box/rm/b",
    ];
    const { code, stdout, stderr } = await home.pail(["rm", ...targets]);
    expect(code).toBe(7);
    expect(stdout).toBe("removed local/box/rm/a\nremoved local/box/rm/b\n");
    expect(stderr).toMatch(/local\/nobucket\/x: .*no such bucket/);
    expect(stderr).toMatch(/no\/alias: there is no alias "no"/);
    expect(stderr).toMatch(/"local\/box" names a bucket/);
    expect(stderr).toMatch(/3 of 5 objects failed\n$/);
    const stdin = "local/nobucket/x\nlocal/nobucket/y\nlocal/box/rm/c\n";
    const list = await home.pail(["rm", "--stdin"], { stdin });
    expect(list).toMatchObject({ code: 7, stdout: "removed local/box/rm/c\n" });
    expect(list.stderr).toMatch(/nobucket\/x[^]*nobucket\/y[^]*2 of 3 objects failed/);
  });

  test("fails with the error of its only target", async () => {
    expect(await home.pail(["rm", "local/nobucket/x"])).toMatchObject({ code: 3, stdout: "" });
    expect(await home.pail(["rm", "no/alias/x"])).toMatchObject({ code: 2, stdout: "" });
    expect(await home.pail(["rm", "-r", "--force", "local/nobucket"])).toMatchObject({ code: 3 });
    expect(await home.pail(["rm", "-r", "--force", "local/box/none"])).toMatchObject({ code: 0 });
  });

  test("says that a delete marker was set where the bucket keeps versions", async () => {
    await home.pail(["mb", "--with-versioning", "local/kept"]);
    await home.pail(["cp", "-r", "many/", "local/kept"]);
    const one = await home.pail(["rm", "local/kept/f0"]);
    expect(one.stdout).toBe("set a delete marker on local/kept/f0\n");
    const all = await home.pail(["rm", "-r", "--force", "--json", "local/kept"]);
    const removed = records(all.stdout).filter(({ type }) => type === "removed");
    expect(removed.length).toBe(FILES - 1);
    expect(removed.every(({ marker }) => marker === true)).toBe(true);
    const gone = await home.pail(["rm", "-r", "--versions", "--force", "--json", "local/kept"]);
    expect(records(gone.stdout).some(({ marker }) => marker !== undefined)).toBe(false);
  });

  test("says what was not there, and does not count it", async () => {
    await put("a");
    const { code, stdout, stderr } = await home.pail(["rm", "local/box/rm/a", "local/box/rm/none"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "removed local/box/rm/a\n" });
    expect(stderr).toMatch(/^there is no local\/box\/rm\/none\n1 object, 1 skipped\n$/);
    const json = await home.pail(["rm", "--json", "local/box/rm/none"]);
    expect(records(json.stdout)).toMatchObject([
      { type: "skipped", reason: "missing", target: "local/box/rm/none" },
      { type: "summary", objects: 0 },
    ]);
  });

  test("refuses a pattern, unless an object has that name", async () => {
    await put("x.txt", "y*.txt", "y1.txt");
    const missing = await home.pail(["rm", "--force", "local/box/rm/*.txt"]);
    expect(missing).toMatchObject({ code: 3, stdout: "" });
    const hint = /hint: pail (rm .*)/.exec(missing.stderr)![1]!;
    expect(hint).toBe("rm --pattern --dry-run 'local/box/rm/*.txt'");
    expect(await home.pail(["rm", "local/box/rm/y*.txt"])).toMatchObject({ code: 0 });
    const rest = await home.pail(["rm", "-r", "--force", "local/box/rm", "--include", "x*"]);
    expect(rest).toMatchObject({ code: 0, stdout: "removed local/box/rm/x.txt\n" });
    expect(await count("local/box/rm")).toBe(1);
  });
});

test("a config that others can read is reported on stderr, until its permissions are set", async () => {
  const own = createHome({ here: true });
  try {
    await own.pail(["alias", "set", "x", "http://127.0.0.1:1", "AK", "SK", "--no-check"]);
    const { stdout } = await own.pail(["alias", "list", "--json"]);
    const file = own.env["PAIL_CONFIG_DIR"]!;
    chmodSync(join(file, "config.json"), 0o644);
    const said = await own.pail(["alias", "list", "--json"]);
    expect(said.stdout).toBe(stdout);
    const cure = /chmod 600 (\S+config\.json)\n$/.exec(said.stderr)?.[1];
    expect(cure).toBeDefined();
    chmodSync(cure!, 0o600);
    expect((await own.pail(["alias", "list"])).stderr).toBe("");
    chmodSync(file, 0o777);
    expect((await own.pail(["alias", "list"])).stderr).toMatch(/chmod 700 \S+\n$/);
  } finally {
    own.remove();
  }
});
