/** Programs that are run for the objects found. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runWith } from "../../../src/cli/exec.js";
import { interrupted } from "../../../src/core/failures/errors.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-exec-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { signal } = new AbortController();
/** Runs a script of Node, with words that it gets. */
const script = (text: string, ...words: string[]) =>
  runWith([process.execPath, "-e", text, ...words], signal);

describe("a program that is run", () => {
  it("gets each word unchanged, since no shell reads them", async () => {
    const target = join(directory, "words");
    const write = `require("node:fs").writeFileSync(${JSON.stringify(target)}, process.argv.slice(1).join("|"))`;
    const odd = ["a b", "$HOME", "`id`", "; touch x", "*"];
    expect(await script(write, ...odd)).toBeUndefined();
    expect(readFileSync(target, "utf8")).toBe(odd.join("|"));
  });

  it("reports how it ended when it failed", async () => {
    const name = process.execPath;
    expect(await script("process.exit(3)")).toMatchObject({
      kind: "partial",
      code: "CommandFailed",
      message: `${name} ended with 3`,
    });
    expect(await script("process.kill(process.pid, 'SIGKILL')")).toMatchObject({
      message: `${name} ended with SIGKILL`,
    });
    expect(await runWith([join(directory, "none")], signal)).toMatchObject({
      message: `${join(directory, "none")} could not be started (ENOENT)`,
    });
  });

  it("is not run once the command is interrupted; the error is the interruption", async () => {
    const target = join(directory, "never");
    const reason = interrupted();
    const write = `require("node:fs").writeFileSync(${JSON.stringify(target)}, "")`;
    const run = runWith([process.execPath, "-e", write], AbortSignal.abort(reason));
    await expect(run).rejects.toBe(reason);
    expect(existsSync(target)).toBe(false);
  });
});
