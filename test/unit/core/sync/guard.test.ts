import { describe, expect, it } from "vitest";

import { parseDeleteLimit, withheld } from "../../../../src/core/sync/guard.js";

const SOUND = {
  extra: 10,
  targetItems: 1000,
  sourceItems: 990,
  unread: 0,
  failed: 0,
  limit: undefined,
  allowEmptySource: false,
};

describe("the guard of removals", () => {
  it("lets a usual removal pass", () => {
    expect(withheld(SOUND)).toBeUndefined();
    expect(withheld({ ...SOUND, extra: 100, targetItems: 100, sourceItems: 1 })).toBeUndefined();
    expect(withheld({ ...SOUND, extra: 0, unread: 5, sourceItems: 0 })).toBeUndefined();
  });

  it("lets all shards of a sync together remove no more than the sync may", () => {
    const third = { ...SOUND, targetItems: 40, shards: 3 };
    expect(withheld({ ...third, extra: 33 })).toBeUndefined();
    expect(withheld({ ...third, extra: 34 })).toMatchObject({ code: "DeletionWithheld" });
  });

  it.each([
    ["something could not be read", { unread: 1 }, "one thing could not be read"],
    ["a copy failed", { failed: 2 }, "2 copies failed"],
    ["the source is empty", { sourceItems: 0 }, "the source is empty"],
    ["more than half and more than 100 would go", { extra: 501 }, "50%"],
    ["a limit is passed", { limit: { items: 9 } }, "--delete-limit allows 9"],
    ["a share is passed", { limit: { percent: 0 } }, "--delete-limit allows 0%"],
  ])("withholds when %s", (_, state, words) => {
    const error = withheld({ ...SOUND, ...state });
    expect(error).toMatchObject({ code: "DeletionWithheld" });
    expect(error?.exitCode).toBe("failed" in state ? 7 : 5);
    expect(error?.message).toContain(words);
    expect(error?.hint).toBeDefined();
  });

  it("lets pass what was allowed by name, and nothing else", () => {
    const emptied = {
      ...SOUND,
      extra: 90,
      targetItems: 90,
      sourceItems: 0,
      allowEmptySource: true,
    };
    expect(withheld(emptied)).toBeUndefined();
    expect(withheld({ ...emptied, unread: 1 })).toBeDefined();
    expect(withheld({ ...emptied, extra: 900, targetItems: 900 })).toBeDefined();
    const all = { ...SOUND, extra: 1000, limit: { percent: 100 } };
    expect(withheld(all)).toBeUndefined();
    expect(withheld({ ...all, sourceItems: 0 })).toBeDefined();
  });

  it("reads limits", () => {
    expect(parseDeleteLimit("7")).toEqual({ items: 7 });
    expect(parseDeleteLimit("7%")).toEqual({ percent: 7 });
    for (const wrong of ["", "-1", "101%", "x", "1.5", "%"]) {
      expect(parseDeleteLimit(wrong)).toBeUndefined();
    }
  });
});
