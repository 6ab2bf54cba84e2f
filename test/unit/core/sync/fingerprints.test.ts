import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";
import { openFingerprints } from "../../../../src/core/sync/fingerprints.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-fingerprints-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const open = () => openFingerprints(directory, "here", "there");
const print = (name: string) => ({ source: `s ${name}`, target: `t ${name}` });

describe("fingerprints", () => {
  it("are all there the next time, in whatever order they were settled", () => {
    const names = fc.uniqueArray(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(names, fc.integer(), (unsorted, seed) => {
        const sorted = unsorted.sort(compareKeys);
        const first = open();
        const settle = sorted.map((name) => first.expect(name));
        const order = sorted.map((_, i) => i).sort((a, b) => ((a * seed) % 7) - ((b * seed) % 7));
        for (const i of order) settle[i]!(print(sorted[i]!));
        first.keep(true);
        const second = open();
        for (const name of sorted) expect(second.of(name)).toEqual(print(name));
        second.drop();
      }),
      { numRuns: 30 },
    );
  });

  it("do not wait for one that takes long", () => {
    const first = open();
    const slow = first.expect("000");
    for (let i = 1; i < 10_000; i++) {
      const name = String(10_000 + i);
      first.expect(name)(print(name));
    }
    slow(print("000"));
    first.keep(true);
    const second = open();
    expect(second.of("000")).toEqual(print("000"));
    expect(second.of("19999")).toEqual(print("19999"));
    second.drop();
  });

  it("of what was not reached stay when the run was not complete, and go when it was", () => {
    for (const complete of [false, true]) {
      const first = open();
      for (const name of ["a", "b", "c"]) first.expect(name)(print(name));
      first.keep(true);
      const second = open();
      expect(second.of("a")).toEqual(print("a"));
      second.expect("a")(print("a"));
      second.keep(complete);
      const third = open();
      expect(third.of("c")).toEqual(complete ? undefined : print("c"));
      third.drop();
    }
  });

  it("that are damaged, cut off or cannot be written are as if there were none", () => {
    const first = open();
    first.expect("a")(print("a"));
    first.keep(true);
    const [file] = readdirSync(join(directory, "sync")).filter((name) => name.endsWith(".jsonl"));
    writeFileSync(join(directory, "sync", file!), 'nonsense\n["a",1,2]\n["a","s a"');
    const second = open();
    expect(second.of("a")).toBeUndefined();
    second.drop();
    const nowhere = openFingerprints("/dev/null/x", "here", "there");
    nowhere.expect("a")(print("a"));
    nowhere.keep(true);
    expect(nowhere.of("a")).toBeUndefined();
  });

  it("leave no half-written file of a run that was killed", () => {
    open().drop();
    const dead = join(directory, "sync", "x.jsonl.999999999");
    writeFileSync(dead, "");
    open().drop();
    expect(readdirSync(join(directory, "sync"))).toEqual([]);
  });
});
