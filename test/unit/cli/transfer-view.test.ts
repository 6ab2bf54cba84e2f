/** The output of a command about a run: lines, totals, and how it ends. */
import { describe, expect, it } from "vitest";

import { createOutput } from "../../../src/cli/output.js";
import { showTransfer } from "../../../src/cli/transfer-view.js";
import { createRun, type Run } from "../../../src/core/engine/run.js";
import { AppError } from "../../../src/core/failures/errors.js";
import type { ObjectRef } from "../../../src/core/ref.js";

const ref = (key: string): ObjectRef => ({ type: "object", alias: "a", bucket: "b", key });
const denied = new AppError({ kind: "denied", code: "AccessDenied", message: "no" });

/** Shows a run in which `work` does its items; what was written, and how it ended. */
async function shown(work: (run: Run) => void, json = false) {
  let [stdout, stderr] = ["", ""];
  const stream = (take: (text: string) => void) =>
    ({
      isTTY: false,
      write: (text: string, done?: () => void) => {
        take(text);
        done?.();
        return true;
      },
    }) as unknown as NodeJS.WriteStream;
  const output = createOutput({
    json,
    quiet: false,
    stdout: stream((text) => (stdout += text)),
    stderr: stream((text) => (stderr += text)),
  });
  let error: unknown;
  await showTransfer(output, async (follow) => {
    const run = createRun(follow);
    work(run);
    return run.report();
  }).catch((thrown: unknown) => (error = thrown));
  await output.flush();
  return { stdout, stderr: stderr.replace(/ in \d.*s$/m, ""), error };
}

const copied = (run: Run, key: string) =>
  run.item({ action: "copy", source: ref(key), target: ref(`to/${key}`), size: 3 });
const removed = (run: Run, key: string) =>
  run.item({ action: "remove", source: undefined, target: ref(key), size: 1 });

describe("a run that is shown", () => {
  it("has a line for each item, and its totals at the end", async () => {
    const { stdout, stderr, error } = await shown((run) => {
      run.emit({ type: "planned", items: 3, bytes: 6 });
      run.finished(copied(run, "1"));
      run.finished({ ...copied(run, "2"), moves: true }, { lost: ["tags"] });
      run.emit({ type: "skipped", item: copied(run, "3"), reason: "exists" });
    });
    expect(stdout).toBe("a/b/1 -> a/b/to/1\na/b/2 -> a/b/to/2\n");
    expect(stderr).toMatch(/a\/b\/to\/2 did not get from its source: tags\n/);
    expect(stderr).toMatch(/skipped a\/b\/to\/3: it exists\n2 objects, .*1 skipped\n$/);
    expect(error).toBeUndefined();
  });

  it("says whether a removal set a delete marker, and whether a download was not verified", async () => {
    const { stdout, stderr } = await shown((run) => {
      run.emit({ type: "planned", items: 3, bytes: 0 });
      run.finished(removed(run, "1"), { marker: true });
      run.finished(removed(run, "2"));
      run.finished(copied(run, "3"), { unverified: true });
    });
    expect(stdout).toMatch(/^set a delete marker on a\/b\/1\nremoved a\/b\/2\n/);
    expect(stderr).toMatch(/1 object could not be verified: the service tells no checksum/);
  });

  it("counts in a dry run what would be done, and skips nothing", async () => {
    const plan = (run: Run) => {
      run.emit({ type: "planned", items: 2, bytes: 6 });
      for (const key of ["1", "2"]) {
        run.emit({ type: "skipped", item: copied(run, key), reason: "dry-run" });
      }
    };
    const said = await shown(plan);
    expect(said.stdout).toBe("would copy a/b/1 -> a/b/to/1\nwould copy a/b/2 -> a/b/to/2\n");
    expect(said.stderr).toBe("2 objects, 6B; nothing was done\n");
    const lines = (await shown(plan, true)).stdout.trim().split("\n");
    expect(JSON.parse(lines.at(-1)!)).toEqual({ type: "summary", planned: 2, bytes: 6 });
  });

  it("ends with the error of its only item, and otherwise with how many failed", async () => {
    const alone = await shown((run) => {
      run.emit({ type: "planned", items: 1, bytes: 0 });
      run.failed(removed(run, "1"), denied);
    });
    expect([alone.error, alone.stderr]).toEqual([denied, ""]);
    const several = await shown((run) => {
      run.emit({ type: "planned", items: 3, bytes: 0 });
      run.failed(removed(run, "1"), denied);
      run.finished(removed(run, "2"));
      run.failed(removed(run, "3"), denied);
    });
    expect(several.error).toMatchObject({ kind: "partial", message: "2 of 3 objects failed" });
    expect(several.stderr).toMatch(/pail: a\/b\/1: no\npail: a\/b\/3: no\n1 object, .*2 failed/);
  });

  it("is a line of JSON for each item, with the same facts", async () => {
    const { stdout } = await shown((run) => {
      run.emit({ type: "planned", items: 2, bytes: 0 });
      run.finished(removed(run, "1"), { marker: true });
      run.finished(copied(run, "2"), { etag: "e", unverified: true });
    }, true);
    const [one, two, summary] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(one).toEqual({ type: "removed", target: "a/b/1", marker: true });
    expect(two).toMatchObject({ type: "copied", etag: "e", verified: false, size: 3 });
    expect(summary).toMatchObject({ type: "summary", objects: 2, failed: 0, skipped: 0 });
  });
});
