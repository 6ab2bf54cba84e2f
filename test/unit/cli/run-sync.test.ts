/** Syncs as they are shown: a plan, withheld removals, one pass of many, and a comparison. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createOutput } from "../../../src/cli/output.js";
import { runSync, side, sides } from "../../../src/cli/run-sync.js";
import { type Context, createContext } from "../../../src/context.js";
import { readPlan } from "../../../src/core/sync/plan.js";
import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
let context: Context;
beforeAll(async () => {
  commands = createCommands();
  context = createContext(commands.env);
  for (const name of ["site", "copy"]) await commands.run("mb", `local/${name}`);
  for (const [key, text] of [
    ["site/both", "1"],
    ["site/only", "2"],
    ["copy/both", "differs"],
    ["copy/extra", "3"],
  ] as const) {
    await commands.put(key, text);
  }
});
afterAll(() => {
  context.close();
  commands.close();
});

/** A session, and the lines it writes. */
function session() {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    lines.push(...chunk.toString().trimEnd().split("\n"));
    done();
  };
  const stream = new Writable({ write }) as unknown as NodeJS.WriteStream;
  const output = createOutput({ json: false, quiet: false, stdout: stream, stderr: stream });
  return { lines, session: { context, output, signal: new AbortController().signal } };
}

describe("a comparison", () => {
  it("marks each difference, counts them, and changes nothing", async () => {
    for (let time = 0; time < 2; time += 1) {
      const { code, stdout, stderr } = await commands.run("diff", "local/site", "local/copy");
      expect([code, stdout]).toEqual([5, "! both (size)\n< only\n> extra\n"]);
      expect(stderr).toContain("3 differences, 0 the same");
    }
    const missing = join(commands.directory, "none");
    expect((await commands.run("diff", "local/site", missing)).code).toBe(3);
  });
});

describe("a plan", () => {
  it("is saved, with places that are found from anywhere, and nothing is done", async () => {
    const path = join(commands.directory, "changes");
    const words = ["--delete", "--plan", path, "local/site", "local/copy"];
    const { code, stdout } = await commands.run("sync", ...words);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^total .*1 .*1 .*1 /m)]);
    const { header, items } = readPlan(path);
    expect(header).toMatchObject({ source: "local/site", target: "local/copy" });
    expect([...items()].map(({ name }) => name)).toEqual(["both", "only", "extra"]);
    expect((await commands.run("stat", "local/copy/extra")).code).toBe(0);
  });

  it("is not written when a removal was withheld", async () => {
    await commands.run("mb", "local/empty");
    const path = join(commands.directory, "withheld");
    const words = ["--delete", "--plan", path, "local/empty", "local/copy"];
    expect((await commands.run("sync", ...words)).code).toBe(5);
    expect(existsSync(path)).toBe(false);
  });
});

describe("the reports of a sync in shards", () => {
  const split = () => join(commands.directory, "s.split");
  const sync = (number: number, ...words: string[]) =>
    commands.run("sync", "--delete", "--shard", `${number}/2`, "--split", split(), ...words);
  beforeAll(async () => {
    const ranges = [{ to: "m" }, { after: "m" }];
    const place = "local/copy";
    writeFileSync(split(), JSON.stringify({ pail: "split", version: 1, place, ranges }));
  });

  it("do not count as whole when removals were withheld", async () => {
    const words = ["--delete-limit", "0%", "--report", `${commands.directory}/withheld/`];
    const codes = [];
    for (const number of [1, 2])
      codes.push((await sync(number, ...words, "local/site", "local/copy")).code);
    expect(codes).toEqual([5, 0]);
    const merged = await commands.run("report merge", `${commands.directory}/withheld`);
    expect([merged.code, merged.stderr]).toEqual([7, expect.stringContaining("--delete-limit")]);
    expect(merged.stdout).toContain("--shard 1/2");
  });

  it("and the split file are refused where a shard would remove them as extra", async () => {
    for (const report of ["local/copy/r/", "local/copy"]) {
      const { code, stderr } = await sync(1, "--report", report, "local/site", "local/copy");
      expect([code, stderr]).toEqual([2, expect.stringMatching(/lies inside local\/copy/)]);
    }
    await commands.run("cp", split(), "local/copy/s.split");
    const words = ["--split", "local/copy/s.split", "local/site", "local/copy"];
    expect((await commands.run("sync", "--delete", "--shard", "2/2", ...words)).code).toBe(2);
    expect((await commands.run("stat", "local/copy/s.split")).code).toBe(0);
  });

  it("of a run that does nothing are refused, not left out", async () => {
    const report = join(commands.directory, "idle.report");
    for (const idle of [["--dry-run"], ["--check"], ["--plan", `${report}.plan`]]) {
      const words = [...idle, "--report", report, "local/site", "local/copy"];
      const { code, stderr } = await commands.run("sync", ...words);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--report|--check|--plan/)]);
    }
  });
});

describe("a place", () => {
  it("must hold names to compare, or have a parent directory to be made in", async () => {
    const { session: own } = session();
    await expect(side(own, "-", "source")).rejects.toMatchObject({ code: "InvalidLocation" });
    const below = join(commands.directory, "none", "x");
    await expect(side(own, below, "target")).rejects.toMatchObject({ code: "ENOENT" });
    expect(await side(own, below, "source")).toMatchObject({ path: below });
  });
});

describe("one pass of many", () => {
  it("says nothing when it changes nothing", async () => {
    await commands.run("mb", "local/watched");
    const { session: own, lines } = session();
    const choice = { compare: "auto", update: false, keepDiffering: false, remove: true } as const;
    const pass = async () => {
      const places = await sides(own, "local/site", "local/watched", {});
      await runSync(own, { ...places, choice }, { watches: true });
      await own.output.flush();
      return lines.splice(0);
    };
    expect((await pass()).at(-1)).toBe("2 new, 0 changed, 0 removed, 0 the same");
    expect(await pass()).toEqual([]);
  });
});
