/**
 * SHA-256 of large buffers on a thread beside this one, which meanwhile computes checksums, reads
 * and sends. The buffers are shared with it: to copy one into fresh memory, as the thread pool's
 * hashing does, costs half as much as to hash it.
 */
import { hash } from "node:crypto";
import { Worker } from "node:worker_threads";

interface HashJob {
  readonly id: number;
  readonly bytes: Uint8Array;
}

interface Answer {
  readonly id: number;
  readonly sha256: string;
}

/** Starting a thread costs as much as hashing this many bytes here. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

let hashedHere = 0;
let thread: ReturnType<typeof startThread> | undefined;

/**
 * Hex SHA-256 of bytes that stay untouched until it resolves. The first ones of a process are
 * hashed at once, on this thread, as are those that no other thread can see.
 */
export function hashLarge(bytes: Uint8Array): string | Promise<string> {
  const isShared = bytes.buffer instanceof SharedArrayBuffer;
  if (isShared && hashedHere > WORTH_A_THREAD) thread ??= startThread();
  if (isShared && thread?.isReady === true) return thread.hash(bytes);
  hashedHere += bytes.length;
  return hash("sha256", bytes);
}

/** The program of the thread, which has no file of its own to start from: a Job in, an Answer out. */
const SERVE_HASHES = `
  const { parentPort } = require("node:worker_threads");
  const { hash } = require("node:crypto");
  parentPort.on("message", ({ id, bytes }) => {
    parentPort.postMessage({ id, sha256: hash("sha256", bytes) });
  });`;

function startThread() {
  const worker = new Worker(SERVE_HASHES, { eval: true });
  const waiting = new Map<number, { bytes: Uint8Array; resolve: (sha256: string) => void }>();
  let lastId = 0;
  let isReady = false;

  const settle = (id: number, sha256: string) => {
    waiting.get(id)?.resolve(sha256);
    waiting.delete(id);
    // It keeps the process alive only while somebody waits for it.
    if (waiting.size === 0) worker.unref();
  };
  worker.unref();
  worker.once("online", () => {
    isReady = true;
  });
  worker.on("message", ({ id, sha256 }: Answer) => settle(id, sha256));
  // A thread that fails costs time and nothing else.
  worker.on("error", () => {
    isReady = false;
    for (const [id, { bytes }] of waiting) settle(id, hash("sha256", bytes));
  });

  return {
    get isReady() {
      return isReady;
    },
    hash: (bytes: Uint8Array) =>
      new Promise<string>((resolve) => {
        lastId += 1;
        waiting.set(lastId, { bytes, resolve });
        worker.ref();
        const job: HashJob = { id: lastId, bytes };
        worker.postMessage(job, []);
      }),
  };
}
