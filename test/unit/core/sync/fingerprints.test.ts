import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";
import {
  type Fingerprints,
  fingerprint,
  openFingerprints,
} from "../../../../src/core/sync/fingerprints.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-fingerprints-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const open = () => openFingerprints(directory, "here", "there");
const knows = (prints: Fingerprints, name: string): boolean => {
  const [source, target] = [`s ${name}`, `t ${name}`].map((etag) => ({ name, size: 1, etag }));
  return prints.of({ name, source, target }) === print(name);
};
const print = (name: string) => fingerprint(name, `s ${name}`, `t ${name}`);

describe("fingerprints", () => {
  it("are all there the next time, in whatever order they were settled", () => {
    const names = fc.uniqueArray(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(names, fc.integer(), (unsorted, seed) => {
        const sorted = unsorted.sort(compareKeys);
        const first = open();
        const settle = sorted.map(() => first.expect());
        const order = sorted.map((_, i) => i).sort((a, b) => ((a * seed) % 7) - ((b * seed) % 7));
        for (const i of order) settle[i]!(print(sorted[i]!));
        first.keep(true);
        const second = open();
        for (const name of sorted) expect(knows(second, name)).toBe(true);
        second.drop();
      }),
      { numRuns: 30 },
    );
  });

  it("do not wait for one that is slow to come", () => {
    const first = open();
    const slow = first.expect();
    for (let i = 1; i < 10_000; i++) {
      const name = String(10_000 + i);
      first.expect()(print(name));
    }
    slow(print("000"));
    first.keep(true);
    const second = open();
    expect(knows(second, "000")).toBe(true);
    expect(knows(second, "19999")).toBe(true);
    second.drop();
  });

  it("of names that were not reached stay after an incomplete run, and go after a complete one", () => {
    for (const complete of [false, true]) {
      const first = open();
      for (const name of ["a", "b", "c"]) first.expect()(print(name));
      first.keep(true);
      const second = open();
      expect(knows(second, "a")).toBe(true);
      second.expect()(print("a"));
      second.keep(complete);
      const third = open();
      expect(knows(third, "c")).toBe(!complete);
      third.drop();
    }
  });

  it("that are damaged, cut off or cannot be written count as none", () => {
    const first = open();
    first.expect()(print("a"));
    first.keep(true);
    const [file] = readdirSync(join(directory, "sync")).filter((name) => name.endsWith(".jsonl"));
    writeFileSync(join(directory, "sync", file!), 'nonsense\n["a",1,2]\n["a","s a"');
    const second = open();
    expect(knows(second, "a")).toBe(false);
    second.drop();
    const nowhere = openFingerprints("/dev/null/x", "here", "there");
    nowhere.expect()(print("a"));
    nowhere.keep(true);
    expect(knows(nowhere, "a")).toBe(false);
  });

  it("belong to one state of both sides, and say nothing of another", () => {
    const first = open();
    first.note(print("a"));
    first.note(print("b"));
    first.keep(true);
    const second = open();
    const target = { name: "a", size: 1, etag: "t a" };
    for (const etag of ["s a ", "t a", undefined]) {
      expect(second.of({ name: "a", source: { ...target, etag }, target })).toBeUndefined();
    }
    expect(second.of({ name: "a", target })).toBeUndefined();
    expect(knows(second, "b")).toBe(true);
    second.drop();
  });

  it("leave no half-written file of a run that was killed", () => {
    open().drop();
    const dead = join(directory, "sync", "x.jsonl.999999999");
    writeFileSync(dead, "");
    open().drop();
    expect(readdirSync(join(directory, "sync"))).toEqual([]);
  });
});
