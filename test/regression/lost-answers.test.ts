/** Writes under a condition whose answer is lost, or that the service puts off or refuses late. */
import { existsSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { move } from "../../src/core/operations/move.js";
import type { Place } from "../../src/core/operations/types.js";
import type { HttpResponse } from "../../src/protocol/message.js";
import type { Side } from "../../src/core/sync/sides.js";
import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";
import { meddled, refusal, runSync } from "../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

type Fault = (pass: () => Promise<HttpResponse>) => Promise<HttpResponse>;

const FAULTS = {
  "an answer that is lost": async (pass) => {
    await pass();
    throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
  },
  "a refusal after it was done": async (pass) => {
    await pass();
    return refusal(409, "ConditionalRequestConflict");
  },
  "a conflict that passes": async () => refusal(409, "ConditionalRequestConflict"),
} satisfies Record<string, Fault>;

/** The bucket, where the first write under a condition meets the fault. */
async function faulty(fault: Fault) {
  const met: string[] = [];
  const place = await meddled(bucket, ({ method, headers, query }, pass) => {
    const ends = method === "PUT" || (method === "POST" && query.includes("uploadId"));
    if (!ends || (headers["if-none-match"] ?? headers["if-match"]) === undefined) return undefined;
    met.push(method);
    return met.length === 1 ? fault(pass) : undefined;
  });
  return { place, met };
}

const CONTENT = { small: Buffer.from("content"), "in parts": pseudoRandom(17 * 1024 * 1024) };

describe.each(Object.entries(FAULTS))("%s", (name, fault) => {
  const run: Record<string, (path: string, target: Place) => Promise<{ failures: unknown }>> = {
    cp: (path, target) => copy({ sources: [{ type: "path", path }], target, ifExists: "fail" }),
    mv: (path, target) => move({ sources: [{ type: "path", path }], target }),
    sync: async (path, target) => {
      const root = { type: "path", path: path.slice(0, path.lastIndexOf("/")) } as const;
      const { failed } = await runSync(root, { ...target, key: "" } as Side);
      return { failures: failed };
    },
  };

  it.each(["cp", "mv", "sync"])("does not fail %s", async (verb) => {
    // A service that puts off the end of an upload in parts wants all of them anew. One verb is enough
    // for what they share.
    const sizes: (keyof typeof CONTENT)[] = ["small"];
    if (name === "an answer that is lost" && verb === "cp") sizes.push("in parts");
    for (const size of sizes) {
      const { place, met } = await faulty(fault);
      const path = bucket.file(`${verb}/${size}/a`, CONTENT[size]);
      const { failures } = await run[verb]!(path, { ...place, key: "a" });
      expect(failures).toEqual([]);
      expect(met.length).toBeGreaterThan(0);
      expect((await bucket.get("a")).equals(CONTENT[size])).toBe(true);
      expect(existsSync(path)).toBe(verb !== "mv");
      await bucket.storage.remove([{ key: "a" }]);
    }
  });
});

describe("what somebody else wrote meanwhile", () => {
  it.each(["cp", "mv", "sync"])("stays, with %s, and its writer is told", async (verb) => {
    const { place, met } = await faulty(async () => {
      await bucket.put("a", "theirs");
      return refusal(409, "ConditionalRequestConflict");
    });
    const path = bucket.file("tree/a", "mine");
    const source = { type: "path", path } as const;
    const target = { ...place, key: "a" };
    const failures =
      verb === "sync"
        ? (await runSync({ type: "path", path: `${bucket.directory}/tree` }, place)).failed
        : (
            await (verb === "cp"
              ? copy({ sources: [source], target, ifExists: "fail" })
              : move({ sources: [source], target }))
          ).failures;
    expect(failures).toMatchObject(
      verb === "sync"
        ? ["Drifted a"]
        : [{ error: { code: verb === "cp" ? "TargetExists" : "Drifted" } }],
    );
    expect(met).toHaveLength(2);
    expect((await bucket.get("a")).toString()).toBe("theirs");
    expect(existsSync(path)).toBe(true);
  });

  it("is not taken for one's own where the bytes were there before", async () => {
    await bucket.put("a", "same");
    const { etag } = await bucket.storage.stat("a");
    const { place } = await faulty(async () => {
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
    });
    const writing = place.storage.write("a", Buffer.from("same"), {
      ifMatch: etag,
      metadata: { new: "yes" },
    });
    await expect(writing).rejects.toMatchObject({ kind: "unavailable" });
  });
});
