/** The stack that `--debug` shows. */
import { describe, expect, it } from "vitest";

import { stackOf } from "../../../src/cli/stack.js";
import { AppError } from "../../../src/core/failures/errors.js";

const problem = (message: string, cause?: unknown) =>
  new AppError({ kind: "bug", code: "X", message, cause });

describe("the stack of an error", () => {
  it("goes on with the stack of every cause, down to one that is no error", () => {
    const first = new TypeError("first", { cause: "a word" });
    const stack = stackOf(problem("last", problem("middle", first)));
    const heads = stack.split("\n").filter((line) => !line.startsWith("    at "));
    expect(heads).toEqual([
      "AppError: last",
      "caused by: AppError: middle",
      "caused by: TypeError: first",
    ]);
    expect(stack).toContain("stack.test.ts:");
  });

  it("has the message of an error without a stack", () => {
    const bare = new Error("bare");
    delete bare.stack;
    expect(stackOf(problem("last", bare))).toMatch(/\ncaused by: bare$/);
  });

  it("shows a stranger's control characters as escapes, and keeps a place without a map", () => {
    const odd = problem("x");
    odd.stack = "AppError: \u001b[2Jx\n    at f (/pail/dist/main.cjs:12:34)";
    expect(stackOf(odd)).toBe("AppError: \\x1b[2Jx\n    at f (/pail/dist/main.cjs:12:34)");
  });
});
