/** A long list that is being put in order while its listing is stopped, or begun anew. */
import { describe, expect, it } from "vitest";

import type { Effect } from "../../../../src/tui/state/actions.js";
import type { View } from "../../../../src/tui/list/view.js";
import { arranging } from "../../../../src/tui/list/view.js";
import { type TestConsole, object, rowKeys, testConsole } from "../../../support/console.js";

const names = Array.from({ length: 3000 }, (_, index) => `k${String(index).padStart(5, "0")}`);
const entries = (from: number, to: number) => names.slice(from, to).map((key) => object(key));

/** A console whose listing has brought rows, and is not at its end. */
function listing(): TestConsole {
  const it = testConsole({ place: "local/photos/" });
  const { id } = it.page("objects");
  it.apply({ type: "entries", page: id, entries: entries(0, 2500) });
  it.effects();
  return it;
}

/** Does what was asked for and not stopped, as the controller would. */
function arrange(it: TestConsole): void {
  const effects = it.effects();
  const stop = effects.findLastIndex(({ type }) => type === "stop");
  for (const effect of effects.slice(stop + 1)) {
    if (effect.type === "arrange") {
      it.apply({ type: "arranged", page: effect.page, view: made(effect) });
    }
  }
}

function made({ store, filter, sort }: Extract<Effect, { type: "arrange" }>): View {
  const steps = arranging(store, filter, sort);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe("a listing that is stopped", () => {
  it("ends no filter that is being applied", () => {
    const it = listing();
    it.type("/", "'99", "\r", "\u001B");
    arrange(it);
    const page = it.page("objects");
    expect([page.load.type, page.arranging]).toEqual(["stopped", undefined]);
    expect(rowKeys(page)).toEqual(names.slice(0, 2500).filter((name) => name.includes("99")));
  });

  it("shows its last rows, which had waited to be put in their order", () => {
    const it = listing();
    it.type("s", "N");
    arrange(it);
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: entries(2500, 2600) });
    expect(rowKeys(it.page("objects"))).toHaveLength(2500);
    it.type("\u001B");
    arrange(it);
    expect(rowKeys(it.page("objects"))).toEqual(names.slice(0, 2600).toReversed());
  });
});

it("a listing that is begun anew has the filter that was being applied, and ends", () => {
  const it = listing();
  it.type("/", "'99", "\r", "R");
  const { id } = it.page("objects");
  it.apply({ type: "entries", page: id, entries: entries(0, 1500) }, { type: "listed", page: id });
  arrange(it);
  const page = it.page("objects");
  expect([page.view.filter, page.arranging]).toEqual(["'99", undefined]);
  expect(rowKeys(page)).toEqual(names.slice(0, 1500).filter((name) => name.includes("99")));
});
