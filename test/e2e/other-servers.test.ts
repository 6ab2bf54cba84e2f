/** The commands on other people's servers (PAIL_TEST_OTHERS=1). */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { absence, freePort, type Program, startProgram } from "../support/others.js";
import { createHome, type Home } from "../support/run.js";

const KEY = "pailtestkey";
const SECRET = "pailtestsecret";

interface Server {
  readonly name: string;
  readonly command: string;
  start(directory: string, port: number): Promise<Program>;
  /** It keeps versions. */
  readonly versions: boolean;
}

const servers: readonly Server[] = [
  {
    name: "MinIO",
    command: "minio",
    versions: true,
    start: (directory, port) =>
      startProgram("minio", ["server", directory, "--address", `127.0.0.1:${port}`], {
        url: `http://127.0.0.1:${port}/`,
        env: { MINIO_ROOT_USER: KEY, MINIO_ROOT_PASSWORD: SECRET, MINIO_BROWSER: "off" },
      }),
  },
  {
    name: "versitygw",
    command: "versitygw",
    versions: false,
    start: (directory, port) =>
      startProgram("versitygw", ["--port", `127.0.0.1:${port}`, "posix", directory], {
        url: `http://127.0.0.1:${port}/`,
        env: { ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: SECRET },
      }),
  },
  {
    name: "moto",
    command: "moto_server",
    versions: true,
    start: (_directory, port) =>
      startProgram("moto_server", ["-H", "127.0.0.1", "-p", String(port)], {
        url: `http://127.0.0.1:${port}/`,
      }),
  },
];

for (const server of servers) {
  const missing = absence(server.command);
  describe.skipIf(missing)(
    `on ${server.name}${missing === undefined ? "" : ` (${missing})`}`,
    () => {
      let home: Home;
      let program: Program;
      let directory: string;
      let env: NodeJS.ProcessEnv;
      const at = (...parts: string[]) => join(home.directory, ...parts);
      const run = (...args: string[]) => home.pail(args, { env });
      const ok = async (...args: string[]) => {
        const result = await run(...args);
        expect(result, `${args.join(" ")}: ${result.stderr}`).toMatchObject({ code: 0 });
        return result.stdout;
      };

      beforeAll(async () => {
        home = createHome();
        directory = mkdtempSync(join(tmpdir(), "pail-other-"));
        const port = await freePort();
        program = await server.start(directory, port);
        env = { PAIL_HOST_there: `http://${KEY}:${SECRET}@127.0.0.1:${port}` };
        writeFileSync(at("1.txt"), "Hello, bucket");
        mkdirSync(at("tree", "sub"), { recursive: true });
        for (const name of ["a", "b c", "é", "sub/d"]) writeFileSync(at("tree", name), name);
        writeFileSync(at("large.bin"), Buffer.alloc(30 * 1024 * 1024, "0123456789"));
      });
      afterAll(async () => {
        await program?.stop();
        home.remove();
        rmSync(directory, { recursive: true, force: true });
      });

      test("a file goes in, lists, and comes back", async () => {
        await ok("mb", "there/demo");
        await ok("cp", "1.txt", "there/demo");
        expect(await ok("ls", "there/demo")).toMatch(/\] {4}13B 1\.txt\n$/);
        expect(await ok("cat", "there/demo/1.txt")).toBe("Hello, bucket");
        expect(await ok("stat", "there/demo/1.txt")).toMatch(/^Type +: text\/plain$/m);
      });

      test("a large file goes in parts and comes back the same", async () => {
        const sum = (name: string) =>
          createHash("sha256")
            .update(readFileSync(at(name)))
            .digest("hex");
        await ok("cp", "--part-size", "5MiB", "large.bin", "there/demo");
        await ok("cp", "--part-size", "5MiB", "there/demo/large.bin", "back.bin");
        expect(sum("back.bin")).toBe(sum("large.bin"));
        await ok("cp", "there/demo/large.bin", "there/demo/copy.bin");
        expect(await ok("ls", "there/demo/copy.bin")).toMatch(/30MiB/);
        expect(await ok("uploads", "list", "there/demo")).toBe("");
      });

      test("a tree goes in, out, and away", async () => {
        await ok("cp", "-r", "tree", "there/demo");
        await ok("cp", "-r", "there/demo/tree/", "out");
        for (const name of ["a", "b c", "é", "sub/d"]) {
          expect(readFileSync(at("out", name), "utf8")).toBe(name);
        }
        await ok("rm", "-r", "--force", "there/demo/tree");
        expect(await run("ls", "there/demo/tree")).toMatchObject({ code: 3 });
      });

      test("failures have their own exit codes", async () => {
        expect(await run("cat", "there/demo/none")).toMatchObject({ code: 3 });
        expect(await run("ls", "there/none-such")).toMatchObject({ code: 3 });
        expect(await run("rb", "there/demo")).toMatchObject({ code: 5 });
      });

      test.skipIf(!server.versions)("versions are kept, listed and removed", async () => {
        await ok("mb", "--with-versioning", "there/versions");
        await ok("cp", "1.txt", "there/versions/k");
        await ok("cp", "1.txt", "there/versions/k");
        await ok("rm", "there/versions/k");
        const lines = (await ok("ls", "--versions", "there/versions")).trim().split("\n");
        // moto lists a key's delete markers behind its versions, whatever their times.
        const kinds = lines.map((line) => / v\d (PUT|DEL) k$/.exec(line)?.[1]);
        expect(kinds.filter((kind) => kind === "PUT")).toHaveLength(2);
        expect(kinds.filter((kind) => kind === "DEL")).toHaveLength(1);
        await ok("rb", "--force", "there/versions");
      });

      test("a bucket is emptied and removed", async () => {
        await ok("rb", "--force", "there/demo");
        expect(await ok("ls", "there")).not.toContain("demo");
      });
    },
  );
}
