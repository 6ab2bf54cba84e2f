import { createHash } from "node:crypto";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { ObjectInit, ObjectRecord, Preconditions } from "../../../../src/store/records.js";
import type { Backend } from "../../../../src/store/disk/index.js";
import { openDisk } from "../../../../src/store/disk/index.js";

export const ABOUT: ObjectInit = { headers: {}, metadata: {}, storageClass: "STANDARD", tags: {} };

const made: string[] = [];

afterEach(async () => {
  // A store goes on working after its answers: files that it makes during the removal go at the
  // next try.
  for (const path of made.splice(0))
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
});

/** A store directory of the test's own, removed after it. */
export async function freshDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "pail-disk-"));
  made.push(path);
  return path;
}

/** A backend with one bucket, `b`. */
export async function freshDisk(
  versioning?: "Enabled" | "Suspended",
): Promise<{ disk: Backend; directory: string }> {
  const directory = await freshDirectory();
  const disk = openDisk(directory);
  await disk.createBucket("b", "us-east-1");
  if (versioning !== undefined) await disk.updateBucket("b", { versioning });
  return { disk, directory };
}

export const md5 = (bytes: Uint8Array | string): string =>
  createHash("md5").update(bytes).digest("hex");

export async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function put(
  disk: Backend,
  key: string,
  body: Uint8Array | string,
  preconditions?: Preconditions,
): Promise<ObjectRecord> {
  const bytes = Buffer.from(body);
  const blob = await disk.stage(chunksOf(bytes));
  try {
    return await disk.putObject("b", key, blob, { ...ABOUT, etag: md5(bytes) }, preconditions);
  } finally {
    await blob.discard();
  }
}

export async function read(disk: Backend, key: string, versionId?: string): Promise<Buffer> {
  const opened = await disk.openObject("b", key, versionId);
  return readAll(opened.read(0, opened.record.size - 1));
}

export async function readText(disk: Backend, key: string, versionId?: string): Promise<string> {
  return (await read(disk, key, versionId)).toString();
}

/** Copies each chunk, as a reader has to. */
export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

/** Makes all processes that used the store dead ones; one that goes on registers anew. */
export async function bury(directory: string): Promise<void> {
  for (const name of await readdir(join(directory, "owners"))) {
    const file = join(directory, "owners", name);
    const owner = JSON.parse(await readFile(file, "utf8")) as { start: string };
    await writeFile(file, JSON.stringify({ ...owner, start: "another" }));
  }
}
