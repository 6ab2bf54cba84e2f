/** A sync as a person reads it: the table of a dry run, and the counts of a real one. */
import { Writable } from "node:stream";

import { describe, expect, it } from "vitest";

import { createOutput } from "../../../src/cli/output.js";
import { showSync, sideName } from "../../../src/cli/sync-view.js";
import { AppError } from "../../../src/core/failures/errors.js";
import type { SyncReport } from "../../../src/core/sync/state.js";
import { startSummary } from "../../../src/core/sync/summary.js";
import { openBucket } from "../../../src/core/storage/s3.js";
import { clientFor } from "../../support/client.js";

const bucket = { type: "bucket", alias: "play", storage: openBucket(clientFor({}), "b") } as const;

function stream() {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(...chunk.toString().trimEnd().split("\n"));
    done();
  };
  return { lines, stream: new Writable({ write }) as unknown as NodeJS.WriteStream };
}

/** The lines on stdout and stderr of a sync that found `items`: a name, a change and a size each. */
async function shown(
  items: readonly Parameters<ReturnType<typeof startSummary>["add"]>[],
  { groups = 20, dryRun = false, json = false, ...rest }: Partial<SyncReport> & Options = {},
) {
  const [stdout, stderr] = [stream(), stream()];
  const streams = { stdout: stdout.stream, stderr: stderr.stream };
  const output = createOutput({ json, quiet: false, ...streams });
  const summary = startSummary("bucket");
  for (const item of items) summary.add(...item);
  showSync(output, { summary: summary.end(groups), ...rest } as SyncReport, dryRun);
  await output.flush();
  return { stdout: stdout.lines, stderr: stderr.lines };
}
interface Options {
  readonly groups?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

it("a side is named as a person types it", () => {
  expect(sideName({ type: "path", path: "a/b" })).toBe("a/b");
  expect(sideName({ ...bucket, key: "" })).toBe("play/b");
  expect(sideName({ ...bucket, key: "x/" })).toBe("play/b/x/");
});

describe("a dry run", () => {
  it("is a table of what changes, by prefix, without empty columns", async () => {
    const { stdout, stderr } = await shown(
      [
        ["a", "new", 1024],
        ["b/1", "same", 5],
        ["b/2", "gone", 2048],
      ],
      { dryRun: true },
    );
    expect(stdout).toEqual([
      "       new         gone        same",
      "./     1 (1.0KiB)  -           -",
      "b/     -           1 (2.0KiB)  1",
      "total  1 (1.0KiB)  1 (2.0KiB)  1",
      expect.stringMatching(/^about \d+ requests$/),
    ]);
    expect(stderr).toEqual([]);
  });

  it("says how many prefixes its last line stands for", async () => {
    const items = ["a", "b", "c"].map((name) => [`${name}/1`, "new", 0] as const);
    const { stdout } = await shown(items as never, { dryRun: true, groups: 2 });
    expect(stdout[2]).toMatch(/^\(2 more prefixes\) +2 /);
  });
});

describe("a run", () => {
  it("counts what was done, and names the place of the backups", async () => {
    const kept = { ...bucket, key: "old/" };
    const items = [
      ["a", "new", 1],
      ["b", "changed", 1],
      ["c", "gone", 1],
      ["d", "left", 1],
    ] as const;
    const { stdout, stderr } = await shown(items as never, { kept });
    expect(stdout).toEqual([]);
    expect(stderr).toEqual([
      "1 new, 1 changed, 1 removed, 0 the same, 1 left as they are",
      "what was replaced or removed is kept below play/b/old/",
    ]);
    const { stdout: record } = await shown(items as never, { kept, json: true });
    expect(JSON.parse(record[0]!)).toMatchObject({ type: "sync", kept: "play/b/old/" });
  });

  it("does not count withheld removals as done", async () => {
    const withheld = new AppError({ kind: "conflict", code: "Withheld", message: "m" });
    const { stderr } = await shown([["c", "gone", 1]], { withheld });
    expect(stderr).toEqual(["0 new, 0 changed, 0 removed, 0 the same"]);
  });
});
