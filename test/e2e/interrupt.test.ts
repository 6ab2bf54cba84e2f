/** Ctrl-C in the middle of each command, and readers that go away. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createStore } from "../../src/store/index.js";
import { listen, type RunningServer } from "../../src/store/node-server.js";
import { BIN, createHome, finish, firstRecord, type Home, RUNTIME } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
let gate: Gate;
const at = (...parts: string[]) => join(home.directory, ...parts);

/** A proxy before the store that swallows every byte from the moment a request matches. */
interface Gate {
  readonly endpoint: string;
  /** Resolves when a request whose head contains `text` was swallowed. */
  hold(text: string): Promise<void>;
  close(): void;
}

async function createGate(port: number): Promise<Gate> {
  let wanted: string | undefined;
  let caught = () => {};
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = new (client.constructor as typeof Socket)();
    upstream.connect(port, "127.0.0.1");
    sockets.add(client).add(upstream);
    for (const socket of [client, upstream]) socket.on("error", () => client.destroy());
    let held = false;
    client.on("data", (chunk: Buffer) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        held = true;
        caught();
      }
      if (!held) upstream.write(chunk);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("data", (chunk: Buffer) => client.write(chunk));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (text) => {
      wanted = text;
      return new Promise((resolve) => {
        caught = resolve;
      });
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

beforeAll(async () => {
  home = createHome();
  store = await startStore();
  gate = await createGate(Number(new URL(store.endpoint).port));
  writeFileSync(at("1.txt"), "one");
  writeFileSync(at("large.bin"), Buffer.alloc(40 * 1024 * 1024, 7));
  mkdirSync(at("tree"));
  for (let index = 0; index < 50; index += 1) writeFileSync(at("tree", `${index}`), "x");
  const env = hostVariable("there", store);
  await home.pail(["mb", "there/demo"], { env });
  await home.pail(["cp", "1.txt", "large.bin", "there/demo"], { env });
  await home.pail(["cp", "-r", "tree", "there/demo"], { env });
});
afterAll(async () => {
  gate.close();
  await store.close();
  home.remove();
});

describe("Ctrl-C in the middle of", () => {
  test.each<[args: string[], request: string]>([
    [["ls", "there"], "GET / "],
    [["ls", "-r", "there/demo"], "GET /demo"],
    [["cat", "there/demo/1.txt"], "GET /demo/1.txt"],
    [["stat", "there/demo/1.txt"], "HEAD /demo/1.txt"],
    [["stat", "there/demo"], "HEAD /demo"],
    [["mb", "there/new"], "PUT /new"],
    [["rb", "there/demo"], "DELETE /demo"],
    [["rb", "--force", "there/demo"], "GET /demo"],
    [["rm", "there/demo/1.txt"], "/demo"],
    [["rm", "-r", "--force", "there/demo/tree"], "delete"],
    [["cp", "1.txt", "there/demo/new.txt"], "/demo/new.txt"],
    [["cp", "-r", "tree", "there/demo/again"], "/demo/again/tree/"],
    [["cp", "large.bin", "there/demo/new.bin"], "partNumber=2"],
    [["cp", "there/demo/1.txt", "down.txt"], "/demo/1.txt"],
    [["cp", "there/demo/large.bin", "down.bin"], "GET /demo/large.bin"],
    [["cp", "there/demo/1.txt", "there/demo/2.txt"], "/demo/2.txt"],
    [["api", "GET", "there/demo/1.txt"], "GET /demo/1.txt"],
    [["uploads", "list", "there/demo"], "uploads"],
    [["alias", "set", "new", "URL", "KEY", "SECRET"], "GET / "],
  ])("%j ends it with 130, and nothing half-done", async (args, request) => {
    const { accessKeyId, secretAccessKey } = store;
    const values: Record<string, string> = {
      URL: gate.endpoint,
      KEY: accessKeyId,
      SECRET: secretAccessKey,
    };
    const env = hostVariable("there", { ...store, endpoint: gate.endpoint });
    const held = gate.hold(request);
    const child = home.start(
      args.map((arg) => values[arg] ?? arg),
      { env },
    );
    const ended = finish(child);
    await Promise.race([held, ended.then((result) => Promise.reject(new Error(result.stderr)))]);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(stderr).toMatch(/^pail: interrupted/m);
    expect(code).toBe(130);
    expect(stdout).not.toMatch(/new|down/);
    expect(readdirSync(at()).filter((name) => /down|partial/.test(name))).toEqual([]);
  });

  test("an upload says what it leaves behind", async () => {
    const env = hostVariable("there", store);
    const { stdout } = await home.pail(["uploads", "list", "there/demo"], { env });
    // The interrupted upload above may go on, unless it was cleaned up.
    for (const line of stdout.split("\n").filter(Boolean)) expect(line).toMatch(/ new\.bin$/);
  });

  test("reading from stdin", async () => {
    await home.pail(["mb", "-p", "local/stdin"]);
    const child = home.start(["cp", "-", "local/stdin/k"]);
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", resolve);
    });
    // More than a pipe holds: when it has been taken, the command is reading.
    await new Promise((resolve) => {
      child.stdin?.write(Buffer.alloc(1_000_000), resolve);
    });
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(await home.pail(["ls", "local/stdin"])).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("serve", () => {
  test("finishes the request under way, then ends with 0", async () => {
    const child = home.start(["serve", "--address", "127.0.0.1:0", "--json"]);
    const { endpoint } = await firstRecord<{ endpoint: string }>(child);
    const key = JSON.parse((await home.pail(["serve", "key", "create", "--json"])).stdout) as {
      accessKeyId: string;
      secretAccessKey: string;
    };
    const env = hostVariable("served", { ...store, ...key, endpoint });
    expect(await home.pail(["mb", "-p", "served/demo"], { env })).toMatchObject({ code: 0 });

    const upload = home.start(["cp", "-", "served/demo/slow"], { env });
    upload.stdin?.write("first ");
    const uploaded = new Promise<number | null>((resolve) => {
      upload.once("close", resolve);
    });
    const ended = finish(child);
    child.kill("SIGINT");
    upload.stdin?.end("last");
    const { code } = await ended;
    expect(code).toBe(0);
    // The upload was either under way, and is whole, or it came too late and was refused.
    const uploadCode = await uploaded;
    const { stdout } = await home.pail(["ls", "local/demo"]);
    if (uploadCode === 0) expect(stdout).toMatch(/ 10B slow/);
    else expect(stdout).not.toMatch(/slow/);
  });

  test("names an address that is taken", async () => {
    const server: RunningServer = await listen(createStore({ directory: store.directory }), {
      host: "127.0.0.1",
      port: 0,
    });
    const { host } = new URL(server.url);
    const result = await home.pail(["serve", "--address", host]);
    expect(result).toMatchObject({ code: 5, stdout: "" });
    expect(result.stderr).toMatch(/address is in use/);
    await server.close();
  });
});

describe("a reader that goes away ends the work at once, quietly, with 0:", () => {
  const reading = (command: string, env: NodeJS.ProcessEnv) => {
    const script = `("$0" "$1" ${command}; echo "code $?" >&2) | head -c 1`;
    const args = ["-c", script, RUNTIME, BIN];
    return finish(spawn("sh", args, { env: { ...home.env, ...env } }));
  };

  test("an object", async () => {
    const result = await reading("cat there/demo/large.bin", hostVariable("there", store));
    expect(result).toMatchObject({ stderr: "code 0\n" });
    expect(result.bytes).toHaveLength(1);
  });

  test("an endless listing", async () => {
    let page = 0;
    const endless = createHttpServer((_request, response) => {
      page += 1;
      const contents = Array.from(
        { length: 1000 },
        (_, index) => `<Contents><Key>${page}-${index}</Key><Size>1</Size></Contents>`,
      );
      response.setHeader("content-type", "application/xml");
      response.end(
        `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>${contents.join("")}</ListBucketResult>`,
      );
    });
    await new Promise<void>((resolve) => {
      endless.listen(0, "127.0.0.1", resolve);
    });
    const endpoint = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const env = hostVariable("endless", { ...store, endpoint });
    for (const flags of ["-r", "-r --json"]) {
      const result = await reading(`ls ${flags} endless/b`, env);
      expect(result).toMatchObject({ stderr: "code 0\n" });
    }
    endless.close();
  });
});
