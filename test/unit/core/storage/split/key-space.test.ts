import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareKeys } from "../../../../../src/core/storage/key-order.js";
import { createKeySpace, siblingsOf } from "../../../../../src/core/storage/split/key-space.js";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "z", "/", "0", "7", ".", "é", "中", "文", "\uffff", "\u{10000}"),
  maxLength: 12,
});

function spaceOf(keys: readonly string[]) {
  const space = createKeySpace();
  for (const key of keys) space.learn(key);
  return space;
}

describe("a key space", () => {
  it("keeps the order of keys, whatever it has seen", () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(text), text, (seen, keys, prefix) => {
        const space = spaceOf(seen);
        const positions = keys
          .toSorted(compareKeys)
          .map((key) => space.positionOf(prefix + key, prefix.length));
        for (const [index, position] of positions.entries()) {
          expect(position).toBeGreaterThanOrEqual((positions[index - 1] ?? 0) - 1e-9);
          expect(position).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it("makes keys below a prefix, at about the position asked for", () => {
    fc.assert(
      fc.property(
        fc.array(text),
        text,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (seen, prefix, at) => {
          const space = spaceOf(seen);
          const key = space.keyAt(at, prefix);
          expect(key.startsWith(prefix)).toBe(true);
          expect(key).not.toMatch(/\p{Surrogate}/u);
          expect(space.positionOf(key, prefix.length)).toBeLessThanOrEqual(at + 1e-6);
        },
      ),
    );
  });

  it("cuts a sequence among its numbers, although it has seen few of them", () => {
    const space = spaceOf(["part-000001.csv", "part-000530.csv"]);
    // A digit is one of ten, or the dot.
    expect(space.positionOf("part-000500.csv", "part-000".length)).toBeCloseTo(6 / 11, 1);
    expect(space.keyAt(0.5, "part-00")).toMatch(/^part-00[4-5]/);
  });

  it("knows the whole of a large script by some of its characters", () => {
    const space = spaceOf(["/一", "/亀", "/了"]);
    const [low, high] = [space.positionOf("/丁", 1), space.positionOf("/予", 1)];
    expect(low).toBeLessThan(high);
    expect(space.branches("/")).toBeGreaterThan(10);
  });

  it("guesses less after it was wrong, of such prefixes only", () => {
    const space = spaceOf(["abc", "xyz", "x1", "x2"]);
    const before = space.branches("x");
    for (let i = 0; i < 5; i++) space.correct("x", 0);
    expect(space.branches("x")).toBeLessThan(before);
    expect([space.isSure("x"), space.isSure("y")]).toEqual([false, false]);
    for (let i = 0; i < 5; i++) space.correct("y", 4);
    expect([space.isSure("x"), space.isSure("y")]).toEqual([false, true]);
  });
});

it("siblings sort behind everything with a beginning, the nearest first", () => {
  fc.assert(
    fc.property(text, text, (key, more) => {
      const siblings = siblingsOf(key, 0, key.length);
      expect(siblings.map(({ boundary }) => boundary)).toEqual(
        siblings.map(({ boundary }) => boundary).toSorted(compareKeys),
      );
      for (const { boundary, parent, depth } of siblings) {
        expect(compareKeys(boundary, key.slice(0, depth) + more)).toBeGreaterThan(0);
        expect(boundary.startsWith(key.slice(0, parent))).toBe(true);
      }
    }),
  );
});
