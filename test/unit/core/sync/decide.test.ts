import { describe, expect, it } from "vitest";

import { type Choice, decide, decideSeen } from "../../../../src/core/sync/decide.js";
import type { Listed } from "../../../../src/core/sync/pairs.js";

const MD5 = "d41d8cd98f00b204e9800998ecf8427e";
const OTHER = "900150983cd24fb0d6963f7d28e17f72";
const AUTO: Choice = { compare: "auto", update: false, keepDiffering: false, remove: true };

const listed = (more: Partial<Listed> = {}): Listed => ({ name: "a", size: 3, etag: MD5, ...more });
const pair = (source?: Listed, target?: Listed) => ({ name: "a", source, target });

describe("deciding by two listings", () => {
  it("copies what is missing and what has another size, removes what is extra", () => {
    expect(decide(pair(listed()), AUTO, "source", false)).toEqual({
      do: "copy",
      reason: "new",
    });
    expect(decide(pair(listed(), listed({ size: 4 })), AUTO, "source", false)).toEqual({
      do: "copy",
      reason: "size",
    });
    expect(decide(pair(undefined, listed()), AUTO, "source", false)).toMatchObject({
      do: "remove",
    });
  });

  it("counts nothing as extra unless told to", () => {
    const choice = { ...AUTO, remove: false };
    expect(decide(pair(undefined, listed()), choice, "source", false)).toEqual({
      do: "nothing",
      why: "extra",
    });
  });

  it("needs a look for equal sizes, whichever side is older", () => {
    for (const modified of [1, 2_000_000_000_000]) {
      const both = pair(listed({ etag: "file" }), listed({ modified }));
      expect(decide(both, AUTO, "source", false)).toEqual({ do: "look" });
    }
  });

  it("trusts that both sides are as they were when they were equal, except with --compare checksum", () => {
    const both = pair(listed({ etag: "file" }), listed());
    expect(decide(both, AUTO, "source", true)).toMatchObject({ why: "same" });
    const checksum: Choice = { ...AUTO, compare: "checksum" };
    expect(decide(both, checksum, "source", true)).toEqual({ do: "look" });
    const resized = pair(listed({ etag: "file", size: 4 }), listed());
    expect(decide(resized, AUTO, "source", true)).toMatchObject({ do: "copy" });
  });

  it("takes equal ETags of two objects as equal content, and never those of files", () => {
    expect(decide(pair(listed(), listed()), AUTO, undefined, false)).toMatchObject({
      why: "same",
    });
    expect(decide(pair(listed(), listed()), AUTO, "target", false)).toEqual({ do: "look" });
    const odd = listed({ etag: "not-a-digest" });
    expect(decide(pair(odd, odd), AUTO, undefined, false)).toEqual({ do: "look" });
  });

  it("keeps differing targets when asked, and with update only newer ones", () => {
    const newer = pair(listed({ modified: 1 }), listed({ size: 9, modified: 2 }));
    const older = pair(listed({ modified: 2 }), listed({ size: 9, modified: 1 }));
    const kept = { do: "nothing", why: "kept" };
    expect(decide(newer, { ...AUTO, update: true }, "source", false)).toEqual(kept);
    expect(decide(older, { ...AUTO, update: true }, "source", false).do).toBe("copy");
    expect(decide(older, { ...AUTO, keepDiffering: true }, "source", false)).toEqual(kept);
  });
});

describe("deciding after a look at both", () => {
  const seen = (mtime?: number, etag?: string, plain = true) => ({
    mtime,
    etag,
    plain,
  });

  it("decides by MD5s before times, and by no ETag that is not an MD5", () => {
    expect(decideSeen(seen(1, MD5), seen(9e9, MD5), "auto")).toBe("same");
    expect(decideSeen(seen(1, MD5), seen(1, OTHER), "auto")).toBe("checksum");
    expect(decideSeen(seen(1, MD5), seen(1, OTHER, false), "auto")).toBe("same");
    expect(decideSeen(seen(1, MD5), seen(5000, OTHER, false), "auto")).toBe("time");
  });

  it("copies when nothing shows that they are equal", () => {
    expect(decideSeen(seen(undefined), seen(5), "auto")).toBe("time");
    expect(decideSeen(seen(5), seen(undefined), "auto")).toBe("time");
    expect(decideSeen(seen(5), seen(5), "checksum")).toBe("checksum");
  });

  it("goes by times alone when asked", () => {
    expect(decideSeen(seen(5, MD5), seen(5, OTHER), "time")).toBe("same");
    expect(decideSeen(seen(5, MD5), seen(7, MD5), "time")).toBe("time");
  });
});
