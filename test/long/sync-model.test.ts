/** Random trees: after a sync the target equals the source, by an independent reading. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { undoReport, undoTo } from "../../src/core/operations/undo.js";
import { readReport, writeReport } from "../../src/core/report.js";
import { bucketService } from "../../src/core/storage/buckets.js";
import type { Side } from "../../src/core/sync/sides.js";
import { startBucket, type TestBucket } from "../support/bucket.js";
import { filesIn, objectsIn, runSync } from "../support/sync.js";

let bucket: TestBucket;
let count = 0;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => {
  bucket.close();
});

type Tree = Readonly<Record<string, string>>;

const segment = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "A",
    "a.b",
    "a-b",
    "a b",
    "*",
    "[x]",
    "é",
    "e\u0301",
    "\u{1F600}",
    "\uFFFC",
    "%2F",
    "..a",
    "~",
  ),
  fc.string({
    unit: fc.constantFrom("a", "b", ".", "-", "\n", "?", "&", "+"),
    minLength: 1,
    maxLength: 4,
  }),
);
const name = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"))
  .filter((text) => text.split("/").every((part) => part !== "." && part !== ".."));
// Few contents of few sizes: other tools go wrong where sizes are equal and contents are not.
const content = fc.constantFrom("", "1", "2", "22", "12");
const tree = fc.array(fc.tuple(name, content), { maxLength: 12 }).map((entries): Tree => {
  const files: Record<string, string> = {};
  for (const [key, value] of entries) {
    const clash = Object.keys(files).some(
      (other) => other.startsWith(`${key}/`) || key.startsWith(`${other}/`),
    );
    if (!clash) files[key] = value;
  }
  return files;
});

function plant(files: Tree): Extract<Side, { type: "path" }> {
  const path = join(bucket.directory, String((count += 1)));
  mkdirSync(path);
  for (const [key, value] of Object.entries(files)) {
    mkdirSync(dirname(join(path, key)), { recursive: true });
    writeFileSync(join(path, key), value);
    utimesSync(join(path, key), 1_600_000_000, 1_600_000_000);
  }
  return { type: "path", path };
}

async function fill(
  files: Tree,
  storage = bucket.storage,
): Promise<Extract<Side, { type: "bucket" }>> {
  const key = `${(count += 1)}/`;
  for (const [name, value] of Object.entries(files)) {
    await storage.write(key + name, Buffer.from(value));
  }
  return { type: "bucket", alias: "local", storage, key };
}

const ALL = { allowEmptySource: true, deleteLimit: { percent: 100 } };
const RUNS = { numRuns: 12 };

async function reading(side: Side): Promise<Tree> {
  return side.type === "path" ? filesIn(side.path) : objectsIn(side.storage, side.key);
}

const PAIRS: readonly [string, (a: Tree, b: Tree) => Promise<readonly [Side, Side]>][] = [
  ["up", async (a, b) => [plant(a), await fill(b)]],
  ["down", async (a, b) => [await fill(a), plant(b)]],
  ["across", async (a, b) => [await fill(a), await fill(b)]],
];

describe.each(PAIRS)("a sync %s of random trees", (_, make) => {
  it("makes the target equal, and a second run does nothing", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.boolean(), async (a, b, remembers) => {
        const [source, target] = await make(a, b);
        const options = { ...ALL, ...(remembers && { stateDir: bucket.stateDir }) };
        const first = await runSync(source, target, options);
        // A file here and a directory there cannot be helped; everything else is equal.
        if (first.failed.length > 0) {
          expect(first.failed.filter((text) => !text.startsWith("KeyCollision"))).toEqual([]);
          return;
        }
        expect(await reading(target)).toEqual(await reading(source));
        expect(await reading(source)).toEqual(a);
        const second = await runSync(source, target, options);
        expect(second.plan).toEqual([]);
        expect(second.snapshot.items.total).toBe(0);
      }),
      RUNS,
    );
  });

  it("by a plan is what the run would have done", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (a, b) => {
        const [source, target] = await make(a, b);
        const { items } = await runSync(source, target, { ...ALL, dryRun: true });
        expect(await reading(target)).toEqual(b);
        const { failed } = await runSync(source, target, { plan: () => items });
        if (failed.length > 0) {
          expect(failed.filter((text) => !text.startsWith("KeyCollision"))).toEqual([]);
          return;
        }
        expect(await reading(target)).toEqual(a);
      }),
      RUNS,
    );
  });
});

describe("undoing a sync of random trees", () => {
  const open = () => Promise.resolve(bucket.storage);

  async function reported(source: Side, target: Side, options = {}) {
    const path = join(bucket.directory, `report-${(count += 1)}`);
    const root =
      target.type === "path"
        ? ({ type: "file", path: target.path } as const)
        : ({ type: "object", alias: "local", bucket: "bucket", key: target.key } as const);
    const at = new Date();
    const kept = options as { backup?: Side };
    const stamp = at.toISOString().replaceAll(/[-:.]/g, "");
    const report = writeReport(path, {
      pail: "report",
      version: 1,
      command: "sync",
      made: at.toISOString(),
      target: root,
      kept:
        kept.backup?.type === "bucket"
          ? { type: "object", alias: "local", bucket: "bucket", key: `${kept.backup.key}${stamp}/` }
          : undefined,
    });
    await runSync(source, target, { ...ALL, ...options, at, onEvent: report.onEvent });
    report.end();
    const { header, items } = readReport(path);
    return () => undoReport({ open }, header, items());
  }

  it("puts an unversioned bucket back from the backup", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (a, b) => {
        const [source, target] = [plant(a), await fill(b)];
        const undo = await reported(source, target, { backup: await fill({}) });
        const { failures } = await undo();
        expect(failures.map(({ error }) => error.message)).toEqual([]);
        expect(await reading(target)).toEqual(b);
      }),
      RUNS,
    );
  });

  it("puts a versioned bucket back, by report and by time, and destroys no version", async () => {
    const versioned = await bucket.sibling("versioned");
    await bucketService(versioned.client).setVersioning("versioned", "Enabled");
    const versions = async (key: string) => {
      const all: string[] = [];
      for await (const page of versioned.list({ prefix: key, versions: true })) {
        for (const entry of page) {
          if (entry.type === "object" && entry.isDeleteMarker !== true) all.push(entry.versionId!);
        }
      }
      return all;
    };
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.boolean(), async (a, b, byTime) => {
        const [source, target] = [plant(a), await fill(b, versioned)];
        await nextSecond(byTime);
        const moment = Date.now() - 1;
        await nextSecond(byTime);
        const path = join(bucket.directory, `report-${(count += 1)}`);
        const report = writeReport(path, { pail: "report", version: 1, command: "sync", made: "" });
        await runSync(source, target, { ...ALL, onEvent: report.onEvent });
        report.end();
        const before = await versions(target.key);
        const request = { open: () => Promise.resolve(versioned) };
        const { header, items } = readReport(path);
        const { failures } = byTime
          ? await undoTo(request, target, moment)
          : await undoReport(request, header, items());
        expect(failures.map(({ error }) => error.message)).toEqual([]);
        expect(await reading(target)).toEqual(b);
        expect(await versions(target.key)).toEqual(expect.arrayContaining(before));
      }),
      { numRuns: 6 },
    );
  });

  it("leaves what somebody else has written since, and names it", async () => {
    const source = plant({ a: "1", b: "1" });
    const target = await fill({ a: "2", b: "2" });
    const undo = await reported(source, target, { backup: await fill({}) });
    await bucket.storage.write(`${target.key}a`, Buffer.from("theirs"));
    const { failures } = await undo();
    expect(failures.map(({ error }) => error.code)).toEqual(["Drifted"]);
    expect(await reading(target)).toEqual({ a: "theirs", b: "2" });
  });

  it("says what cannot be put back, and touches nothing for it", async () => {
    const target = await fill({ a: "2", gone: "2" });
    const undo = await reported(plant({ a: "1" }), target);
    const { failures } = await undo();
    expect(failures.map(({ error }) => error.code).sort()).toEqual(["CannotUndo", "CannotUndo"]);
    expect(await reading(target)).toEqual({ a: "1" });
  });

  it("of a download removes what was new, unless it was changed", async () => {
    const target = plant({});
    const undo = await reported(await fill({ "d/a": "1", b: "2" }), target);
    writeFileSync(join(target.path, "b"), "mine");
    const { failures } = await undo();
    expect(failures.map(({ error }) => error.code)).toEqual(["Drifted"]);
    expect(filesIn(target.path)).toEqual({ b: "mine" });
    expect(existsSync(join(target.path, "d"))).toBe(false);
  });
});

/** Versions are dated to the second. */
async function nextSecond(needed: boolean): Promise<void> {
  if (!needed) return;
  const start = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === start) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}
