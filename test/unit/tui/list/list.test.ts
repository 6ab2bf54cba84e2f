import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";
import type { Entry } from "../../../../src/core/storage/storage.js";
import { NO_MARKS, markedIds, setMarks } from "../../../../src/tui/list/marks.js";
import {
  type EntryStore,
  alive,
  append,
  emptyStore,
  entryAt,
  entryCount,
  find,
  without,
} from "../../../../src/tui/list/store.js";
import {
  type Sort,
  type View,
  arranging,
  emptyView,
  entryIn,
  extend,
  insert,
  prune,
  rowCount,
} from "../../../../src/tui/list/view.js";

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    type: fc.constant("object" as const),
    key: fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
    size: fc.nat(3),
    lastModified: fc.option(fc.nat(3), { nil: undefined }),
    storageClass: fc.constantFrom(undefined, "STANDARD", "COLD"),
  }),
  fc.record({
    type: fc.constant("prefix" as const),
    key: fc.string({ minLength: 1, maxLength: 3 }).map((text) => `${text}/`),
  }),
);

/** Pages of one listing: each key once, in order. */
const pages = fc
  .uniqueArray(entry, { selector: ({ key }) => key, maxLength: 30 })
  .map((entries) => entries.toSorted((a, b) => compareKeys(a.key, b.key)))
  .chain((entries) =>
    fc.integer({ min: 1, max: 8 }).map((size) => {
      const lists: Entry[][] = [];
      for (let at = 0; at < entries.length; at += size) lists.push(entries.slice(at, at + size));
      return lists;
    }),
  );

const sorts: fc.Arbitrary<Sort> = fc.record({
  by: fc.constantFrom("name", "size", "modified", "class"),
  descending: fc.boolean(),
});

const fill = (lists: readonly (readonly Entry[])[]) =>
  lists.reduce<EntryStore>((store, list) => append(store, list), emptyStore(""));
const keys = (store: EntryStore, view: View) =>
  Array.from({ length: rowCount(view) }, (_, row) => entryIn(store, view, row)!.key);
const whole = (store: EntryStore, filter: string, sort: Sort): View => {
  const steps = arranging(store, filter, sort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

describe("a store of entries", () => {
  it("gives back what was put in, but for ETags", () => {
    fc.assert(
      fc.property(pages, (lists) => {
        const store = fill(lists);
        const all = lists.flat();
        expect(all.map((_, id) => entryAt(store, id))).toEqual(all);
        expect(entryCount(store)).toBe(all.length);
      }),
    );
  });

  it("finds entries by their keys, and forgets those that are taken out", () => {
    fc.assert(
      fc.property(pages, fc.func(fc.boolean()), (lists, takes) => {
        const store = fill(lists);
        const all = lists.flat();
        const gone = all.filter(({ key }) => takes(key)).map(({ key }) => key);
        const ids = find(store, new Set(gone));
        expect(ids.map((id) => entryAt(store, id).key).sort()).toEqual([...gone].sort());
        const rest = without(store, ids);
        expect(entryCount(rest)).toBe(all.length - gone.length);
        expect(find(rest, new Set(gone))).toEqual([]);
        expect(ids.every((id) => alive(store, id) && !alive(rest, id))).toBe(true);
      }),
    );
  });

  it("finds keys in a listing that is in no order", () => {
    const list: Entry[] = ["m", "a", "z", "b"].map((key) => ({ type: "object", key, size: 1 }));
    expect(find(append(emptyStore(""), list), new Set(["b", "z"]))).toEqual([2, 3]);
    // Its first key is before its last all the same.
    expect(find(append(emptyStore(""), list.slice(1)), ["z"])).toEqual([1]);
  });
});

describe("a view", () => {
  it("of pages as they come is that of the whole, however sorted and filtered", () => {
    fc.assert(
      fc.property(pages, sorts, fc.constantFrom("", "a"), (lists, sort, filter) => {
        let store = emptyStore("");
        let view = emptyView(filter, sort);
        for (const list of lists) {
          store = append(store, list);
          view = extend(store, view, false);
        }
        view = extend(store, view, true);
        expect(keys(store, view)).toEqual(keys(store, whole(store, filter, sort)));
      }),
    );
  });

  it("has prefixes first, then objects by the column", () => {
    fc.assert(
      fc.property(pages, (lists) => {
        const store = fill(lists);
        const view = whole(store, "", { by: "size", descending: true });
        const rows = Array.from({ length: rowCount(view) }, (_, row) => entryIn(store, view, row)!);
        const sizes = rows.map((row) => (row.type === "prefix" ? Infinity : row.size));
        expect(sizes).toEqual(sizes.toSorted((a, b) => (a === b ? 0 : b - a)));
      }),
    );
  });

  it("takes what is written into its place, and loses what is removed", () => {
    fc.assert(
      fc.property(pages, sorts, fc.func(fc.boolean()), (lists, sort, late) => {
        const all = lists.flat();
        let store = append(
          emptyStore(""),
          all.filter(({ key }) => !late(key)),
        );
        let view = whole(store, "", sort);
        for (const added of all.filter(({ key }) => late(key))) {
          store = append(store, [added]);
          view = insert(store, view, [store.count - 1]);
        }
        expect(keys(store, view)).toEqual(keys(store, whole(store, "", sort)));
        store = without(store, find(store, new Set(all.slice(0, 5).map(({ key }) => key))));
        expect(keys(store, prune(store, view))).toEqual(keys(store, whole(store, "", sort)));
      }),
    );
  });

  it("that is older keeps its rows while a newer one grows in the same memory", () => {
    const object = (key: string): Entry => ({ type: "object", key, size: 1 });
    const first = append(emptyStore(""), [object("a")]);
    const one = extend(first, emptyView(), false);
    const second = append(first, [object("b")]);
    const two = extend(second, one, false);
    const other = append(first, [object("c")]);
    const branch = extend(other, one, false);
    expect(keys(first, one)).toEqual(["a"]);
    expect(keys(second, two)).toEqual(["a", "b"]);
    expect(keys(other, branch)).toEqual(["a", "c"]);
  });

  it("of many entries is made in steps that are short", () => {
    const entries = Array.from({ length: 40_000 }, (_, index): Entry => {
      return { type: "object", key: `k${String(index).padStart(6, "0")}`, size: index % 97 };
    });
    const store = append(emptyStore(""), entries);
    const steps = [...arranging(store, "k", { by: "size", descending: true })];
    expect(steps.length).toBeGreaterThan(8);
  });
});

describe("marks", () => {
  it("count and add up what is marked, and drop what is gone", () => {
    const store = fill([
      ["a", "b", "c"].map((key, index) => ({ type: "object", key, size: index + 1 })),
    ]);
    const marks = setMarks(store, setMarks(store, NO_MARKS, [0, 2, 2], true), [0], false);
    expect(marks).toMatchObject({ count: 1, bytes: 3 });
    expect([...markedIds(marks)]).toEqual([2]);
    expect(setMarks(store, marks, [2], false)).toMatchObject({ count: 0, bytes: 0 });
  });
});
