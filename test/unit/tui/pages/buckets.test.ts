import { describe, expect, it } from "vitest";

import { testConsole } from "../../../support/console.js";

const named = (...names: string[]) => names.map((name) => ({ name, created: undefined }));

/** The page of an alias with these buckets. */
function buckets(...names: string[]) {
  const it = testConsole({ place: "local" });
  const { id } = it.page("buckets");
  it.apply({ type: "buckets", page: id, buckets: named(...names) });
  return { it, id };
}

describe("the buckets of an alias", () => {
  it("are filtered by name, and all there again after Esc", () => {
    const { it } = buckets("logs-2024", "logs-2025", "photos");
    it.type("/", "5", "\r");
    expect(it.text()).toContain("1 of 3 buckets");
    expect(it.text()).not.toContain("photos");
    it.type("\r");
    expect(it.page("objects")).toMatchObject({ bucket: "logs-2025" });
    it.type("\u001B", "\u001B");
    expect(it.page("buckets")).toMatchObject({ filter: "" });
    expect(it.text()).toContain("3 buckets");
  });

  it("have the cursor on one that was just made, and on the same one after another came", () => {
    const { it, id } = buckets("a", "b");
    it.type("j");
    it.apply({ type: "buckets", page: id, buckets: named("a", "aa", "b") });
    expect(it.page("buckets")).toMatchObject({ cursor: 2 });
    it.apply({ type: "bucket-made", dialog: 0, alias: "local", bucket: "new" });
    it.apply({ type: "buckets", page: id, buckets: named("a", "aa", "b", "new") });
    expect(it.page("buckets")).toMatchObject({ cursor: 3, wanted: undefined });
  });
});
