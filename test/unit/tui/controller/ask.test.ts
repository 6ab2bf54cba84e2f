import { describe, expect, it } from "vitest";

import type { Conflict, ExistsAction } from "../../../../src/core/operations/types.js";
import { answer, askAbout, forget } from "../../../../src/tui/controller/ask.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import type { Action } from "../../../../src/tui/state/actions.js";

const conflict = (path: string): Conflict => ({
  source: { type: "file", path: `/from/${path}` },
  target: { type: "file", path: `/to/${path}` },
  sourceInfo: {},
  targetInfo: {},
});

function asking(job: number) {
  const asked: string[] = [];
  const dispatch = (action: Action) => {
    if (action.type !== "asked") return;
    const { target } = action.conflict;
    if (target.type === "file") asked.push(target.path);
  };
  const deps = { dispatch } as unknown as Deps;
  const abort = new AbortController();
  const ask = askAbout(deps, job, abort.signal);
  if (typeof ask === "string") throw new Error("it does not ask");
  const say = (action: ExistsAction, always = false) =>
    answer(deps, { type: "answer", job, action, always }, abort.signal);
  return { ask, asked, say, abort };
}

describe("a job's question", () => {
  it("is asked one at a time, and each answer goes to the one that asked", async () => {
    const { ask, asked, say } = asking(1);
    const answers = [ask(conflict("a")), ask(conflict("b"))];
    await expect.poll(() => asked).toEqual(["/to/a"]);
    await say("skip");
    await expect.poll(() => asked).toEqual(["/to/a", "/to/b"]);
    await say("replace");
    expect(await Promise.all(answers)).toEqual(["skip", "replace"]);
    forget(1);
  });

  it("is not asked again once the answer was for all, but in another job", async () => {
    const { ask, asked, say } = asking(2);
    const answers = ["a", "b", "c"].map((name) => ask(conflict(name)));
    await expect.poll(() => asked).toHaveLength(1);
    await say("keep-both", true);
    expect(await Promise.all(answers)).toEqual(["keep-both", "keep-both", "keep-both"]);
    expect(asked).toEqual(["/to/a"]);
    forget(2);
    const other = asking(3);
    void other.ask(conflict("d"));
    await expect.poll(() => other.asked).toEqual(["/to/d"]);
    forget(3);
  });

  it("of a job that is canceled replaces nothing", async () => {
    const { ask, asked, abort } = asking(4);
    const first = ask(conflict("a"));
    const second = ask(conflict("b"));
    await expect.poll(() => asked).toHaveLength(1);
    abort.abort();
    expect(await Promise.all([first, second])).toEqual(["fail", "fail"]);
    forget(4);
  });
});
