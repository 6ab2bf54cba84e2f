/** Patterns for commands that take objects away. */
import { PassThrough } from "node:stream";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { openRemote } from "../../../src/cli/address.js";
import * as lists from "../../../src/cli/lists.js";
import { remote } from "../../../src/cli/locations.js";
import { confirmMatches, takingOf } from "../../../src/cli/taking.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { collector } from "../../support/collector.js";
import { createHome, type Home } from "../../support/run.js";

const { signal } = new AbortController();
let home: Home;
let context: Context;
beforeAll(async () => {
  home = createHome();
  context = createContext(home.env);
  await bucketService(await context.client("local")).make("bkt");
  const storage = await context.bucket("local", "bkt");
  const many = Array.from({ length: 12 }, (_, number) => `many/${number}.log`);
  for (const key of ["a\u001B[2J.txt", "b.txt", "dir/c.txt", ...many]) {
    await storage.write(key, Buffer.from("x"));
  }
});
afterAll(() => {
  context.close();
  home.remove();
});

let stdin = new PassThrough();
let stderr = collector();
beforeEach(() => {
  [stdin, stderr] = [new PassThrough(), collector()];
  Object.assign(stdin, { isTTY: true });
  Object.assign(stderr.stream, { isTTY: true });
  vi.spyOn(process, "stdin", "get").mockImplementation(() => stdin as never);
  vi.spyOn(process, "stderr", "get").mockImplementation(() => stderr.stream as never);
  vi.spyOn(lists, "namesAreExact").mockReturnValue(false);
});
afterEach(() => vi.restoreAllMocks());

/** Asks about the matches of a pattern, and answers. */
const answered = async (answer: string, glob: string, recursive = false) => {
  const target = await remote(context, `local/bkt/${glob}`, "key");
  const place = await openRemote(context, target, { reading: "either", signal });
  const asked = confirmMatches({ signal }, place, recursive);
  stdin.write(`${answer}\r`);
  return await asked;
};

describe("a name that may be a pattern", () => {
  it("is one only with --glob, or where a person sees its matches", () => {
    expect(takingOf({})).toBe("either");
    expect(takingOf({ force: true })).toBe("exact");
    expect(takingOf({ force: true, pattern: true })).toBe("pattern");
    expect(takingOf({ literal: true })).toBe("exact");
    Object.assign(stdin, { isTTY: false });
    expect(takingOf({})).toBe("exact");
    expect(takingOf({ pattern: true })).toBe("pattern");
  });
});

describe("the matches of a pattern", () => {
  it("are shown, with a stranger's text made harmless, and taken after a yes", async () => {
    await answered("y", "*.txt");
    const shown = stderr.text().split("There is no")[0]!;
    expect(shown).toMatch(/^ {2}a.*\.txt\n {2}b\.txt\n/);
    expect(shown).not.toContain("\u001B[2J");
    expect(stderr.text()).toContain("There is no local/bkt/*.txt");
    expect(stderr.text()).toContain("matches 2 objects");
  });

  it("are not taken after any other answer", async () => {
    for (const answer of ["", "n"]) {
      await expect(answered(answer, "*.txt")).rejects.toMatchObject({ code: "NotConfirmed" });
    }
  });

  it("are all counted and partly shown, and objects below them only with -r", async () => {
    await answered("y", "many/*");
    expect(stderr.text().match(/^ {2}many/gm)).toHaveLength(10);
    expect(stderr.text()).toContain("  …\n");
    expect(stderr.text()).toContain("12 objects");
    await expect(answered("y", "di?")).rejects.toMatchObject({ kind: "not-found" });
    await answered("y", "di?", true);
    expect(stderr.text()).toContain("  dir/c.txt\n");
  });
});
