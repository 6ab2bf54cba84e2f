import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGate } from "../../../../../src/core/engine/gate.js";
import { AppError } from "../../../../../src/core/failures/errors.js";
import { compareKeys } from "../../../../../src/core/storage/key-order.js";
import { scanListing } from "../../../../../src/core/storage/list-scanner.js";
import { type Run, runOf } from "../../../../../src/core/storage/run.js";
import { splitList } from "../../../../../src/core/storage/split/split-list.js";
import type { Answer } from "../../../../../src/core/storage/split/types.js";
import type { Entry } from "../../../../../src/core/storage/storage.js";
import { shapes } from "./shapes.js";
import { cases } from "../../../../support/cases.js";

const LATENCY = 30;

interface World {
  readonly keys: string[];
  readonly pageSize?: number;
  /** Changes an answer, as a service that is not quite right would. */
  readonly bend?: (answer: Answer, after: string, asked: number) => Answer;
  readonly fails?: (after: string, cursor: unknown) => Error | undefined;
  readonly order?: "key" | "any";
  readonly connections?: number;
  readonly prefix?: string;
  readonly startAfter?: string;
  /** The service does one request after another, however many are sent. */
  readonly inTurn?: boolean;
  readonly ahead?: number;
  /** Milliseconds that the first request of a new connection takes more. */
  readonly opening?: number;
  /** Answers that come before a page is taken. */
  readonly dawdle?: number;
}

/**
 * Lists a simulated service in virtual time: every request takes 30 ms, from when it is sent or, of a
 * service that does them in turn, from when the one before is done. Computing takes none.
 */
async function run(world: World) {
  const { keys, pageSize = 1000, order = "key", connections = 64, prefix = "" } = world;
  let time = 0;
  let requests = 0;
  let serial = false;
  const due: { at: number; go: () => void }[] = [];
  let pumping = false;
  let underWay = 0;
  let open = 1;
  const pump = () => {
    if (pumping) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      const [next] = due.sort((one, other) => one.at - other.at);
      if (next === undefined) return;
      due.shift();
      time = next.at;
      next.go();
      if (due.length > 0) pump();
    });
  };
  const firstAfter = (after: string) => {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys(keys[middle]!, after) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const pages = splitList({
    fetch: (after, cursor) => {
      requests += 1;
      const asked = requests;
      return new Promise<Answer>((resolve, reject) => {
        const begun = world.inTurn === true ? Math.max(time, due.at(-1)?.at ?? 0) : time;
        underWay += 1;
        const opening = underWay > open ? (world.opening ?? 0) : 0;
        open = Math.max(open, underWay);
        due.push({
          at: begun + LATENCY + opening,
          go: () => {
            underWay -= 1;
            const failure = world.fails?.(after, cursor);
            if (failure !== undefined) return reject(failure);
            const from = cursor === undefined ? firstAfter(after) : Number(cursor["at"]);
            const to = Math.min(keys.length, from + pageSize);
            const next = to < keys.length ? { at: String(to) } : undefined;
            const answer = { run: listed(keys.slice(from, to)), next, startIgnored: false };
            resolve(world.bend?.(answer, cursor === undefined ? after : "", asked) ?? answer);
          },
        });
        pump();
      });
    },
    order,
    prefix,
    startAfter: world.startAfter ?? "",
    ahead: world.ahead,
    gate: createGate({ initial: connections, max: connections, isBusy: () => true }),
    maySplit: true,
    onSerial: () => (serial = true),
    isCircle: () => false,
    circular: () =>
      new AppError({ kind: "unavailable", code: "InvalidResponse", message: "circle" }),
    now: () => time,
    isBusy: () => false,
  });
  const found: string[] = [];
  let held = 0;
  for await (const page of pages) {
    expect(page.length).toBeGreaterThan(0);
    for (const { key } of page) found.push(key);
    held = Math.max(held, page.length);
    for (let i = 0; i < (world.dawdle ?? 0); i++) await new Promise(setImmediate);
  }
  return { found, time, requests, serial };
}

const sorted = (keys: readonly string[]) => [...new Set(keys)].sort(compareKeys);

const REQUEST = "request 10, listing in parallel (aws-cli#10293, ClickHouse#65572)";
describe.each(Object.entries(shapes))(`${REQUEST}: a flat bucket of %s`, (_, make) => {
  const keys = make(60_000);
  const serial = Math.ceil(keys.length / 1000);

  it.each([
    ["key", 0],
    ["key", 60],
    ["any", 0],
    ["any", 60],
  ] as const)(
    "comes whole and sooner, in order: %s, %i ms for a connection",
    async (order, opening) => {
      const { found, time, requests } = await run({ keys, order, opening });
      expect(order === "key" ? found : found.toSorted(compareKeys)).toEqual(keys);
      // Virtual time: how many round trips follow one another, not how fast this machine is.
      expect(time).toBeLessThan((serial * LATENCY) / 2);
      expect(requests).toBeLessThan(serial * 2.5);
    },
  );
});

describe.each(Object.entries(shapes))("a service that answers in turn, keys like %s", (_, make) => {
  const keys = make(60_000);
  const serial = Math.ceil(keys.length / 1000);

  it.each([
    ["key", 8_000],
    ["key", undefined],
    ["any", undefined],
  ] as const)("is asked page after page, in order: %s, ahead: %s", async (order, ahead) => {
    const { found, requests } = await run({ keys, order, ahead, inTurn: true });
    expect(order === "key" ? found : found.toSorted(compareKeys)).toEqual(keys);
    expect(requests).toBeLessThan(serial * 1.5);
  });
});

const NOTHING: Answer = { run: runOf([]), next: undefined, startIgnored: false };

/** A page as a service writes it. Its memory is spoiled once it is given back: others use it then. */
function listed(keys: readonly string[]): Run {
  const written = keys.map((key) => encodeURIComponent(key).replaceAll("%2F", "/"));
  const contents = written.map((key) => `<Contents><Key>${key}</Key><Size>0</Size></Contents>`);
  const bytes = Buffer.from(
    `<ListBucketResult><EncodingType>url</EncodingType>${contents.join("")}</ListBucketResult>`,
  );
  const giveBack = () => void bytes.fill("x");
  return scanListing({ bytes, giveBack }, "ListBucketResult").objects;
}

/** The first page, as the listing passes it on: what lies before the start is left out, and said. */
function fromTheStart(keys: readonly string[], pageSize: number, after: string): Answer {
  const page = keys.slice(0, pageSize);
  const entries = page
    .filter((key) => compareKeys(key, after) > 0)
    .map((key): Entry => ({ type: "object", key, size: 0 }));
  const next = page.length < keys.length ? { at: String(page.length) } : undefined;
  return { run: runOf(entries), next, startIgnored: entries.length < page.length };
}

describe("any keys", () => {
  const unit = fc.oneof(
    fc.constantFrom(
      "a",
      "b",
      "/",
      "-",
      "0",
      "9",
      "\u0001",
      "\ud7ff",
      "\ue000",
      "\uffff",
      "\u{10ffff}",
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 2 }),
  );
  const key = fc.array(unit, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

  it.each(["key", "any"] as const)("come exactly once, in order: %s", async (order) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { minLength: 5, maxLength: 200 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 6 }),
        fc.boolean(),
        async (some, pageSize, connections, dawdle, startsAnywhere) => {
          const keys = sorted(some);
          const bend = (answer: Answer, after: string): Answer => {
            if (after === "" || startsAnywhere) return answer;
            return fromTheStart(keys, pageSize, after);
          };
          const { found } = await run({ keys, pageSize, order, connections, dawdle, bend });
          expect(order === "key" ? found : found.toSorted(compareKeys)).toEqual(keys);
        },
      ),
      cases(300),
    );
  });

  it("below a prefix stay below it", async () => {
    const keys = Array.from({ length: 400 }, (_, i) => `p/${String(i).padStart(4, "0")}`);
    const asked: string[] = [];
    const fails = (after: string, cursor: unknown) => {
      if (cursor === undefined && after !== "") asked.push(after);
      return undefined;
    };
    const { found } = await run({ keys, pageSize: 10, prefix: "p/", fails });
    expect(found).toEqual(keys);
    expect(asked.length).toBeGreaterThan(0);
    for (const after of asked) expect(after.startsWith("p/")).toBe(true);
  });
});

describe.each([0, 1, 5])(
  "a service that is not quite right, %i answers before each page is taken",
  (dawdle) => {
    const keys = Array.from({ length: 3000 }, (_, i) => `k${String(i).padStart(5, "0")}`);
    const world = { keys, pageSize: 50, dawdle };

    it.each(["key", "any"] as const)(
      "and ignores where to start is listed page after page, in order: %s",
      async (order) => {
        const bend = (answer: Answer, after: string): Answer => {
          if (after === "") return answer;
          const entries = keys.slice(0, 50).map((key): Entry => ({ type: "object", key, size: 0 }));
          return {
            // As the listing does: what lies before the start is left out, and said.
            run: runOf(entries.filter((entry) => compareKeys(entry.key, after) > 0)),
            next: { at: "50" },
            startIgnored: true,
          };
        };
        const { found, serial } = await run({ ...world, order, bend });
        expect(found).toEqual(keys);
        expect(serial).toBe(true);
      },
    );

    it.each(["key", "any"] as const)(
      "and starts only after existing keys is listed page after page, in order: %s",
      async (order) => {
        const known = new Set(keys);
        const bend = (answer: Answer, after: string): Answer =>
          after === "" || known.has(after) ? answer : NOTHING;
        const { found, serial } = await run({ ...world, order, bend });
        expect(found).toEqual(keys);
        expect(serial).toBe(true);
      },
    );

    it("and keeps no order is listed page after page", async () => {
      const mixed = keys.toReversed();
      let served = 0;
      const { found } = await run({
        ...world,
        bend: ({ next }) => {
          const entries = mixed
            .slice(served, served + 50)
            .map((key): Entry => ({ type: "object", key, size: 0 }));
          served += 50;
          const more = served < mixed.length ? next : undefined;
          return { run: runOf(entries), next: more, startIgnored: false };
        },
      });
      expect(found).toEqual(mixed);
    });

    it("and refuses a start that it has not given is listed page after page", async () => {
      const fails = (after: string, cursor: unknown) =>
        cursor === undefined && after !== ""
          ? new AppError({ kind: "denied", code: "AccessDenied", message: "no" })
          : undefined;
      const { found, serial } = await run({ ...world, fails });
      expect(found).toEqual(keys);
      expect(serial).toBe(true);
    });

    it("ends with its own error, after the keys before it", async () => {
      const failure = new AppError({ kind: "unavailable", code: "SlowDown", message: "no" });
      const listing = run({
        ...world,
        fails: (_, cursor) =>
          Number((cursor as { at?: string } | undefined)?.at) >= 1000 ? failure : undefined,
      });
      await expect(listing).rejects.toBe(failure);
    });
  },
);

describe("a short listing, or one of a near service", () => {
  it("takes as many requests as it has pages", async () => {
    const keys = Array.from({ length: 1900 }, (_, i) => `k${i + 10_000}`);
    expect((await run({ keys })).requests).toBe(2);
    expect((await run({ keys: [] })).requests).toBe(1);
  });
});
