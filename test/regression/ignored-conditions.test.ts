/** A service that ignores If-None-Match on writes, or knows none, must not cost what came meanwhile. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import type { Side } from "../../src/core/sync/sides.js";
import type { HttpRequest } from "../../src/protocol/message.js";
import { startBucket, type TestBucket } from "../support/bucket.js";
import { meddled, refusal, runSync } from "../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

const NAMES = Array.from({ length: 24 }, (_, i) => `f${String(i).padStart(2, "0")}`);

/** The bucket as a service has it that does `unlike` with a write that must be new. */
async function unlike(act: (request: HttpRequest) => "ignores" | "refuses" | "heeds") {
  const asked: string[] = [];
  const place = await meddled(bucket, (request, pass) => {
    const { method, path, headers } = request;
    asked.push(`${method} ${path.slice("/bucket/".length)}`);
    if (method !== "PUT" || headers["if-none-match"] === undefined) return undefined;
    const how = act(request);
    if (how === "refuses") return Promise.resolve(refusal(501, "NotImplemented"));
    if (how === "heeds") return pass();
    // The signature covers the condition, so the write is made here anew.
    return bucket.storage.client.rawRequest({
      method,
      bucket: "bucket",
      key: path.slice("/bucket/".length),
      headers: Object.fromEntries(
        ["x-amz-copy-source", "content-type"].map((name) => [name, headers[name]]),
      ),
      body: request.body,
    });
  });
  return { place, asked, puts: () => asked.filter((line) => line.startsWith("PUT")) };
}

/** Puts an object where a listing saw nothing, before it is written to. */
function late(key: string) {
  let seen = 0;
  return async (event: { type: string }) => {
    if (event.type !== "finished") return;
    seen += 1;
    if (seen === 1) await bucket.put(key, "mine");
  };
}

describe("a sync to a service that ignores If-None-Match", () => {
  const sides = async (kind: "files" | "objects"): Promise<Side> => {
    if (kind === "files") {
      for (const name of NAMES) bucket.file(`tree/${name}`, name);
      return { type: "path", path: `${bucket.directory}/tree` };
    }
    for (const name of NAMES) await bucket.put(`from/${name}`, name);
    return bucket.at("from/");
  };

  it.each(["files", "objects"] as const)("keeps what came meanwhile (%s)", async (kind) => {
    const { place } = await unlike(() => "ignores");
    const from = await sides(kind);
    const source = from.type === "bucket" ? { ...from, storage: place.storage } : from;
    const meddle = late("to/f23");
    const { failed } = await runSync(
      source,
      { ...place, key: "to/" },
      { concurrency: 1, onEvent: (event) => void meddle(event) },
    );
    expect(failed).toEqual([expect.stringMatching(/^Drifted .*f23$/)]);
    expect((await bucket.get("to/f23")).toString()).toBe("mine");
    expect((await bucket.get("to/f22")).toString()).toBe("f22");
  });

  it("looks no longer once it has seen that the service heeds it", async () => {
    const { place, asked, puts } = await unlike(() => "heeds");
    const source = await sides("files");
    expect((await runSync(source, place, { concurrency: 1 })).failed).toEqual([]);
    expect(puts()).toHaveLength(NAMES.length + 1);
    const looks = asked.filter((line) => line.startsWith("HEAD")).length;
    expect(looks).toBeLessThanOrEqual(18);
    // The next run of this process knows.
    const again = await runSync(source, { ...place, key: "second/" }, { concurrency: 1 });
    expect(again.failed).toEqual([]);
    expect(puts()).toHaveLength(2 * NAMES.length + 1);
    expect(asked.filter((line) => line.startsWith("HEAD"))).toHaveLength(looks);
  });
});

describe("a service that does not implement If-None-Match", () => {
  it.each(["skip", "fail", "keep-both"] as const)(
    "still takes what is new, with %s",
    async (rule) => {
      const { place } = await unlike(() => "refuses");
      const source = { type: "path", path: bucket.file("a", "new") } as const;
      const report = await copy({
        sources: [source],
        target: { ...place, key: "a" },
        ifExists: rule,
      });
      expect(report.failures).toEqual([]);
      expect((await bucket.get("a")).toString()).toBe("new");
    },
  );

  it("is not written to where something came meanwhile", async () => {
    const { place } = await unlike(() => "refuses");
    const source = { type: "path", path: bucket.file("a", "new") } as const;
    const stat = place.storage.stat.bind(place.storage);
    let looks = 0;
    const storage = {
      ...place.storage,
      stat: async (...args: Parameters<typeof stat>) => {
        looks += 1;
        if (looks === 2) await bucket.put("a", "mine");
        return stat(...args);
      },
    };
    const target = { ...place, storage, key: "a" };
    const report = await copy({ sources: [source], target, ifExists: "fail" });
    expect(report.failures).toMatchObject([{ error: { code: "TargetExists" } }]);
    expect((await bucket.get("a")).toString()).toBe("mine");
  });
});
