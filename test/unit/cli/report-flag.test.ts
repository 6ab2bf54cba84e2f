/** `--report`: complete up to the point the work reached, in a file or in a bucket. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createOutput } from "../../../src/cli/output.js";
import { withReport } from "../../../src/cli/report-flag.js";
import { type Context, createContext } from "../../../src/context.js";
import type { TransferEvent, TransferListener } from "../../../src/core/engine/events.js";
import { readReport } from "../../../src/core/report.js";
import { collector } from "../../support/collector.js";
import { type Commands, createCommands } from "../../support/command.js";

const { signal } = new AbortController();
let commands: Commands;
let context: Context;
beforeEach(async () => {
  commands = createCommands();
  context = createContext(commands.env);
  await commands.run("mb", "local/bkt");
});
afterEach(() => {
  context.close();
  commands.close();
  vi.unstubAllEnvs();
});

/** Says that an object was written, as the engine does. */
const finished = (key: string, wasNew = true): TransferEvent => {
  const target = { type: "object", alias: "local", bucket: "bkt", key } as const;
  const item = { id: 1, action: "upload", source: undefined, target, size: 1 } as const;
  return { type: "finished", item, etag: "e", wasNew };
};
/**
 * Works on one object with a report there; returns the events of the work's own listener, and the
 * remarks.
 */
async function reported(
  text: string | undefined,
  failure?: Error,
  events: readonly TransferEvent[] = [finished("a")],
) {
  const stderr = collector();
  const streams = { stdout: collector().stream, stderr: stderr.stream };
  const output = createOutput({ json: false, quiet: false, ...streams });
  const heard: string[] = [];
  const onEvent: TransferListener = ({ type }) => void heard.push(type);
  const work = withReport({ context, output, signal }, text, { command: "cp" }, async (tee) => {
    for (const event of events) tee({ onEvent }).onEvent(event, {} as never);
    if (failure !== undefined) throw failure;
  });
  const ended: unknown = await work.catch((error: unknown) => error);
  return { heard, ended, remarks: stderr.text() };
}
const keysOf = (path: string) =>
  [...readReport(path).items()].map(({ target }) => "key" in target && target.key);

describe("a report", () => {
  it("has every thing that was done, and the work's own listener hears of it too", async () => {
    const path = join(commands.directory, "done.report");
    const { heard, remarks } = await reported(path);
    expect(readReport(path).header).toMatchObject({ command: "cp" });
    expect([keysOf(path), heard]).toEqual([["a"], ["finished"]]);
    expect(remarks).toContain(`pail undo ${path}`);
  });

  it("says how much can be undone, and nothing of undoing where nothing was done", async () => {
    const path = join(commands.directory, "undo.report");
    expect((await reported(path, undefined, [])).remarks).toBe("");
    const events = [finished("a"), finished("b", false)];
    expect((await reported(`${path}2`, undefined, events)).remarks).toContain(
      `to undo it: pail undo ${path}2 (1 item only where versions are kept)`,
    );
  });

  it("is there also when the work fails, with the original failure", async () => {
    const path = join(commands.directory, "failed.report");
    const failure = new Error("later");
    expect((await reported(path, failure)).ended).toBe(failure);
    expect(keysOf(path)).toEqual(["a"]);
  });

  it("never replaces a file, and no work begins without it", async () => {
    const path = commands.file("mine.txt", "mine");
    const { heard, ended } = await reported(path);
    expect([heard, ended]).toEqual([[], expect.objectContaining({ kind: "conflict" })]);
  });

  it("for a bucket goes there at the end, and leaves nothing behind here", async () => {
    const scratch = join(commands.directory, "scratch");
    mkdirSync(scratch);
    vi.stubEnv("TMPDIR", scratch);
    await reported("local/bkt/r.report");
    expect(readdirSync(scratch)).toEqual([]);
    const path = commands.file("fetched.report", "");
    await commands.run("cp", "local/bkt/r.report", path);
    expect(keysOf(path)).toEqual(["a"]);
  });

  it("is not written unless it is asked for", async () => {
    expect(await reported(undefined)).toEqual({
      heard: ["finished"],
      ended: undefined,
      remarks: "",
    });
  });
});
