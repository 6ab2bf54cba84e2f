/** Archived objects: reading commands skip and name them; restore asks for exact names. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { copy } from "../../../../src/core/operations/copy.js";
import {
  restore,
  type RestoreRequest,
  type Thawed,
} from "../../../../src/core/operations/restore.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { filesIn, meddled, refusal, runSync } from "../../../support/sync.js";

const ODD = ["a b&c", "d?restore=1", "ü/%41+#", "dir/'q' \"x\"", "new\nline"];

let bucket: TestBucket;
let storage: BucketStorage;
/** The restores that were asked for: the body of each request by its key. */
const asked = new Map<string, string>();
const answers: Record<string, [number, string]> = {};
beforeEach(async () => {
  bucket = await startBucket();
  asked.clear();
  for (const key of [...ODD, "warm"]) {
    const storageClass = key === "warm" ? undefined : "GLACIER";
    await bucket.storage.write(key, Buffer.from(key), { storageClass });
  }
  ({ storage } = await meddled(bucket, ({ method, path, query, body }) => {
    const key = decodeURIComponent(path.slice("/bucket/".length));
    if (method === "POST" && query.startsWith("restore=")) {
      asked.set(key, Buffer.from(body as Uint8Array).toString());
      const [status, code] = answers[key] ?? [202, ""];
      if (status >= 400) return Promise.resolve(refusal(status, code));
      return Promise.resolve({ ...refusal(status, ""), bytes: Buffer.alloc(0), headers: {} });
    }
    const reads = method === "GET" && ODD.includes(key);
    return reads ? Promise.resolve(refusal(403, "InvalidObjectState")) : undefined;
  }));
});
afterEach(() => {
  bucket.close();
});

async function thaw(key: string, options: Partial<RestoreRequest> = {}): Promise<Thawed[]> {
  const signal = new AbortController().signal;
  const found: Thawed[] = [];
  const request = { days: 3, tier: "Bulk", recursive: true, signal, ...options } as const;
  for await (const page of restore(storage, key, request)) found.push(...page);
  return found;
}

it("asks for only the archived objects, whatever their names, with the days and the tier", async () => {
  const found = await thaw("");
  expect(
    found
      .filter(({ state }) => state === "asked")
      .map(({ key }) => key)
      .sort(),
  ).toEqual(ODD.toSorted());
  expect(found.find(({ key }) => key === "warm")?.state).toBe("active");
  expect([...asked.keys()].sort()).toEqual(ODD.toSorted());
  expect(asked.get("a b&c")).toMatch(/<Days>3<\/Days>.*<Tier>Bulk<\/Tier>/s);
});

it("tells objects under way, restored ones, ones that were never archived, and failures", async () => {
  answers["a b&c"] = [409, "RestoreAlreadyInProgress"];
  answers["d?restore=1"] = [200, ""];
  answers["ü/%41+#"] = [403, "InvalidObjectState"];
  answers["new\nline"] = [403, "AccessDenied"];
  const found = await thaw("", { filter: { exclude: ["dir"] } });
  for (const key of Object.keys(answers)) delete answers[key];
  const states = Object.fromEntries(
    found.map(({ key, state, error }) => [key, state ?? error!.code]),
  );
  expect(states).toEqual({
    "a b&c": "under-way",
    "d?restore=1": "there",
    "ü/%41+#": "active",
    "new\nline": "AccessDenied",
    warm: "active",
  });
  await expect(thaw("warm", { recursive: false })).resolves.toEqual([
    { key: "warm", state: "asked" },
  ]);
});

it("asks for nothing in a dry run", async () => {
  expect(await thaw("", { dryRun: true })).toHaveLength(6);
  expect(asked.size).toBe(0);
});

it("is suggested by a copy and a sync for each archived object; the rest is copied, nothing removed", async () => {
  const target = { type: "path", path: `${bucket.directory}/down` } as const;
  const sources = [{ ...bucket.at(""), storage }];
  const report = await copy({ sources, target, recursive: true });
  expect(report.failures).toHaveLength(5);
  for (const { error } of report.failures) {
    expect(error).toMatchObject({ code: "InvalidObjectState", kind: "conflict" });
    expect(error.hint).toMatch(/^pail restore /);
  }
  expect(filesIn(target.path)).toEqual({ warm: "warm" });
  bucket.file("down/extra", "x");
  const synced = await runSync({ ...bucket.at(""), storage }, target);
  expect(synced.failed).toHaveLength(5);
  expect(synced.withheld).toBeDefined();
  expect(filesIn(target.path)["extra"]).toBe("x");
});
