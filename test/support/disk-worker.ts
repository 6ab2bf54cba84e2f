/**
 * A process that uses a store directory, for the tests that kill it or set several on one
 * directory. It says what it does in lines of JSON, written synchronously: every line written
 * before a SIGKILL arrives whole.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { ObjectInit, PartRecord } from "../../src/store/records.js";
import type { Backend } from "../../src/store/disk/index.js";
import { StoreError } from "../../src/store/errors.js";
import { openDisk } from "../../src/store/disk/index.js";

const [, , mode, directory, name, seed] = process.argv as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const disk = openDisk(directory);
const ABOUT: ObjectInit = { headers: {}, metadata: {}, storageClass: "STANDARD", tags: {} };
const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex");

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Reproducible numbers below 1 (mulberry32), so that a failing round can be run again. */
let state = Number(seed);
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

async function put(
  bucket: string,
  key: string,
  bytes: Buffer,
  match?: { ifMatch?: string[]; ifNoneMatch?: string[] },
) {
  const blob = await disk.stage(chunksOf(bytes));
  try {
    return await disk.putObject(bucket, key, blob, { ...ABOUT, etag: md5(bytes) }, match);
  } finally {
    await blob.discard();
  }
}

async function putInParts(key: string, bytes: Buffer): Promise<void> {
  const { uploadId } = await disk.createUpload("plain", key, ABOUT);
  const half = Math.floor(bytes.length / 2);
  const parts: PartRecord[] = [];
  for (const [index, body] of [bytes.subarray(0, half), bytes.subarray(half)].entries()) {
    const blob = await disk.stage(chunksOf(body));
    const part = { number: index + 1, etag: md5(body) };
    parts.push(await disk.putPart("plain", key, uploadId, blob, part));
  }
  await disk.completeUpload("plain", key, uploadId, parts, { etag: md5(bytes) });
}

/** Bytes that nobody else writes. */
let written = 0;
function body(size: number): Buffer {
  written += 1;
  return Buffer.alloc(size, `${name} ${seed} ${written} `);
}

/** Changes random keys without end, and says before and after each change what the key is to be. */
async function churn(): Promise<never> {
  const versions: { key: string; versionId: string }[] = [];
  for (;;) {
    const key = pick(["a", "a/b", "A", "deep/er/k1", "deep/er/k2", "x".repeat(200)]);
    const bytes = body(pick([10, 2000, 70_000, 400_000]));
    const action = pick(["put", "put", "parts", "delete", "version", "version", "unversion"]);
    if (action === "put" || action === "parts") {
      const large = action === "parts" ? body(200_000) : bytes;
      say({ begin: key, etag: md5(large) });
      await (action === "parts" ? putInParts(key, large) : put("plain", key, large));
    } else if (action === "delete") {
      say({ begin: key, etag: null });
      await disk.deleteObject("plain", key);
    } else if (action === "version") {
      say({ version: md5(bytes) });
      const { versionId } = await put("versioned", key, bytes);
      versions.push({ key, versionId });
      say({ made: { key, versionId, etag: md5(bytes) } });
    } else if (versions.length > 0) {
      const [gone] = versions.splice(Math.floor(random() * versions.length), 1);
      say({ removing: gone!.versionId });
      await disk.deleteObject("versioned", gone!.key, gone!.versionId);
    }
    say({ done: true });
  }
}

/** Makes and removes keys of its own for ever, with names so long that journals fill up soon. */
async function names(): Promise<never> {
  const keys: string[] = [];
  for (let count = 0; ; count += 1) {
    const made = `n/${name}-${String(count).padStart(6, "0")}-${"x".repeat(900)}`;
    const key = count % 3 === 2 ? keys.splice(Math.floor(random() * keys.length), 1)[0]! : made;
    say({ key, there: key === made });
    if (key === made) keys.push((await put("b", key, Buffer.from(key))).key);
    else await disk.deleteObject("b", key);
    say({ done: true });
  }
}

const refused =
  (...codes: string[]) =>
  (error: unknown): undefined => {
    if (error instanceof StoreError && codes.includes(error.code)) return undefined;
    throw error;
  };

/** Works beside others on the same keys, checking all it reads. */
async function compete(): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const won = await put("plain", `race/${round}`, body(pick([20, 100_000])), {
      ifNoneMatch: ["*"],
    }).catch(refused("PreconditionFailed"));
    if (won !== undefined) say({ won: round, etag: won.etag });
    await increment();
    const key = pick(["shared/a", "shared/b", "shared/c/d", "shared/c/e"]);
    const action = pick(["put", "put", "parts", "delete", "read", "read"]);
    if (action === "put") await put("plain", key, body(pick([50, 90_000])));
    else if (action === "parts") await putInParts(key, body(150_000));
    else if (action === "delete") await disk.deleteObject("plain", key);
    await check(key);
    await list();
    await setImmediate();
  }
  say({ finished: name });
}

/** Adds one to a number that others add to, by compare and swap. */
async function increment(): Promise<void> {
  for (;;) {
    const { etag, bytes } = (await read("counter"))!;
    const next = Buffer.from(`${Number(bytes) + 1}`);
    if (
      await put("plain", "counter", next, { ifMatch: [etag] }).catch(refused("PreconditionFailed"))
    )
      return;
  }
}

async function read(key: string): Promise<{ etag: string; bytes: Buffer } | undefined> {
  const opened = await disk.openObject("plain", key).catch(refused("NoSuchKey"));
  if (opened === undefined) return undefined;
  const parts: Buffer[] = [];
  for await (const chunk of opened.read(0, opened.record.size - 1)) {
    parts.push(Buffer.from(chunk));
    // Leaves the others time to take the object away under the reader.
    await setImmediate();
  }
  return { etag: opened.record.etag, bytes: Buffer.concat(parts) };
}

async function check(key: string): Promise<void> {
  const found = await read(key);
  if (found !== undefined && md5(found.bytes) !== found.etag) say({ torn: key });
}

async function list(): Promise<void> {
  let after: Parameters<Backend["listObjects"]>[1]["after"];
  let last = "";
  do {
    const page = await disk.listObjects("plain", { prefix: "", delimiter: "", limit: 7, after });
    for (const { key } of page.entries) {
      if (key <= last) say({ disorder: [last, key] });
      last = key;
    }
    after = page.next;
  } while (after !== undefined);
}

const modes = { churn, compete, names };
await modes[mode as keyof typeof modes]();
