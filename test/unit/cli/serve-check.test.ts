/** The lines and the end of `serve check` and `serve repair`. */
import { describe, expect, it } from "vitest";

import { createOutput } from "../../../src/cli/output.js";
import { showChecked } from "../../../src/cli/serve-check.js";
import type { Checked } from "../../../src/context.js";
import { collector } from "../../support/collector.js";

const fine = { bucket: "b", key: "fine", versionId: "null", size: 1024 };
const broken = { ...fine, key: "broken", fault: "record damaged" } as const;

async function* each(checked: readonly Checked[]) {
  yield* checked;
}

/** The lines printed about these objects, and the failure at the end. */
async function shown(checked: readonly Checked[], { json = false, stop = false } = {}) {
  const [stdout, stderr] = [collector(), collector()];
  const output = createOutput({
    json,
    quiet: false,
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  const signal = stop ? AbortSignal.abort(new Error("stopped")) : new AbortController().signal;
  const failure: unknown = await showChecked(output, each(checked), signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  await output.flush();
  return { text: stdout.text(), failure };
}

describe("checked objects", () => {
  it("that are well are only counted", async () => {
    const { text, failure } = await shown([fine, fine]);
    expect(text).toMatch(/^2 objects, 2(?:\.0)? ?KiB: all as they were stored\n$/);
    expect(failure).toBeUndefined();
  });

  it("with a fault are named, with a version where there is one, and fail the command", async () => {
    const { text, failure } = await shown([fine, broken, { ...broken, versionId: "v1" }]);
    expect(text).toContain("local/b/broken: record damaged\n");
    expect(text).toContain("local/b/broken (version v1): record damaged\n");
    expect(text).not.toContain("fine");
    expect(failure).toMatchObject({ kind: "partial", message: expect.stringMatching(/^2 of 3 /) });
  });

  it("that were repaired no longer fail it; one that could not be still does", async () => {
    const removed = { ...broken, repaired: true };
    const { text, failure } = await shown([removed], { json: true });
    const records = text.trim().split("\n");
    expect(records.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: "fault", key: "broken", repaired: true },
      { type: "checked", objects: 1, bytes: 1024, faults: 1, left: 0 },
    ]);
    expect(failure).toBeUndefined();
    const both = await shown([removed, { ...broken, repaired: false }]);
    expect(both.failure).toMatchObject({ message: expect.stringMatching(/^1 of 2 /) });
  });

  it("are not read further, and not summed up, once the work is interrupted", async () => {
    const { text, failure } = await shown([broken], { stop: true });
    expect([text, failure]).toEqual(["", new Error("stopped")]);
  });
});
