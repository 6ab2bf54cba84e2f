import { describe, expect, it } from "vitest";

import {
  joinKey,
  keptPrefix,
  ownName,
  recursiveScope,
} from "../../../../src/core/operations/names.js";

describe("names at the target", () => {
  it.each([
    ["photos", "photos/"],
    ["a/b/photos", "photos/"],
    ["photos/", ""],
    [".", ""],
    ["./", ""],
    ["..", ""],
    ["/", ""],
    ["", ""],
  ])("a recursive copy of %j keeps %j in front", (source, kept) => {
    expect(keptPrefix(source)).toBe(kept);
  });

  it.each([
    ["1.txt", "1.txt"],
    ["a/b/1.txt", "1.txt"],
    ["a/dir/", "dir/"],
    ["a/ b", " b"],
  ])("the key %j keeps its own name %j", (key, name) => {
    expect(ownName(key)).toBe(name);
  });

  it("joins with one slash, and adds none to an empty prefix or one that ends with it", () => {
    expect(joinKey("", "a")).toBe("a");
    expect(joinKey("p", "a")).toBe("p/a");
    expect(joinKey("p/", "a")).toBe("p/a");
    expect(joinKey("p//", "a")).toBe("p//a");
  });
});

describe("what a recursive operation takes", () => {
  it("takes the key and what is below it, never a neighbor that begins alike", () => {
    expect(recursiveScope("foo")).toEqual({ exact: "foo", below: "foo/" });
  });

  it("takes only what is below a prefix, and everything below nothing", () => {
    expect(recursiveScope("foo/")).toEqual({ exact: undefined, below: "foo/" });
    expect(recursiveScope("")).toEqual({ exact: undefined, below: "" });
  });
});
