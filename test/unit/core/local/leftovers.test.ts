import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ownerMark, removeLeftovers } from "../../../../src/core/local/leftovers.js";
import { temporaryName } from "../../../../src/core/local/target.js";

const TAIL = "0123456789abcdef01-1.partial";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-leftovers-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

/** Makes files of these names, sweeps, and tells which of them are still there. */
function kept(...names: string[]): string[] {
  for (const name of names) writeFileSync(join(directory, name), "x");
  removeLeftovers(directory);
  return names.filter((name) => readdirSync(directory).includes(name));
}

describe.skipIf(process.platform !== "linux")("leftovers of downloads", () => {
  const [place = "", pid = "", start = ""] = ownerMark().split("-");
  const dead = spawnSync(process.execPath, ["-e", "0"]).pid;

  it("are removed when their process is gone", () => {
    expect(kept(`.pail-${place}-${dead}-${start}-${TAIL}`)).toEqual([]);
  });

  it("are removed when another process has the same number now", () => {
    expect(kept(`.pail-${place}-${pid}-${Number(start) + 1}-${TAIL}`)).toEqual([]);
  });

  it("stay while their process runs", () => {
    const mine = temporaryName(join(directory, "file")).slice(directory.length + 1);
    expect(mine.startsWith(`.pail-${ownerMark()}`)).toBe(true);
    expect(kept(mine)).toEqual([mine]);
  });

  it("stay when they are from another machine, boot or container", () => {
    const name = `.pail-${"0".repeat(16)}-${dead}-${start}-${TAIL}`;
    expect(kept(name)).toEqual([name]);
  });

  it("stay when a later run can go on with them", () => {
    const name = temporaryName(join(directory, "file"), true).slice(directory.length + 1);
    expect(name).not.toContain(place);
    expect(kept(name)).toEqual([name]);
  });

  it("are files: nothing else with such a name is touched, and no file with a similar name", () => {
    const name = `.pail-${place}-${dead}-${start}-${TAIL}`;
    mkdirSync(join(directory, name));
    const link = `.pail-${place}-${dead}-${start}-ab-2.partial`;
    symlinkSync("elsewhere", join(directory, link));
    const like = [`${name}.txt`, `x${name}`, name.replace(".partial", ".part")];
    expect(kept(...like)).toEqual(like);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining([name, link]));
  });

  it("do not prevent a download into a directory that cannot be read", () => {
    expect(() => removeLeftovers(join(directory, "missing"))).not.toThrow();
  });
});
