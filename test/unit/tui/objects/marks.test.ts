import { describe, expect, it } from "vitest";

import type { Entry } from "../../../../src/core/storage/storage.js";
import { isMarked, markedIds } from "../../../../src/tui/list/marks.js";
import { BY_NAME } from "../../../../src/tui/list/view.js";
import { toggleMark } from "../../../../src/tui/pages/objects/choice.js";
import { addEntries, endListing, removeKeys } from "../../../../src/tui/pages/objects/listing.js";
import { type ObjectsPage, newObjects } from "../../../../src/tui/pages/objects/state.js";
import { consoleWith, object } from "../../../support/console.js";

const HEIGHT = 10;
const place = { alias: "local", bucket: "b", prefix: "" };
const objects = (...keys: string[]): Entry[] =>
  keys.map((key) => ({ type: "object", key, size: 5 }));

/** A listed page whose objects are all marked. */
function marked(...keys: string[]): ObjectsPage {
  let page = endListing(
    addEntries(newObjects(1, place, BY_NAME), objects(...keys), HEIGHT),
    HEIGHT,
  );
  for (let row = 0; row < keys.length; row += 1) page = toggleMark({ ...page, cursor: row });
  return page;
}

describe("marks", () => {
  it("go with the objects that go, and count only what is there", () => {
    const page = removeKeys(marked("a", "b", "c"), new Set(["b"]), HEIGHT);
    expect([page.marks.count, page.marks.bytes, [...markedIds(page.marks)].length]).toEqual([
      2, 10, 2,
    ]);
    const none = removeKeys(page, new Set(["a", "c"]), HEIGHT);
    expect([none.marks.count, none.marks.bytes]).toEqual([0, 0]);
  });

  it("come back with a new listing to what is listed again, and to nothing else", () => {
    const old = removeKeys(marked("a", "b", "c"), new Set(["b"]), HEIGHT);
    const page = { ...old, replacing: true, carried: old };
    const again = endListing(addEntries(page, objects("c", "d"), HEIGHT), HEIGHT);
    expect([again.marks.count, again.marks.bytes]).toEqual([1, 5]);
    expect([0, 1].map((id) => isMarked(again.marks, id))).toEqual([true, false]);
    expect(again.carried).toBeUndefined();
  });
});

describe("a range that is open", () => {
  it("is what the next command is about, with the marks there are", () => {
    const it = consoleWith(["a", "b", "c", "d", "e"].map((key) => object(key)));
    it.type("G", " ", "g", "v", "j", "j");
    expect(it.text()).toContain("4 marked");
    it.type("Y");
    expect(Array.from(it.state().clip!.targets, ({ key }) => key)).toEqual(["a", "b", "c", "e"]);
    expect(it.text()).not.toContain("marked");
    it.type("v", "k", "r");
    expect(it.text()).toContain("only one can be renamed");
    it.type("x");
    expect(it.text()).toMatch(/Delete from local\/photos\?[^]*b[^]*c[^]*2 objects/);
  });
});
