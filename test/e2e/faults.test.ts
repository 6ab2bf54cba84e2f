/** What goes wrong between client and service, and what is left of it: nothing, or what is said. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { copy } from "../../src/core/transfer/copy.js";
import { createMemory } from "../../src/core/transfer/memory.js";
import { remove } from "../../src/core/transfer/remove.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { CopyRequest } from "../../src/core/transfer/types.js";
import { readAll } from "../../src/protocol/message.js";
import { pseudoRandom, recorder } from "../support/bucket.js";
import { clientFor } from "../support/client.js";
import { type Fault, type FaultProxy, startFaultProxy } from "../support/fault-proxy.js";
import { type RunningStore, startStore } from "../support/store.js";

const PART = 5 * MIB;
const LARGE = pseudoRandom(3 * PART + 12_345);
const SMALL = pseudoRandom(200_000, 2);

let store: RunningStore;
let proxy: FaultProxy;
let client: SignedClient;
/** Through the proxy, and straight to the store. */
let faulty: BucketStorage;
let straight: BucketStorage;
let root: string;
let run = 0;

beforeAll(async () => {
  store = await startStore();
});
afterAll(async () => {
  await store.close();
});
beforeEach(async () => {
  proxy = await startFaultProxy(store.endpoint);
  client = clientFor({ endpoint: proxy.url, credentials: store });
  run += 1;
  straight = openBucket(
    clientFor({ endpoint: store.endpoint, credentials: store }),
    `b${run}-test`,
  );
  await straight.client.request({ method: "PUT", bucket: straight.bucket });
  faulty = openBucket(client, straight.bucket);
  root = mkdtempSync(join(tmpdir(), "pail-faults-"));
  mkdirSync(join(root, "files"));
  writeFileSync(join(root, "large"), LARGE);
  writeFileSync(join(root, "small"), SMALL);
});
afterEach(async () => {
  client.close();
  straight.client.close();
  await proxy.close();
  rmSync(root, { recursive: true, force: true });
});

const place = (key: string, storage = faulty) =>
  ({ type: "bucket", storage, key, label: "t/b" }) as const;
const local = (name: string) => ({ type: "path", path: join(root, name) }) as const;
const state = () => join(root, "state");
const get = async (key: string) => readAll((await straight.read(key)).body, 1024 ** 3);

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of straight.list()) found.push(...page.map(({ key }) => key));
  return found;
}

async function uploads(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of straight.listUploads())
    found.push(...page.map(({ uploadId }) => uploadId));
  return found;
}

const upload = (name: string, more: Partial<CopyRequest> = {}) =>
  copy({ sources: [local(name)], target: place(name), partSize: PART, ...more });
const download = (key: string, more: Partial<CopyRequest> = {}) =>
  copy({ sources: [place(key)], target: local("files/out"), partSize: PART, ...more });

const PART_PUT = /^PUT .*partNumber=/;
const OBJECT_PUT = /^PUT (?!.*partNumber=)/;
const GET = /^GET \/[^/?]+\/[^/?]/;

describe("an upload", () => {
  const passing: [string, string, Fault][] = [
    [
      "a burst of 503",
      "large",
      { on: PART_PUT, times: 3, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "a burst of 500",
      "large",
      { on: PART_PUT, times: 3, does: { type: "refuse", status: 500, code: "InternalError" } },
    ],
    [
      "a 503 to its beginning",
      "large",
      { on: /^POST .*uploads/, times: 1, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "a 500 to its end",
      "large",
      {
        on: /^POST .*uploadId/,
        times: 1,
        does: { type: "refuse", status: 500, code: "InternalError" },
      },
    ],
    [
      "a lost answer to a part",
      "large",
      { on: PART_PUT, times: 2, does: { type: "lose-response" } },
    ],
    [
      "a lost answer to its end",
      "large",
      { on: /^POST .*uploadId/, times: 1, does: { type: "lose-response" } },
    ],
    [
      "a lost answer to a small object",
      "small",
      { on: OBJECT_PUT, times: 1, does: { type: "lose-response" } },
    ],
    [
      "a connection reset before the first byte",
      "large",
      { on: PART_PUT, times: 2, does: { type: "reset-request", bytes: 0 } },
    ],
    [
      "a connection reset in a part",
      "large",
      { on: PART_PUT, times: 2, does: { type: "reset-request", bytes: 3 * MIB } },
    ],
    [
      "a connection reset in a small object",
      "small",
      { on: OBJECT_PUT, times: 2, does: { type: "reset-request", bytes: 100_000 } },
    ],
    [
      "an answer cut short",
      "small",
      {
        on: OBJECT_PUT,
        times: 1,
        does: { type: "refuse", status: 503, code: "ServiceUnavailable" },
      },
    ],
  ];
  it.each(passing)("survives %s, and counts every byte once", async (_name, file, fault) => {
    const struck = proxy.inject(fault);
    const seen = recorder();
    const report = await upload(file, { onEvent: seen.onEvent });
    expect(struck()).toBeGreaterThan(0);
    expect(report.failures).toEqual([]);
    expect((await get(file)).equals(readFileSync(join(root, file)))).toBe(true);
    expect(report.snapshot.bytes.done).toBe(report.snapshot.bytes.total);
    expect(await uploads()).toEqual([]);
    if (fault.does.type === "refuse") expect(seen.of("retried").length).toBe(struck());
  });

  it("whose part fails for ever fails, and removes what it had sent", async () => {
    proxy.inject({
      on: /partNumber=2/,
      does: { type: "refuse", status: 500, code: "InternalError" },
    });
    const report = await upload("large");
    expect(report.failures).toMatchObject([
      { error: { kind: "unavailable", code: "InternalError" } },
    ]);
    expect(await keys()).toEqual([]);
    expect(await uploads()).toEqual([]);
    expect(report.left).toEqual([]);
  });

  it("whose part fails for ever says what it left for the next run, which goes on from there", async () => {
    proxy.inject({
      on: /partNumber=2/,
      times: 5,
      does: { type: "refuse", status: 500, code: "InternalError" },
    });
    const report = await upload("large", { stateDir: state() });
    expect(report.failures).toHaveLength(1);
    expect(report.left).toMatchObject((await uploads()).map((uploadId) => ({ uploadId })));
    const seen = recorder();
    const again = await upload("large", { stateDir: state(), onEvent: seen.onEvent });
    expect(again.failures).toEqual([]);
    expect(seen.of("resumed")[0]?.skipped).toBeGreaterThan(0);
    expect((await get("large")).equals(LARGE)).toBe(true);
    expect(await uploads()).toEqual([]);
  });

  it("reports an upload that it could not remove", async () => {
    proxy.inject({
      on: /partNumber=2/,
      does: { type: "refuse", status: 403, code: "AccessDenied" },
    });
    proxy.inject({ on: /^DELETE/, does: { type: "refuse", status: 403, code: "AccessDenied" } });
    const report = await upload("large");
    expect(report.failures).toMatchObject([{ error: { kind: "denied" } }]);
    expect(report.left).toMatchObject((await uploads()).map((uploadId) => ({ uploadId })));
  });

  it("whose bytes change on the way is refused, and leaves nothing", async () => {
    for (const [name, on] of [
      ["large", PART_PUT],
      ["small", OBJECT_PUT],
    ] as const) {
      proxy.inject({ on, times: 1, does: { type: "corrupt-request", at: 1_000 } });
      const report = await upload(name);
      const code = expect.stringMatching(/^(BadDigest|XAmzContentSHA256Mismatch)$/) as string;
      expect(report.failures).toMatchObject([{ error: { code } }]);
    }
    expect(await keys()).toEqual([]);
    expect(await uploads()).toEqual([]);
  });

  it("stops when its credentials end, and the rest of the run with it", async () => {
    for (let i = 0; i < 200; i += 1) writeFileSync(join(root, "files", `${i}`), "x");
    proxy.inject({
      on: OBJECT_PUT,
      after: 20,
      does: { type: "refuse", status: 400, code: "ExpiredToken" },
    });
    const running = copy({ sources: [local("files")], target: place(""), recursive: true });
    await expect(running).rejects.toMatchObject({ code: "ExpiredToken" });
  });

  it("of a file that changes meanwhile is an error, and leaves no object", async () => {
    const report = await copy({
      sources: [local("large")],
      target: place("large"),
      partSize: PART,
      onEvent: ({ type }) => {
        if (type === "bytes") writeFileSync(join(root, "large"), pseudoRandom(LARGE.length, 9));
      },
    });
    expect(report.failures).toMatchObject([{ error: { kind: "conflict", code: "SourceChanged" } }]);
    expect(await keys()).toEqual([]);
    expect(await uploads()).toEqual([]);
  });

  it("falls back to a signed hash where checksum headers are refused, once for the endpoint", async () => {
    const put = {
      on: OBJECT_PUT,
      times: 1,
      does: { type: "refuse", status: 501, code: "NotImplemented" },
    } as const;
    const struck = proxy.inject(put);
    const lines: string[] = [];
    proxy.watch((line) => lines.push(line));
    await upload("small");
    expect(faulty.client.uploadChecksum.known()).toBe("signed");
    await upload("small");
    expect(struck()).toBe(1);
    expect(lines.filter((line) => OBJECT_PUT.test(line))).toHaveLength(3);
    expect((await get("small")).equals(SMALL)).toBe(true);
    // What was asked for by name is not silently left out.
    proxy.inject(put);
    const report = await upload("small", { checksum: "CRC32" });
    expect(report.failures).toMatchObject([{ error: { code: "NotImplemented" } }]);
  });
});

describe("a download", () => {
  beforeEach(async () => {
    await straight.write("small", SMALL);
    const target = place("large", straight);
    await copy({ sources: [local("large")], target, partSize: PART });
  });

  const passing: [string, string, Fault][] = [
    [
      "a burst of 503",
      "large",
      { on: GET, times: 4, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "connections reset in the middle",
      "large",
      { on: GET, times: 4, does: { type: "reset-response", bytes: 2 * MIB } },
    ],
    [
      "a connection reset at the first byte",
      "large",
      { on: GET, times: 2, does: { type: "reset-response", bytes: 0 } },
    ],
    [
      "a connection reset before the last byte",
      "small",
      { on: GET, times: 2, does: { type: "reset-response", bytes: SMALL.length - 1 } },
    ],
    ["a lost answer", "small", { on: GET, times: 2, does: { type: "lose-response" } }],
  ];
  it.each(passing)("survives %s", async (_name, key, fault) => {
    const struck = proxy.inject(fault);
    const report = await download(key);
    expect(struck()).toBeGreaterThan(0);
    expect(report.failures).toEqual([]);
    expect(readFileSync(join(root, "files/out")).equals(key === "large" ? LARGE : SMALL)).toBe(
      true,
    );
    expect(readdirSync(join(root, "files"))).toEqual(["out"]);
    expect(report.snapshot.bytes.done).toBe(report.snapshot.bytes.total);
  });

  it.each([
    ["small", 77],
    ["large", 4 * MIB],
  ])("of %s whose bytes change on the way fails, and leaves no file", async (key, at) => {
    proxy.inject({ on: GET, does: { type: "corrupt-response", at } });
    const report = await download(key, { stateDir: state() });
    expect(report.failures).toMatchObject([{ error: { code: "ChecksumMismatch" } }]);
    expect(readdirSync(join(root, "files"))).toEqual([]);
  });

  it("of an object that is shorter than its head says fails, and leaves no file", async () => {
    proxy.inject({ on: GET, does: { type: "wrong-length", by: 10 } });
    const report = await download("small");
    expect(report.failures).toHaveLength(1);
    expect(readdirSync(join(root, "files"))).toEqual([]);
  });

  it("of an object that is replaced meanwhile is an error, not a mixture", async () => {
    let replaced: Promise<unknown> | undefined;
    proxy.inject({ on: GET, after: 2, does: { type: "reset-response", bytes: MIB }, times: 50 });
    const report = await download("large", {
      onEvent: ({ type }) => {
        if (type === "retried") replaced ??= straight.write("large", pseudoRandom(LARGE.length, 5));
      },
    });
    await replaced;
    expect(report.failures).toHaveLength(1);
    expect(["SourceChanged", "ECONNRESET", "IncompleteBody"]).toContain(
      report.failures[0]?.error.code,
    );
    expect(readdirSync(join(root, "files"))).toEqual([]);
  });

  it("that breaks off for ever keeps what it has for the next run, which goes on from there", async () => {
    proxy.inject({ on: /bytes=5242880-/, times: 5, does: { type: "reset-response", bytes: 0 } });
    const broken = await download("large", { stateDir: state() });
    expect(broken.failures).toMatchObject([{ error: { kind: "unavailable" } }]);
    expect(readdirSync(join(root, "files"))).toHaveLength(1);
    expect(readdirSync(join(root, "files"))).not.toContain("out");
    const seen = recorder();
    const lines: string[] = [];
    proxy.watch((line) => lines.push(line));
    const again = await download("large", { stateDir: state(), onEvent: seen.onEvent });
    expect(again.failures).toEqual([]);
    expect(seen.of("resumed")[0]?.skipped).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("bytes=")).length).toBeLessThan(4);
    expect(readFileSync(join(root, "files/out")).equals(LARGE)).toBe(true);
    expect(readdirSync(join(root, "files"))).toEqual(["out"]);
  });

  it("that stalls ends at once when it is interrupted", async () => {
    proxy.inject({ on: GET, does: { type: "stall", bytes: 1_000 } });
    const abort = new AbortController();
    const running = download("large", { signal: abort.signal });
    const stalled = new Promise<void>((resolve) =>
      proxy.watch((line) => GET.test(line) && resolve()),
    );
    await stalled;
    abort.abort();
    await expect(running).rejects.toMatchObject({ kind: "interrupted" });
    expect(readdirSync(join(root, "files"))).toEqual([]);
  });
});

describe("bounds", () => {
  it("reads on where a connection has carried a part before", async () => {
    const content = pseudoRandom(30 * PART + 1);
    writeFileSync(join(root, "long"), content);
    await copy({ sources: [local("long")], target: place("long", straight), partSize: PART });
    const report = await copy({
      sources: [place("long", straight)],
      target: local("files/out"),
      partSize: PART,
    });
    expect(report.failures).toEqual([]);
    expect(readFileSync(join(root, "files/out")).equals(content)).toBe(true);
  });

  it("keeps objects, connections and memory within what was asked for", async () => {
    for (let i = 0; i < 60; i += 1)
      writeFileSync(join(root, "files", `${i}`), pseudoRandom(100_000, i));
    await copy({ sources: [local("files")], target: place(""), recursive: true, concurrency: 6 });
    expect(await keys()).toHaveLength(60);
    expect(proxy.most.requests).toBeLessThanOrEqual(6);
    expect(proxy.most.connections).toBeLessThanOrEqual(6);
  });

  it("sends at most eight parts of an object at once", async () => {
    writeFileSync(join(root, "large"), pseudoRandom(12 * PART));
    await upload("large");
    expect(proxy.most.requests).toBeLessThanOrEqual(8);
    expect((await straight.stat("large")).size).toBe(12 * PART);
  });

  it("sends fewer at once after being told to slow down", async () => {
    for (let i = 0; i < 300; i += 1) writeFileSync(join(root, "files", `${i}`), "x");
    proxy.inject({
      on: OBJECT_PUT,
      times: 4,
      does: { type: "refuse", status: 503, code: "SlowDown" },
    });
    const report = await copy({ sources: [local("files")], target: place(""), recursive: true });
    expect(report.failures).toEqual([]);
    expect(await keys()).toHaveLength(300);
  });

  it("never has more borrowed than the budget", async () => {
    const memory = createMemory(2 * PART);
    const lease = await memory.borrow(PART, new AbortController().signal);
    lease.release();
    expect(memory.peak).toBe(PART);
  });
});

describe("a removal", () => {
  it("survives a burst of 503, and counts each key once", async () => {
    for (let i = 0; i < 20; i += 1) await straight.write(`k/${i}`, SMALL.subarray(0, 10));
    const struck = proxy.inject({
      on: /^POST .*delete/,
      times: 2,
      does: { type: "refuse", status: 503, code: "SlowDown" },
    });
    const report = await remove({ storage: faulty, label: "t/b", targets: { prefix: "k/" } });
    expect(struck()).toBe(2);
    expect(report.snapshot.items).toMatchObject({ total: 20, done: 20, failed: 0 });
    expect(await keys()).toEqual([]);
  });
});
