/** Local files under attack: directories that become links while a call is under way. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { factsOf, textOf } from "../support/mcp.js";
import { type McpBinary, startBinary } from "../support/mcp-binary.js";
import { createHome, type Home } from "../support/run.js";

let home: Home;
let allowed: string;
let outside: string;
let server: McpBinary;

beforeEach(async () => {
  home = createHome();
  allowed = join(home.directory, "allowed");
  outside = join(home.directory, "outside");
  for (const path of [allowed, outside, join(allowed, "dir")]) mkdirSync(path);
  server = await startBinary(home, ["--allow-dir", allowed, "--log-level", "error"]);
  await server.call("create_bucket", { bucket_name: "bucket" });
  await server.call("put_object", {
    bucket_name: "bucket",
    object_key: "k",
    content: "downloaded",
  });
});

afterEach(async () => {
  await server.close();
  home.remove();
});

/**
 * Swaps the directory `allowed/dir` with a link to the outside, over and over, each in one step,
 * in a process of its own.
 */
async function startSwapping(): Promise<{ stop(): Promise<void> }> {
  symlinkSync(outside, join(allowed, "link"));
  const script = `
    const { renameSync, rmSync } = require("node:fs");
    process.chdir(process.argv[1]);
    const swap = (from, aside) => {
      renameSync("dir", aside);
      for (;;) {
        try {
          return renameSync(from, "dir");
        } catch {
          // The server found nothing there and made a directory.
          try {
            rmSync("dir", { recursive: true });
          } catch {
            // And put a file into it just now.
          }
        }
      }
    };
    let rounds = 0;
    const round = () => {
      for (let i = 0; i < 200; i += 1) {
        swap("link", "real");
        swap("real", "link");
      }
      if (rounds++ === 0) process.stdout.write("swapping");
      setImmediate(round);
    };
    round();
  `;
  const child = spawn(process.execPath, ["-e", script, allowed], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close") as Promise<[code: number | null]>;
  await once(child.stdout, "data");
  return {
    stop: async () => {
      child.kill();
      const [code] = await ended;
      // The swaps went on to the end.
      expect(code).toBeNull();
    },
  };
}

describe.skipIf(process.platform !== "linux")("a directory that becomes a link meanwhile", () => {
  it("never takes a download outside", async () => {
    const swapper = await startSwapping();
    let saved = 0;
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 15 }, (_, at) =>
          server.call("get_object", {
            bucket_name: "bucket",
            object_key: "k",
            mode: "download",
            local_path: join(allowed, "dir", `file-${round}-${at}`),
          }),
        ),
      );
      for (const result of results) {
        if (result.isError) expect(textOf(result)).toMatch(/^(LocalFileRefused|E[A-Z]+): /);
        else saved += 1;
      }
    }
    await swapper.stop();
    expect(readdirSync(outside)).toEqual([]);
    // Otherwise the test has tried nothing.
    expect(saved).toBeGreaterThan(0);
  });

  it("never uploads a file from outside", async () => {
    writeFileSync(join(outside, "file"), "SECRET");
    writeFileSync(join(allowed, "dir", "file"), "public");
    const swapper = await startSwapping();
    let uploaded = 0;
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 15 }, (_, at) =>
          server.call("upload_file", {
            bucket_name: "bucket",
            object_key: `up-${round}-${at}`,
            local_file_path: join(allowed, "dir", "file"),
          }),
        ),
      );
      for (const result of results) {
        if (result.isError) expect(textOf(result)).toMatch(/^(LocalFileRefused|E[A-Z]+): /);
        else uploaded += 1;
      }
    }
    await swapper.stop();
    expect(uploaded).toBeGreaterThan(0);
    const { objects } = factsOf(
      await server.call("list_objects", { bucket_name: "bucket", prefix: "up-", max_keys: 1000 }),
    ) as { objects: { key: string }[] };
    expect(objects).toHaveLength(uploaded);
    const contents = await Promise.all(
      objects.map(({ key }) =>
        server.call("get_object", { bucket_name: "bucket", object_key: key }),
      ),
    );
    for (const content of contents) expect(textOf(content)).toContain("\npublic\n");
  });
});

describe("confined to a directory", () => {
  it.each([
    "../outside/file",
    "/etc/passwd",
    "~/config/config.json",
    "allowed/../outside/file",
    "allowed/link/file",
    "/proc/self/cwd/outside/file",
    "/proc/self/root/etc/passwd",
  ])("refuses %s, for reading and for writing", async (path) => {
    writeFileSync(join(outside, "file"), "SECRET");
    symlinkSync(outside, join(allowed, "link"));
    const up = await server.call("upload_file", {
      bucket_name: "bucket",
      object_key: "stolen",
      local_file_path: path,
    });
    expect(textOf(up)).toMatch(/^LocalFileRefused: /);
    const down = await server.call("get_object", {
      bucket_name: "bucket",
      object_key: "k",
      mode: "download",
      local_path: path,
    });
    expect(textOf(down)).toMatch(/^LocalFileRefused: /);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("SECRET");
  });
});

describe("large files", () => {
  // By hand with PAIL_TEST_BYTES=2147483648; by default as many as a few seconds allow.
  const bytes = Number(process.env["PAIL_TEST_BYTES"] ?? 256 * 1024 * 1024);

  it("go up and come down in bounded memory", async () => {
    const path = join(allowed, "large");
    writeFileSync(path, "begin");
    truncateSync(path, bytes);
    const up = await server.client.callTool(
      {
        name: "upload_file",
        arguments: { bucket_name: "bucket", object_key: "large", local_file_path: path },
      },
      undefined,
      { timeout: 600_000 },
    );
    expect(up.isError).toBeUndefined();
    const down = await server.client.callTool(
      {
        name: "get_object",
        arguments: {
          bucket_name: "bucket",
          object_key: "large",
          mode: "download",
          local_path: join(allowed, "back"),
        },
      },
      undefined,
      { timeout: 600_000 },
    );
    expect(down.isError).toBeUndefined();
    expect(statSync(join(allowed, "back")).size).toBe(bytes);
    const head = createReadStream(join(allowed, "back"), { end: 4, encoding: "utf8" });
    expect((await head.toArray()).join("")).toBe("begin");
    if (process.platform === "linux") {
      const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
      const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
      if (process.env["PAIL_TEST_BYTES"] !== undefined) console.log(`peak RSS ${peakKiB} KiB`);
      expect(peakKiB).toBeLessThan(400 * 1024);
    }
  });
});
