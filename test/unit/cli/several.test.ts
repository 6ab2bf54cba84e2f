/** Several targets of one command: where failures are reported, and the exit code. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { forEachTarget, partial } from "../../../src/cli/several.js";
import { AppError, interrupted } from "../../../src/core/failures/errors.js";
import { createSession, type TestSession } from "../../support/session.js";

let session: TestSession;
beforeAll(async () => {
  session = await createSession();
});
afterAll(() => session.close());

const denied = new AppError({ kind: "denied", code: "AccessDenied", message: "not yours" });

/** Works on the targets, of which these fail, and tells which had their turn. */
async function turns(targets: readonly string[], failing: string, error: Error, given = session) {
  const seen: string[] = [];
  const thrown = await forEachTarget(given, targets, async (target, index) => {
    seen.push(`${index}:${target}`);
    if (target === failing) throw error;
  }).catch((caught: unknown) => caught);
  return { seen, thrown };
}

describe("a command with several targets", () => {
  it("goes on after a failed one, names it, and ends as a partial failure", async () => {
    const { seen, thrown } = await turns(["a", "b", "c"], "b", denied);
    expect(seen).toEqual(["0:a", "1:b", "2:c"]);
    expect(thrown).toMatchObject({ exitCode: 7, message: "1 of 3 targets failed" });
    expect((await session.said()).stderr).toEqual(["pail: b: not yours"]);
  });

  it("ends as its only target does, and reports nothing twice", async () => {
    expect(await turns(["a"], "a", denied)).toEqual({ seen: ["0:a"], thrown: denied });
    expect((await session.said()).stderr).toEqual([]);
    expect((await turns(["a", "b"], "none", denied)).thrown).toBeUndefined();
  });

  it("leaves out the rest when it is interrupted, by an error or by its signal", async () => {
    const stop = interrupted();
    expect(await turns(["a", "b"], "a", stop)).toEqual({ seen: ["0:a"], thrown: stop });
    const aborted = { ...session, signal: AbortSignal.abort() };
    expect(await turns(["a", "b"], "a", denied, aborted)).toEqual({
      seen: ["0:a"],
      thrown: denied,
    });
    expect((await session.said()).stderr).toEqual([]);
  });
});

it("a partial failure counts what failed, in words and for a program", () => {
  expect(partial(1, 1, "object")).toMatchObject({
    message: "1 of 1 object failed",
    details: { failed: 1, total: 1 },
  });
});
