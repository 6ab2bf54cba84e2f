/** `pail serve` killed while commands upload to it, and started again where it was. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { toAppError } from "../../src/core/failures/map.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { readAll } from "../../src/protocol/message.js";
import { pseudoRandom } from "../support/bucket.js";
import { clientFor } from "../support/client.js";
import { createHome } from "../support/run.js";
import { startServe } from "../support/serve.js";

const ROUNDS = 4;
/** Objects written by one request, in one file or within another, and objects in parts. */
const SIZES = { tiny: 1_000, small: 300_000, large: 17 * MIB + 3 };

describe("a server killed while objects are overwritten, and started again", () => {
  it("has each of them complete, old or new, and new after the same command again", async () => {
    const home = createHome();
    try {
      let serve = await startServe(home);
      const { endpoint, accessKeyId, secretAccessKey } = serve;
      const address = new URL(endpoint).host;
      const env = {
        PAIL_HOST_served: endpoint.replace("//", `//${accessKeyId}:${secretAccessKey}@`),
      };
      expect(await home.pail(["mb", "served/bucket"], { env })).toMatchObject({ code: 0 });
      const client = clientFor({ endpoint, credentials: serve });
      const storage = openBucket(client, "bucket");
      const present = new Map<string, Buffer>();
      let interrupted = 0;
      for (let round = 1; round <= ROUNDS; round += 1) {
        let running = 0;
        const uploads = Object.entries(SIZES).map(async ([name, size], index) => {
          const bytes = pseudoRandom(size, round * 10 + index);
          writeFileSync(join(home.directory, name), bytes);
          // Every second time nothing is repeated, so that the old objects stay.
          const retries = round % 2 === 0 ? "0" : "10";
          const tuning = ["--retries", retries, "--part-size", "5MiB", "--limit-upload", "12MiB"];
          const command = ["cp", ...tuning, name, "served/bucket"];
          running += 1;
          const { code } = await home.pail(command, { env });
          running -= 1;
          return { name, bytes, code, command };
        });
        // Long enough for all to have begun, and for some to have ended.
        await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 900));
        interrupted += running;
        expect(await serve.stop("SIGKILL")).toBeNull();
        serve = await startServe(home, [], address);
        const ended = await Promise.all(uploads);
        for (const { name, bytes, code, command } of ended) {
          const now = await storage.read(name).then(
            ({ body }) => readAll(body, 2 * bytes.length),
            (error: unknown) => {
              if (toAppError(error).code !== "NoSuchKey") throw error;
            },
          );
          const isNew = now?.equals(bytes) === true;
          const old = present.get(name);
          const isOld = old === undefined ? now === undefined : now?.equals(old) === true;
          expect([name, round, code === 0 ? isNew : isNew || isOld]).toEqual([name, round, true]);
          if (code !== 0) expect(await home.pail(command, { env })).toMatchObject({ code: 0 });
          const { body } = await storage.read(name);
          expect((await readAll(body, 2 * bytes.length)).equals(bytes)).toBe(true);
          present.set(name, bytes);
        }
      }
      client.close();
      expect(await serve.stop()).toBe(0);
      expect(interrupted).toBeGreaterThan(0);
    } finally {
      home.remove();
    }
  });
});
