/** Questions to a person: over streams in place of a terminal. */
import { PassThrough } from "node:stream";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import * as lists from "../../../src/cli/lists.js";
import { ask, canAsk, confirm, readSecret } from "../../../src/cli/prompt.js";
import { collector } from "../../support/collector.js";

let stdin = new PassThrough();
let stderr = collector();
beforeEach(() => {
  [stdin, stderr] = [new PassThrough(), collector()];
  vi.spyOn(process, "stdin", "get").mockImplementation(() => stdin as never);
  vi.spyOn(process, "stderr", "get").mockImplementation(() => stderr.stream as never);
});
afterEach(() => vi.restoreAllMocks());

/** The answer once this was typed. */
const typed = async <T>(keys: string, asked: Promise<T>) => {
  stdin.write(keys);
  return await asked;
};

describe("a question", () => {
  it("is asked only in a terminal, and not while a list of exact names is worked off", () => {
    const exact = vi.spyOn(lists, "namesAreExact").mockReturnValue(false);
    expect(canAsk()).toBeFalsy();
    Object.assign(stdin, { isTTY: true });
    expect(canAsk()).toBeFalsy();
    Object.assign(stderr.stream, { isTTY: true });
    expect(canAsk()).toBe(true);
    exact.mockReturnValue(true);
    expect(canAsk()).toBe(false);
  });

  it("is answered by one line, which stderr echoes unless it is hidden", async () => {
    expect(await typed("  blue \r", ask("Colour? "))).toBe("blue");
    expect(stderr.text()).toMatch(/Colour\? .*blue/s);
    stderr = collector();
    expect(await typed("s3cret\r", ask("Key? ", { hidden: true }))).toBe("s3cret");
    expect(stderr.text()).toBe("Key? \n");
  });

  it("is confirmed by y or yes alone", async () => {
    for (const yes of ["y", "Y", "yes", " YES "]) {
      expect(await typed(`${yes}\r`, confirm("Sure?"))).toBe(true);
    }
    for (const no of ["", "n", "yeah", "no y"]) {
      expect(await typed(`${no}\r`, confirm("Sure?"))).toBe(false);
    }
  });

  it("ends as interrupted by Ctrl-C, Ctrl-D, the end of input or a signal", async () => {
    const interrupted = { kind: "interrupted" };
    for (const key of ["\u0003", "\u0004"]) {
      await expect(typed(key, ask("?"))).rejects.toMatchObject(interrupted);
    }
    const controller = new AbortController();
    const asked = ask("?", { signal: controller.signal });
    controller.abort();
    await expect(asked).rejects.toMatchObject(interrupted);
    const last = ask("?");
    stdin.end();
    await expect(last).rejects.toMatchObject(interrupted);
  });
});

describe("a value on stdin", () => {
  it("is everything but the last line end, and has a limit", async () => {
    stdin.end("two\nlines\r\n");
    expect(await readSecret()).toBe("two\nlines");
    stdin = new PassThrough();
    // Nothing ends this one.
    stdin.write("x".repeat(70_000));
    expect(await readSecret()).toHaveLength(70_000);
  });
});
