/** The names that a filter finds, where in them it does, and their order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fitness, passing, runs } from "../../../../src/tui/list/match.js";
import { append, emptyStore, nameAt } from "../../../../src/tui/list/store.js";
import {
  BY_NAME,
  RANKED,
  type View,
  arranging,
  extend,
  idAt,
  insert,
  isBehind,
  rowCount,
} from "../../../../src/tui/list/view.js";
import { consoleWith, object } from "../../../support/console.js";

const found = (filter: string, ...names: string[]) => names.filter(passing(filter));
const marked = (filter: string, text: string) =>
  runs(filter, text).map(([from, to]) => text.slice(from, to));
const storeOf = (names: readonly string[]) =>
  append(
    emptyStore(""),
    names.map((key) => ({ type: "object", key, size: 1 })),
  );
const arrange = (store: ReturnType<typeof storeOf>, filter: string, sort = BY_NAME): View => {
  const steps = arranging(store, filter, sort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

describe("a filter", () => {
  it("finds names that hold the characters of each word in their order", () => {
    expect(found("hrb", "harbor.jpg", "brh", "HARBOR")).toEqual(["harbor.jpg", "HARBOR"]);
    expect(found("jpg har", "harbor.jpg", "harbor.png")).toEqual(["harbor.jpg"]);
    expect(found("cafe", "Café", "café")).toEqual(["Café", "café"]);
    expect(found("", "a", "")).toEqual(["a", ""]);
  });

  it("takes a text as it stands after a quote, and a pattern by its stars", () => {
    expect(found("'arb", "harbor", "a-r-b")).toEqual(["harbor"]);
    expect(found("*.jpg", "a.jpg", "b/c.jpg", "a.jpg.txt")).toEqual(["a.jpg", "b/c.jpg"]);
    expect(found("'", "a")).toEqual(["a"]);
  });

  it("costs no more on a name made to be costly", () => {
    const hostile = "ab".repeat(512);
    for (const filter of [`${"ab".repeat(20)}c`, `${"a".repeat(60)}c`, "b a b a b a b a b ac"]) {
      expect(found(filter, ...Array.from({ length: 2000 }, () => hostile))).toEqual([]);
      runs(filter, hostile);
    }
  });

  it("marks whole characters of what it has found, whatever the text is", () => {
    expect(marked("hrb", "harbor")).toEqual(["h", "rb"]);
    expect(marked("'RB", "harbor")).toEqual(["rb"]);
    expect(marked("👍", "a👎👍")).toEqual(["👍"]);
    const texts = fc.string({ unit: "binary", maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.string({ unit: "grapheme", maxLength: 4 }), (text, filter) => {
        const graphemes = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        let end = 0;
        for (const [from, to] of runs(filter, text)) {
          expect(from).toBeGreaterThanOrEqual(end);
          const whole = [...new Intl.Segmenter().segment(text.slice(from, to))];
          for (const { segment } of whole) expect(graphemes).toContain(segment);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        expect(fitness(filter, text)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a filtered list", () => {
  const names = ["a-long-catalog", "changelog", "log", "login", "z"];
  const shown = (store: ReturnType<typeof storeOf>, view: View) =>
    Array.from({ length: rowCount(view) }, (_, row) => nameAt(store, idAt(view, row)!));

  it("has the best first, also of what comes later, unless another order was asked for", () => {
    const store = storeOf(names);
    const view = arrange(store, "log");
    expect(shown(store, view).slice(0, 2)).toEqual(["log", "login"]);
    const half = storeOf(names.slice(0, 2));
    const more = append(half, [{ type: "object", key: "log", size: 1 }]);
    expect(shown(more, extend(more, arrange(half, "log"), true))[0]).toBe("log");
    expect(shown(more, insert(more, arrange(half, "log"), [2]))[0]).toBe("log");
    const descending = arrange(store, "log", { by: "name", descending: true });
    expect(shown(store, descending)[0]).toBe("login");
  });

  it("stays in the order of keys when more is found than anybody ranks", () => {
    const many = Array.from(
      { length: RANKED + 2 },
      (_, at) => `row-${String(at).padStart(6, "0")}`,
    );
    const store = storeOf(many);
    expect(shown(store, arrange(store, "row"))).toEqual(many);
    const later = (from: number) =>
      many.slice(from).map((key) => ({ type: "object" as const, key, size: 1 }));
    const most = storeOf(many.slice(0, RANKED));
    expect(arrange(most, "row").ranked).toBe(true);
    const grown = append(most, later(RANKED));
    expect(shown(grown, extend(grown, arrange(most, "row"), true))).toEqual(many);
  });

  it("is made anew where many rows come at once: putting each in its place would hold up the keys", () => {
    const keys = Array.from({ length: 3000 }, (_, at) => `row-${String(at).padStart(6, "0")}`);
    const few = storeOf(keys.slice(0, 10));
    const view = arrange(few, "row-9");
    const grown = append(
      few,
      keys.slice(10).map((key) => ({ type: "object", key, size: 1 })),
    );
    expect(isBehind(grown, extend(grown, view, true), true)).toBe(true);
    const whole = arrange(grown, "row-9");
    expect(isBehind(grown, extend(grown, whole, true), true)).toBe(false);
    const it = consoleWith(
      keys.slice(0, 10).map((key) => object(key)),
      {},
    );
    const { id } = it.page("objects");
    it.type("/", "row-9", "\r");
    it.apply({ type: "entries", page: id, entries: keys.slice(10).map((key) => object(key)) });
    expect(it.effects()).toMatchObject([{ type: "arrange", filter: "row-9" }]);
    it.apply({ type: "arranged", page: id, view: arrange(it.page("objects").store, "row-9") });
    expect(it.page("objects")).toMatchObject({ arranging: undefined, view: { seen: 3000 } });
  });
});
