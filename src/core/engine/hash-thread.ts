/**
 * SHA-256 and CRC32 of large buffers on threads beside this one, which meanwhile reads and sends. The
 * buffers are shared with them: to copy one into fresh memory, as the thread pool's hashing does,
 * costs half as much as to hash it.
 */
import { hash } from "node:crypto";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import { checksumOf } from "../../protocol/checksum.js";

export interface Hashed {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Raw, big-endian; undefined unless it was asked for. */
  readonly crc32: Buffer | undefined;
}

interface Job {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly wantsCrc32: boolean;
}

interface Answer {
  readonly id: number;
  readonly sha256: string;
  readonly crc32: number;
}

/** Starting a thread costs as much as hashing this many bytes here. */
const WORTH_A_THREAD = 32 * 1024 * 1024;
/** Without instructions for SHA-256 four processors hash as fast as one sends. */
const MOST = Math.min(4, availableParallelism());

let hashedHere = 0;
let areBroken = false;
const threads: ReturnType<typeof startThread>[] = [];

/**
 * Hashes bytes that stay untouched until it resolves. The first ones of a process are hashed at once,
 * on this thread, as are those that no other thread can see.
 */
export function hashLarge(bytes: Uint8Array, wantsCrc32: boolean): Hashed | Promise<Hashed> {
  const isShared = bytes.buffer instanceof SharedArrayBuffer;
  if (!isShared || areBroken || hashedHere < WORTH_A_THREAD) return hashHere(bytes, wantsCrc32);
  const [idlest] = threads.toSorted((one, other) => one.waiting - other.waiting);
  if (idlest !== undefined && (idlest.waiting === 0 || threads.length === MOST)) {
    return idlest.hash(bytes, wantsCrc32);
  }
  try {
    const thread = startThread();
    threads.push(thread);
    return thread.hash(bytes, wantsCrc32);
  } catch {
    // Node's permission model, or the machine, has no thread for it.
    areBroken = true;
    return hashHere(bytes, wantsCrc32);
  }
}

function hashHere(bytes: Uint8Array, wantsCrc32: boolean): Hashed {
  hashedHere += bytes.length;
  const crc32 = wantsCrc32 ? checksumOf("CRC32", bytes) : undefined;
  return { sha256: hash("sha256", bytes), crc32 };
}

/**
 * The program of a thread, which has no file of its own to start from: a Job in, an Answer out. Bytes
 * go through both sums while they are in the processor's cache.
 */
const SERVE_HASHES = `
  const { parentPort } = require("node:worker_threads");
  const { createHash } = require("node:crypto");
  const zlib = require("node:zlib");
  parentPort.on("message", ({ id, bytes, wantsCrc32 }) => {
    const hash = createHash("sha256");
    let crc32 = 0;
    for (let start = 0; start < bytes.length; start += 131072) {
      const piece = bytes.subarray(start, start + 131072);
      hash.update(piece);
      if (wantsCrc32) crc32 = zlib.crc32(piece, crc32);
    }
    parentPort.postMessage({ id, sha256: hash.digest("hex"), crc32 });
  });`;

function startThread() {
  const worker = new Worker(SERVE_HASHES, { eval: true });
  const waiting = new Map<number, { job: Job; resolve: (hashed: Hashed) => void }>();
  let lastId = 0;

  const settle = (id: number, hashed: Hashed) => {
    waiting.get(id)?.resolve(hashed);
    waiting.delete(id);
    // It keeps the process alive only while somebody waits for it.
    if (waiting.size === 0) worker.unref();
  };
  worker.unref();
  worker.on("message", ({ id, sha256, crc32 }: Answer) => {
    const digest = Buffer.allocUnsafe(4);
    digest.writeUInt32BE(crc32);
    settle(id, { sha256, crc32: waiting.get(id)?.job.wantsCrc32 === true ? digest : undefined });
  });
  // A thread that fails costs time and nothing else.
  worker.on("error", () => {
    areBroken = true;
    for (const [id, { job }] of waiting) settle(id, hashHere(job.bytes, job.wantsCrc32));
  });

  return {
    get waiting() {
      return waiting.size;
    },
    hash: (bytes: Uint8Array, wantsCrc32: boolean) =>
      new Promise<Hashed>((resolve) => {
        lastId += 1;
        const job: Job = { id: lastId, bytes, wantsCrc32 };
        waiting.set(lastId, { job, resolve });
        worker.ref();
        worker.postMessage(job, []);
      }),
  };
}
