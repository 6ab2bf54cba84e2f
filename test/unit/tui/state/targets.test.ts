/**
 * The targets of a job: exactly the rows marked when it was asked for, whatever becomes of the
 * list.
 */
import fc from "fast-check";
import { expect, it } from "vitest";

import { NO_MARKS, setMarks } from "../../../../src/tui/list/marks.js";
import { append, emptyStore } from "../../../../src/tui/list/store.js";
import {
  inTurns,
  keptTargets,
  markedTargets,
  withKeys,
} from "../../../../src/tui/state/targets.js";
import type { JobTarget, Targets } from "../../../../src/tui/state/types.js";
import { type TestConsole, consoleWith, object } from "../../../support/console.js";

const name = (index: number) => `k${String(index).padStart(5, "0")}`;
const many = Array.from({ length: 1500 }, (_, index) => object(name(index)));
const keys = (targets: Targets) => Array.from(targets, ({ key }) => key);
const place = { alias: "local", bucket: "photos", prefix: "" };

function started(it: TestConsole): Targets {
  const job = it.effects().find(({ type }) => type === "start-job");
  if (job?.type !== "start-job" || job.spec.type !== "remove") throw new Error("nothing started");
  return job.spec.targets;
}

/** Things that others do to a list while a question about it stands. */
const changes = fc.array(
  fc.oneof(
    fc.nat(1800).map((index) => (it: TestConsole) => {
      it.apply({ type: "keys-gone", from: place, keys: [name(index), name(index + 1)] });
    }),
    fc.nat(1800).map((index) => (it: TestConsole) => {
      const entries = [object(name(index), 7), object(`${name(index)}x`)] as never[];
      it.apply({ type: "keys-here", to: place, entries });
    }),
    fc.constant((it: TestConsole) => {
      const { id } = it.page("objects");
      it.apply({ type: "entries", page: id, entries: [object("z1"), object("z2")] });
    }),
  ),
  { maxLength: 6 },
);

it("a deletion is of what was marked when it was asked for, whoever writes meanwhile", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1499), { maxLength: 4 }), changes, (left, others) => {
      const it = consoleWith(many);
      it.type("\u0001");
      const wanted = many.map(({ key }) => key).filter((_, index) => !left.includes(index));
      it.apply({
        type: "keys-gone",
        from: place,
        keys: left.map(name),
      });
      it.type("x");
      expect(it.text()).toContain(`and ${(wanted.length - 6).toLocaleString("en-US")} more`);
      for (const change of others) change(it);
      it.counted({ objects: wanted.length });
      it.type("photos\r");
      expect(keys(started(it))).toEqual(wanted);
    }),
    { numRuns: 10 },
  );
});

it("what was taken is pasted as it was, though its list is left and listed anew", () => {
  const it = consoleWith(many);
  it.type("\u0001", "Y", "R");
  expect(it.text()).toContain("1,500 to copy");
  const { id } = it.page("objects");
  it.apply({ type: "entries", page: id, entries: [object("other")] }, { type: "listed", page: id });
  expect(keys(it.state().clip!.targets)).toEqual(many.map(({ key }) => key));
});

it("rows of a long job say what becomes of them until they go or the job ends", () => {
  const it = consoleWith(many);
  it.type("\u0001", "x");
  it.counted({ objects: many.length });
  it.type("photos\r");
  const [job] = it.state().jobs;
  expect(it.text()).toMatch(/k00000 .*deleting/);
  it.apply({ type: "keys-gone", from: place, keys: [name(0)] });
  // Somebody writes it again: that one stays.
  it.apply({ type: "keys-here", to: place, entries: [object(name(0), 5)] });
  expect(it.text()).not.toMatch(/k00000 .*deleting/);
  expect(it.text()).toMatch(/k00001 .*deleting/);
  it.apply({ type: "job-ended", job: job!.id, status: "canceled", failures: [] });
  expect(it.text()).not.toContain("deleting");
});

it("the end of one job leaves the rows of another as they are", () => {
  const it = consoleWith(many.slice(0, 3));
  for (const row of ["g", "j"]) {
    it.type(row, "x");
    it.counted();
    it.type("y");
  }
  const [, first] = it.state().jobs;
  it.apply({ type: "job-ended", job: first!.id, status: "done", failures: [] });
  expect(it.text()).not.toMatch(/k00000 .*deleting/);
  expect(it.text()).toMatch(/k00001 .*deleting/);
});

it("failures of a long job stand in the rows of what failed, and of the prefix it is below", () => {
  const it = consoleWith([...many, { type: "prefix", key: "p/" }]);
  it.type("\u0001", "x");
  it.counted({ objects: many.length });
  it.type("photos\r");
  const [job] = it.state().jobs;
  const failure = { kind: "denied", code: "AccessDenied", message: "no" } as const;
  const failed = (key: string) => ({
    item: { action: "remove", target: { type: "object", ...place, key } } as never,
    failure,
  });
  const failures = [failed(name(1)), failed("p/q/r"), failed("elsewhere")];
  it.apply({ type: "job-ended", job: job!.id, status: "failed", failures });
  expect([...it.page("objects").failures.keys()].sort()).toEqual([name(1), "p/"]);
});

const targets = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom("object" as const, "prefix" as const),
    key: fc.stringMatching(/^[a-d/é]{1,3}$/),
    versionId: fc.option(fc.constantFrom("v1", "v2"), { nil: undefined }),
  }),
  { minLength: 0, maxLength: 30 },
);

it("many are the same as few: in their order, and found by their keys", async () => {
  await fc.assert(
    fc.asyncProperty(
      targets,
      fc.array(fc.stringMatching(/^[a-d/é]{1,3}$/)),
      async (some, asked) => {
        const few = some.map(({ type, key, versionId }): JobTarget => {
          if (type === "prefix") return { type, key };
          return { type, key, size: 0, ...(versionId === undefined ? {} : { versionId }) };
        });
        const rest = many
          .slice(0, 1001)
          .map(({ key }): JobTarget => ({ type: "object", key, size: 0 }));
        const long = keptTargets([...rest, ...few]);
        expect(Array.isArray(long)).toBe(false);
        expect([...long].slice(rest.length)).toEqual(few);
        expect(withKeys(long, asked)).toEqual(withKeys(few, asked));
        let objects = 0;
        for await (const { type } of inTurns(long, "object")) objects += type === "object" ? 1 : -1;
        expect(objects).toBe(rest.length + few.filter(({ type }) => type === "object").length);
      },
    ),
    { numRuns: 20 },
  );
});

it("few marked rows are taken out of a long listing, which is then not kept for them", () => {
  const store = append(emptyStore(""), many);
  expect(markedTargets(store, setMarks(store, NO_MARKS, [1, 5], true))).toEqual([
    { type: "object", key: name(1), size: 1 },
    { type: "object", key: name(5), size: 1 },
  ]);
});
