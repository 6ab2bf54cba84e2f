/** `pail serve` killed with SIGKILL at random instants, and what it had acknowledged. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ObjectRecord } from "../../src/store/records.js";
import type { Backend } from "../../src/store/disk/index.js";
import { openDirectory } from "../../src/store/disk/directory.js";
import { openDisk } from "../../src/store/disk/index.js";
import { sweep } from "../../src/store/disk/sweep.js";
import { createStore } from "../../src/store/index.js";
import { clientFor } from "../support/client.js";
import { createHome, firstRecord, type Home } from "../support/run.js";

const ROUNDS = 6;

async function md5Of(disk: Backend, { key, size }: ObjectRecord): Promise<string> {
  const opened = await disk.openObject("bucket", key);
  const hash = createHash("md5");
  for await (const chunk of opened.read(0, size - 1)) hash.update(chunk);
  return hash.digest("hex");
}

/** Starts `pail serve` and resolves with its endpoint. */
async function serve(home: Home): Promise<{ endpoint: string; kill: () => Promise<void> }> {
  const child = home.start(["serve", "--address", "127.0.0.1:0", "--json"]);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { endpoint } = await firstRecord<{ endpoint: string }>(child);
  const kill = (): Promise<void> => {
    child.kill("SIGKILL");
    return ended;
  };
  return { endpoint, kill };
}

describe("a server killed at a random instant", () => {
  it("has kept every object and every removal it acknowledged, and no half-written object", async () => {
    const home = createHome();
    try {
      const store = join(home.directory, "store");
      const credentials = await createStore({ directory: store }).keys.first();
      const disk = openDisk(store);
      await disk.createBucket("bucket", "us-east-1");
      /** The ETag that each key must have; null for one that is gone. */
      const acknowledged = new Map<string, string | null>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { endpoint, kill } = await serve(home);
        const client = clientFor({ endpoint, credentials });
        const last = acknowledged.size + 5 + Math.floor(Math.random() * 60);
        let killed: Promise<void> | undefined;
        // Only the server's death may end this; everything before it was acknowledged.
        const send = (method: string, key: string, body?: Buffer) =>
          client.request({ method, bucket: "bucket", key, body }).catch((error: unknown) => {
            if (killed === undefined) throw error;
          });
        const writer = async (name: number): Promise<void> => {
          for (let count = 0; killed === undefined; count += 1) {
            const key = `${round}/${name}/${count}`;
            const body = Buffer.alloc(count % 3 === 0 ? 300_000 : 1_000, `${key} `);
            const answer = await send("PUT", key, body);
            if (answer?.status === 200) {
              acknowledged.set(key, createHash("md5").update(body).digest("hex"));
            }
            if (acknowledged.size >= last) killed ??= kill();
            // Writers at the same time share their syncs; a request that was cut off may have
            // happened.
            const gone = `${round}/${name}/${count - 3}`;
            if (count % 2 === 0 && acknowledged.delete(gone)) {
              if ((await send("DELETE", gone))?.status === 204) acknowledged.set(gone, null);
            }
          }
        };
        await Promise.all([0, 1, 2, 3].map(writer));
        await killed;
        const found = new Map<string, string>();
        let after: { key: string } | undefined;
        do {
          const page = await disk.listObjects("bucket", {
            prefix: "",
            delimiter: "",
            limit: 1000,
            after,
          });
          for (const record of page.entries) {
            expect(await md5Of(disk, record)).toBe(record.etag);
            found.set(record.key, record.etag);
          }
          after = page.next;
        } while (after !== undefined);
        for (const [key, etag] of acknowledged) expect(found.get(key) ?? null).toBe(etag);
      }
      await sweep(await openDirectory(store));
      const left = await Promise.all(
        ["tmp", "intents", "held"].map((place) => readdir(join(store, place))),
      );
      expect(left).toEqual([[], [], []]);
    } finally {
      home.remove();
    }
  });
});
