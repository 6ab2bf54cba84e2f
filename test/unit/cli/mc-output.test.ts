/** Records as mc's scripts read them, made from the records of pail's own commands. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { mcOutput, WHOLE } from "../../../src/cli/mc-output.js";
import { createOutput, type Output } from "../../../src/cli/output.js";
import { AppError } from "../../../src/core/failures/errors.js";
import { collector } from "../../support/collector.js";

let [stdout, stderr] = [collector(), collector()];
beforeEach(() => {
  [stdout, stderr] = [collector(), collector()];
  vi.spyOn(process, "stdout", "get").mockReturnValue(stdout.stream as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(stderr.stream as never);
});
afterEach(() => vi.restoreAllMocks());

const missing = vi.fn();
const opened = (base: string, json = true) => {
  missing.mockClear();
  const streams = { stdout: stdout.stream, stderr: stderr.stream };
  return mcOutput(createOutput({ json, quiet: false, ...streams }), base, missing);
};
/** The records made from what `work` prints. */
const records = async (base: string, work: (output: Output) => void | Promise<void>) => {
  const output = opened(base);
  await work(output);
  await output.flush();
  const lines = stdout.text().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe("records for mc's scripts", () => {
  it("name the finds of a listing below its base, and those of find by their whole location", async () => {
    const object = {
      type: "object",
      key: "dir/a",
      location: "local/b/dir/a",
      metadata: { "first-name": "x" },
    };
    const below = await records("dir/", (output) =>
      output.page([object, { type: "prefix", key: "dir/deep/" }], String, (item) => item),
    );
    expect(below).toMatchObject([
      { status: "success", type: "file", key: "a", metadata: { "X-Amz-Meta-First-Name": "x" } },
      { status: "success", type: "folder", key: "deep/" },
    ]);
    const whole = await records(WHOLE, (output) => output.result(object));
    expect(whole.at(-1)).toMatchObject({ type: "file", key: "local/b/dir/a" });
  });

  it("have mc's members for buckets, links, sums and removals, and no totals of a copy", async () => {
    const found = await records("", (output) => {
      output.result({ type: "bucket", name: "b", created: "2024" });
      output.result({ type: "bucket-made", location: "local/b" });
      output.result({ type: "presigned", location: "local/b/k", url: "http://x" });
      output.result({ type: "usage", location: "local/b", bytes: 3, objects: 2 });
      output.result({ type: "removed", target: "local/b/k" });
      output.result({ type: "summary", items: 1 });
    });
    expect(found).toEqual([
      { status: "success", type: "folder", key: "b/", lastModified: "2024" },
      { status: "success", bucket: "local/b", region: "" },
      { status: "success", url: "local/b/k", share: "http://x" },
      { status: "success", prefix: "local/b", size: 3, objects: 2 },
      { status: "success", key: "local/b/k" },
    ]);
  });

  it("report a failure as mc does, of a command or of one item", async () => {
    const error = new AppError({ kind: "denied", code: "AccessDenied", message: "no" });
    const found = await records("", (output) => {
      output.error(error);
      output.itemError({ target: "local/b/k" }, error);
    });
    const cause = { message: "no", error: { Code: "AccessDenied", Message: "no" } };
    const one = { status: "error", error: { message: "no", cause, type: "fatal" } };
    expect(found).toEqual([one, one]);
  });

  it("report missing objects, for which mc fails and pail does not", async () => {
    await records("", (output) => output.result({ type: "skipped", reason: "exists" }));
    expect(missing).not.toHaveBeenCalled();
    await records("", (output) => output.result({ type: "skipped", reason: "missing" }));
    expect(missing).toHaveBeenCalledOnce();
    opened("", false).note("there is no local/b/k");
    expect(missing).toHaveBeenCalledOnce();
  });

  it("are pail's own lines without --json", async () => {
    const output = opened("", false);
    output.result({ type: "bucket-made", location: "local/b" }, "made local/b");
    await output.flush();
    expect(stdout.text()).toBe("made local/b\n");
  });
});
