/**
 * The built pail's commands on S3 servers of other projects, bytes compared. Runs with
 * PAIL_TEST_SERVERS=1, for the servers that are on the machine.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { HOSTILE } from "../contract/keys.js";
import { pseudoRandom } from "../support/bucket.js";
import { createHome, type Home } from "../support/run.js";
import {
  CREDENTIALS,
  ceph,
  moto,
  type RunningServer,
  type Server,
  SERVERS,
  startServer,
} from "./servers/server.js";

const ASKED = process.env["PAIL_TEST_SERVERS"] === "1";
const here = SERVERS.filter(({ probe: [program, ...args] }) => {
  return ASKED && spawnSync(program, args, { stdio: "ignore" }).status === 0;
});
const LARGE = pseudoRandom(41 * 1024 * 1024 + 7);

test.runIf(ASKED)("there is a server to test on", () => {
  expect(here.map(({ name }) => name)).not.toEqual([]);
});

for (const server of SERVERS) {
  const present = here.includes(server);
  const missing = ASKED ? " (not on this machine)" : " (PAIL_TEST_SERVERS=1 runs it)";
  describe.skipIf(!present)(`pail on ${server.name}${present ? "" : missing}`, () => {
    interop(server);
  });
}

function interop(server: Server): void {
  let home: Home;
  let running: RunningServer;
  const at = (...names: string[]) => join(home.directory, ...names);
  const file = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  const ok = async (...args: string[]) => {
    const result = await home.pail(args);
    expect(result, `pail ${args.join(" ")}: ${result.stderr}`).toMatchObject({ code: 0 });
    return result;
  };
  const lines = async (...args: string[]) =>
    (await ok(...args, "--json")).stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const keys = async (...args: string[]) =>
    (await lines("ls", ...args)).flatMap(({ type, key }) =>
      type === "object" || type === "prefix" ? [key as string] : [],
    );

  beforeAll(async () => {
    home = createHome();
    mkdirSync(at("server"));
    running = await startServer(server, at("server"));
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const set = await home.pail(
      ["alias", "set", "other", running.endpoint, accessKeyId, "--secret-key-stdin"],
      { stdin: secretAccessKey },
    );
    expect(set, set.stderr).toMatchObject({ code: 0 });
    await ok("mb", "other/main");
  });
  afterAll(async () => {
    await running?.stop();
    home?.remove();
  });

  test("makes buckets and lists them", async () => {
    // S3 itself, in its first region, lets an owner make a bucket again.
    const again = server === moto || server === ceph ? 0 : 5;
    expect((await home.pail(["mb", "other/main"])).code).toBe(again);
    await ok("mb", "-p", "other/main");
    await ok("mb", "other/second");
    expect((await ok("ls", "other")).stdout).toMatch(/main\/\n[^]*second\/\n/);
    await ok("rb", "other/second");
    expect((await ok("ls", "other")).stdout).not.toMatch(/second/);
    expect(await home.pail(["ls", "other/second"])).toMatchObject({ code: 3 });
  });

  test.each([
    ["empty.bin", Buffer.alloc(0)],
    ["small.txt", Buffer.from("Hello, bucket")],
    ["a dir/größe +1%.bin", pseudoRandom(300_000)],
    ["large.bin", LARGE],
  ])("takes %s there and back", async (key, bytes) => {
    file("up", bytes);
    await ok("cp", "up", `other/main/${key}`);
    await ok("cp", `other/main/${key}`, "down");
    expect(readFileSync(at("down")).equals(bytes)).toBe(true);
    expect((await ok("cat", `other/main/${key}`)).bytes.equals(bytes)).toBe(true);
    expect((await lines("stat", `other/main/${key}`))[0]).toMatchObject({ size: bytes.length });
  });

  test("uploads from stdin, small and in parts, and downloads to stdout", async () => {
    for (const bytes of [Buffer.from("small"), LARGE]) {
      const put = await home.pail(["cp", "-", "other/main/stdin.bin"], { stdin: bytes });
      expect(put, put.stderr).toMatchObject({ code: 0 });
      const got = await ok("cp", "other/main/stdin.bin", "-");
      expect(got.bytes.equals(bytes)).toBe(true);
    }
  });

  test("keeps content type, cache headers and metadata", async () => {
    file("page.html", "<p>");
    await ok("cp", "--cache-control", "no-store", "--metadata", "a=b", "page.html", "other/main");
    expect((await lines("stat", "other/main/page.html"))[0]).toMatchObject({
      contentType: "text/html",
      cacheControl: "no-store",
      metadata: { a: "b" },
    });
  });

  test("copies on the server, and to another alias", async () => {
    await ok("cp", "other/main/large.bin", "other/main/copy.bin");
    expect((await ok("cat", "other/main/copy.bin")).bytes.equals(LARGE)).toBe(true);
    await ok("mb", "-p", "local/there");
    await ok("cp", "other/main/large.bin", "local/there");
    await ok("cp", "local/there/large.bin", "other/main/again.bin");
    expect((await ok("cat", "other/main/again.bin")).bytes.equals(LARGE)).toBe(true);
  });

  describe("moves", () => {
    const moved = "moved";
    beforeAll(async () => {
      const { accessKeyId, secretAccessKey } = CREDENTIALS;
      // Another name of the same service.
      const endpoint = running.endpoint.replace("127.0.0.1", "localhost");
      const args = ["alias", "set", "twin", endpoint, accessKeyId, "--secret-key-stdin"];
      await home.pail(args, { stdin: secretAccessKey });
      await ok("mb", `other/${moved}`, "other/moved2", "local/moved");
      for (const name of ["1", "2", "deep/3"]) file(join("move", name), name);
    });

    test("a file, an object and a prefix, and to a second alias and back", async () => {
      await ok("mv", "-r", "move", `other/${moved}`);
      expect(await keys("-r", `other/${moved}`)).toEqual(["move/1", "move/2", "move/deep/3"]);
      expect(readdirSync(home.directory)).not.toContain("move");
      await ok("mv", `other/${moved}/move/1`, `other/${moved}/move/one`);
      await ok("mv", "-r", `other/${moved}/move/`, "twin/moved2/far/");
      expect(await keys("-r", `other/${moved}`)).toEqual([]);
      await ok("mv", "-r", "other/moved2/far/", "local/moved/");
      expect(await keys("-r", "other/moved2")).toEqual([]);
      await ok("mv", "-r", "local/moved/", `other/${moved}/back/`);
      expect(await keys("-r", `other/${moved}`)).toEqual(["back/2", "back/deep/3", "back/one"]);
      await ok("mv", "-r", `other/${moved}/back/`, "./home/");
      expect(readFileSync(at("home", "one"), "utf8")).toBe("1");
      expect(await keys("-r", `other/${moved}`)).toEqual([]);
    });

    test("but not onto itself under a second alias", async () => {
      file("self", "bytes");
      await ok("cp", "self", `other/${moved}/p/self`);
      for (const args of [
        [`other/${moved}/p/self`, `twin/${moved}/p/self`],
        ["-r", `other/${moved}/p/`, `twin/${moved}/p/`],
      ]) {
        expect((await home.pail(["mv", ...args])).code).toBe(2);
      }
      expect((await ok("cat", `twin/${moved}/p/self`)).stdout).toBe("bytes");
      expect(await keys("-r", `other/${moved}`)).toEqual(["p/self"]);
    });

    test("an object of a versioned bucket, whose versions stay", async () => {
      await ok("mb", "--with-versioning", "other/moved3");
      for (const text of ["old", "new"]) {
        file("version", text);
        await ok("cp", "version", "other/moved3/k");
      }
      await ok("mv", "other/moved3/k", "other/moved3/k2");
      expect((await ok("cat", "other/moved3/k2")).stdout).toBe("new");
      const left = await lines("ls", "--versions", "other/moved3/k");
      expect(left.map(({ type, deleteMarker }) => [type, deleteMarker === true])).toHaveLength(3);
      expect(await keys("other/moved3")).toEqual(["k2"]);
    });
  });

  test("takes a tree of hostile names there and back, and removes it", async () => {
    const names = HOSTILE.filter((name) => !server.cannot.includes(name));
    for (const name of names) file(join("tree", name), name);
    await ok("mb", "other/tree");
    await ok("cp", "-r", "tree/", "other/tree");
    expect((await keys("-r", "other/tree")).toSorted()).toEqual(names.toSorted());
    await ok("cp", "-r", "other/tree/", "back");
    const files = readdirSync(at("back"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at("back").length + 1));
    expect(files.toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(readFileSync(at("back", name), "utf8")).toBe(name);
    await ok("rm", "-r", "--force", "other/tree/");
    expect(await keys("-r", "other/tree")).toEqual([]);
    await ok("rb", "other/tree");
  });

  test("lists one level, a prefix, and everything, over many pages", async () => {
    for (let index = 0; index < 1_100; index += 1) file(`many/n${index}`, "");
    file("many/sub/x", "");
    await ok("mb", "other/many");
    await ok("cp", "-r", "many/", "other/many/");
    expect(await keys("-r", "other/many")).toHaveLength(1_101);
    expect(await keys("other/many")).toHaveLength(1_101);
    expect(await keys("other/many/sub/")).toHaveLength(1);
    const refused = await home.pail(["rb", "other/many"]);
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toMatch(/not empty/);
    await ok("rb", "--force", "other/many");
    expect(await home.pail(["ls", "other/many"])).toMatchObject({ code: 3 });
  });

  test("removes one object, and not its neighbours", async () => {
    await ok("cp", "up", "other/main/foo/x");
    await ok("cp", "up", "other/main/foobar");
    await ok("rm", "-r", "--force", "other/main/foo");
    expect(await keys("-r", "other/main/foo/")).toEqual([]);
    await ok("stat", "other/main/foobar");
    await ok("rm", "other/main/foobar");
    expect(await home.pail(["stat", "other/main/foobar"])).toMatchObject({ code: 3 });
  });

  test("sees versions, reads an old one, and empties a bucket of them", async () => {
    await ok("mb", "--with-versioning", "other/kept");
    for (const text of ["one", "two"]) {
      file("v.txt", text);
      await ok("cp", "v.txt", "other/kept");
    }
    await ok("rm", "other/kept/v.txt");
    const versions = await lines("ls", "--versions", "other/kept");
    expect(versions).toHaveLength(3);
    const [marker] = versions.filter(({ isDeleteMarker }) => isDeleteMarker);
    expect(marker).toMatchObject({ key: "v.txt", isLatest: true });
    // Newest first.
    const oldest = versions.filter((version) => version !== marker).at(-1);
    const versionId = oldest?.["versionId"] as string;
    const old = await ok("cat", "--version-id", versionId, "other/kept/v.txt");
    expect(old.stdout).toBe("one");
    await ok("rb", "--force", "other/kept");
    expect(await home.pail(["ls", "other/kept"])).toMatchObject({ code: 3 });
  });

  test("signs URLs that read and write", async () => {
    const url = (await ok("presign", "other/main/a dir/größe +1%.bin")).stdout.trim();
    const read = await fetch(url);
    expect(Buffer.from(await read.arrayBuffer()).equals(pseudoRandom(300_000))).toBe(true);
    const write = (await ok("presign", "--upload", "other/main/by-url")).stdout.trim();
    expect((await fetch(write, { method: "PUT", body: "written" })).status).toBe(200);
    expect((await ok("cat", "other/main/by-url")).stdout).toBe("written");
  });

  test("sends any signed request", async () => {
    await ok("api", "PUT", "other/main/by-api?x", "--data", "sent");
    expect((await ok("api", "GET", "other/main/by-api?x")).stdout).toBe("sent");
    expect((await ok("api", "HEAD", "-i", "other/main/by-api?x")).stdout).toMatch(/^HTTP\S* 200/);
    expect(await home.pail(["api", "GET", "other/main/none"])).toMatchObject({ code: 3 });
  });

  test("leaves no upload unfinished when the part size was chosen", async () => {
    file("parts", LARGE);
    await ok("cp", "--part-size", "5MiB", "parts", "other/main/parts.bin");
    await ok("cp", "--part-size", "5MiB", "other/main/parts.bin", "parts-back");
    expect(readFileSync(at("parts-back")).equals(LARGE)).toBe(true);
    expect((await ok("uploads", "list", "other/main")).stdout).toBe("");
  });

  test("ends with the exit code of what went wrong", async () => {
    await ok("api", "PUT", "other/main/in-the-way", "--data", "x");
    expect(await home.pail(["cat", "other/main/not-there"])).toMatchObject({ code: 3 });
    expect(await home.pail(["ls", "other/no-such-bucket"])).toMatchObject({ code: 3 });
    expect(await home.pail(["rb", "other/main"])).toMatchObject({ code: 5 });
  });

  test("says that a secret is wrong", async () => {
    const env = { PAIL_HOST_wrong: running.endpoint.replace("//", "//interop:wrong-secret@") };
    const { code, stderr } = await home.pail(["ls", "wrong/main"], { env });
    // moto verifies no signature unless told to.
    if (server !== moto) expect([code, stderr]).toEqual([4, expect.stringMatching(/secret/)]);
  });
}
