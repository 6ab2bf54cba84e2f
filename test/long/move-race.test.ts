/**
 * Moves beside writers, removers, other moves and kill -9, between aliases that lead to one service
 * and to two buckets of it. However it goes: what was acknowledged last under a name is at the
 * source or at the target afterwards. `PAIL_TEST_MOVES=200` plays so many rounds, `PAIL_TEST_SEED`
 * repeats one.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { AppError } from "../../src/core/failures/errors.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { readAll } from "../../src/protocol/message.js";
import { clientFor } from "../support/client.js";
import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";

const ROUNDS = Number(process.env["PAIL_TEST_MOVES"] ?? 4);
const SEED = Number(process.env["PAIL_TEST_SEED"] ?? Date.now() % 100_000);

/** Counts the tries, so that a second one of a seed has buckets of its own. */
let tries = 0;
let home: Home;
let serve: Serve;
let env: NodeJS.ProcessEnv;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  home = createHome();
  serve = await startServe(home);
  const key = await home.pail(["serve", "key", "create", "--json"]);
  const other = JSON.parse(key.stdout) as { accessKeyId: string; secretAccessKey: string };
  const { port } = new URL(serve.endpoint);
  const address = (host: string, keys: typeof other) =>
    `http://${keys.accessKeyId}:${keys.secretAccessKey}@${host}:${port}`;
  env = {
    PAIL_HOST_served: address("127.0.0.1", serve),
    PAIL_HOST_named: address("localhost", other),
  };
  client = clientFor({ endpoint: serve.endpoint, credentials: serve });
});
afterAll(async () => {
  client.close();
  await serve.stop();
  home.remove();
});

/** Numbers that look random, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function contents(storage: BucketStorage): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const page of storage.list()) {
    for (const { key } of page) {
      // A killed move's last request may still be under way in the server: the key then goes after
      // it was listed, and its bytes must be at the target, which is read later.
      const read = await storage.read(key).catch((error: unknown) => {
        if (error instanceof AppError && error.kind === "not-found") return undefined;
        throw error;
      });
      if (read !== undefined) found.set(key, (await readAll(read.body, 1024 * 1024)).toString());
    }
  }
  return found;
}

/**
 * Writes to and removes from its own names below `a/` until told to end; keeps what was
 * acknowledged last.
 */
async function meddle(
  storage: BucketStorage,
  names: readonly string[],
  next: () => number,
  run: { ends: boolean },
) {
  const last = new Map<string, string | undefined>();
  for (let count = 0; !run.ends; count += 1) {
    const name = names[Math.floor(next() * names.length)]!;
    if (next() < 0.8) {
      const text = `${name} ${count} ${"x".repeat(Math.floor(next() * 2000))}`;
      await storage.write(`a/${name}`, Buffer.from(text));
      last.set(name, text);
    } else {
      await storage.remove([{ key: `a/${name}` }]);
      last.set(name, undefined);
    }
    if (next() < 0.3) await delay(Math.floor(next() * 20));
  }
  return last;
}

/** Starts a move and, some of the time, kills it at some instant; resolves when it has ended. */
async function move(from: string, to: string, next: () => number): Promise<void> {
  const child = home.start(["mv", "-r", "-q", from, to], { env });
  child.stdout!.resume();
  child.stderr!.resume();
  const closed = once(child, "close");
  if (next() < 0.6) {
    await Promise.race([closed, delay(150 + Math.floor(next() * 1200))]);
    child.kill("SIGKILL");
  }
  await closed;
}

test.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))(
  "nothing acknowledged is lost (seed %i)",
  async (seed) => {
    const next = random(seed);
    const bucket = `race-${seed}-${(tries += 1)}`;
    const second = `${bucket}-b`;
    for (const name of [bucket, second]) await client.request({ method: "PUT", bucket: name });
    const storage = openBucket(client, bucket);
    const target = next() < 0.5 ? bucket : second;
    const still = new Map<string, string>();
    for (let i = 0; i < 60; i += 1) {
      const name = `${"d/".repeat(Math.floor(next() * 3))}still-${i}`;
      await storage.write(`a/${name}`, Buffer.from(name));
      still.set(name, name);
    }
    const run = { ends: false };
    const writers = [0, 1, 2].map((writer) => {
      const names = Array.from({ length: 6 }, (_, i) => `w${writer}/${i}`);
      return meddle(storage, names, random(seed * 7 + writer), run);
    });
    const alias = () => ["local", "served", "named"][Math.floor(next() * 3)]!;
    for (let wave = 0; wave < 2; wave += 1) {
      const moves = Array.from({ length: 1 + Math.floor(next() * 2) }, () => {
        // Sometimes onto itself, under the same or another alias.
        const to = next() < 0.2 ? `${bucket}/a/` : `${target}/b/`;
        return move(`${alias()}/${bucket}/a/`, `${alias()}/${to}`, next);
      });
      await Promise.all(moves);
    }
    run.ends = true;
    const last = await Promise.all(writers);

    const source = await contents(storage);
    const moved = await contents(openBucket(client, target));
    const lost: string[] = [];
    for (const map of [still, ...last]) {
      for (const [name, text] of map) {
        if (text === undefined) continue;
        if (source.get(`a/${name}`) !== text && moved.get(`b/${name}`) !== text) lost.push(name);
      }
    }
    expect(lost).toEqual([]);
  },
  120_000,
);
