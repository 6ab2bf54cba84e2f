import { describe, expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { type Placed, place, writeOver } from "../../../../src/core/operations/if-exists.js";
import type { Conflict, IfExists } from "../../../../src/core/operations/types.js";
import type { FileRef } from "../../../../src/core/ref.js";

const file = (path: string): FileRef => ({ type: "file", path });
const sourceTime = async () => undefined;
const failure = (code: string) => new AppError({ kind: "conflict", code, message: code });

/** Names that are taken; `late` are taken only when it comes to the writing. */
function target(taken: readonly number[], late: readonly number[] = []) {
  const sent: string[] = [];
  const spot = (number: number) => ({
    target: file(`name ${number}`),
    look: async () => (taken.includes(number) ? { size: number } : undefined),
    send: async (exclusive: boolean) => {
      sent.push(`${number}${exclusive ? " exclusive" : ""}`);
      if (exclusive && [...taken, ...late].includes(number)) return "exists" as const;
      return { number };
    },
  });
  const run = (ifExists: IfExists, once = false) =>
    place<Placed & { number: number }>({
      ifExists,
      source: file("from"),
      sourceInfo: { size: 7 },
      sourceTime,
      once,
      spot,
    });
  return { run, sent };
}

describe("a name that is taken", () => {
  it.each<[IfExists, unknown, string[]]>([
    ["replace", { number: 1 }, ["1"]],
    ["skip", "exists", []],
    ["keep-both", { target: file("name 3"), number: 3, wasNew: true }, ["3 exclusive"]],
  ])("with %s", async (rule, expected, requests) => {
    const { run, sent } = target([1, 2]);
    expect(await run(rule)).toEqual(expected);
    expect(sent).toEqual(requests);
  });

  it("with fail is a conflict, and nothing is sent", async () => {
    const { run, sent } = target([1]);
    await expect(run("fail")).rejects.toMatchObject({ kind: "conflict", code: "TargetExists" });
    expect(sent).toEqual([]);
  });

  it("between the look and the write is noticed by the write", async () => {
    expect(await target([], [1]).run("skip")).toBe("exists");
    await expect(target([], [1]).run("fail")).rejects.toMatchObject({ code: "TargetExists" });
    const both = target([], [1]);
    expect(await both.run("keep-both")).toMatchObject({ target: file("name 2") });
    expect(both.sent).toEqual(["1 exclusive", "2 exclusive"]);
  });

  it("fails for what can be read only once, when it was taken while it was sent", async () => {
    await expect(target([], [1]).run("keep-both", true)).rejects.toMatchObject({
      code: "TargetExists",
    });
  });

  it("is asked about once, with both sides, and never when it is free", async () => {
    const asked: Conflict[] = [];
    const ask = async (conflict: Conflict) => {
      asked.push(conflict);
      return "keep-both" as const;
    };
    expect(await target([1, 2]).run(ask)).toMatchObject({ target: file("name 3") });
    expect(asked).toEqual([
      {
        source: file("from"),
        target: file("name 1"),
        sourceInfo: { size: 7 },
        targetInfo: { size: 1 },
      },
    ]);
    await target([]).run(ask);
    expect(asked).toHaveLength(1);
  });
});

describe("a write over what was seen", () => {
  const over = (
    expected: "nothing" | { etag: string },
    there: (string | undefined)[],
    error?: string,
  ) => {
    const conditions: unknown[] = [];
    const result = writeOver(expected, {
      target: file("t"),
      now: async () => (there.length > 1 ? there.shift() : there[0]),
      write: async (condition) => {
        conditions.push(condition);
        if (error !== undefined && conditions.length === 1) throw failure(error);
        return { etag: "w" };
      },
    });
    return { result, conditions };
  };

  it("is conditional on it, or on there being nothing", async () => {
    const seen = over({ etag: "e" }, ["e"]);
    expect([await seen.result, seen.conditions]).toEqual([{ etag: "w" }, [{ ifMatch: "e" }]]);
    const nothing = over("nothing", [undefined]);
    expect([await nothing.result, nothing.conditions]).toEqual([
      { etag: "w" },
      [{ ifNoneMatch: "*" }],
    ]);
  });

  it("is not begun over anything else", async () => {
    const { result, conditions } = over({ etag: "e" }, ["other"]);
    await expect(result).rejects.toMatchObject({ code: "Drifted" });
    expect(conditions).toEqual([]);
  });

  it("that the service refused is drift only when it is another state by then", async () => {
    const drifted = over({ etag: "e" }, ["e", "other"], "PreconditionFailed");
    await expect(drifted.result).rejects.toMatchObject({ code: "Drifted" });
    const denied = over({ etag: "e" }, ["e"], "AccessDenied");
    await expect(denied.result).rejects.toMatchObject({ code: "AccessDenied" });
  });

  it("goes without a condition where the service knows none, while the state is the same", async () => {
    const { result, conditions } = over({ etag: "e" }, ["e"], "NotImplemented");
    expect([await result, conditions]).toEqual([{ etag: "w" }, [{ ifMatch: "e" }, undefined]]);
  });
});
