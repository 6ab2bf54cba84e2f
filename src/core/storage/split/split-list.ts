/**
 * Lists a flat range of keys over several connections at once, without hints.
 *
 * The first pages are fetched one after another. When there is more, and waiting for the service is
 * what takes the time, the keys seen so far say where to cut what is left (ranges.ts), and each page
 * says it better. When keys come no sooner for it, requests follow one another again. Every answer is
 * checked: a service that does not start where it was asked to, or does not keep the order of keys, is
 * listed one page after another as if nothing had happened.
 */
import { AppError } from "../../failures/errors.js";
import { createProcessorMeter } from "../../../system/loop-meter.js";
import { compareKeys } from "../key-order.js";
import { isOrdered, keptKey, type Run, runOf } from "../run.js";
import type { Entry } from "../storage.js";
import { createKeySpace } from "./key-space.js";
import {
  appraise,
  PAGE,
  type Range,
  countWithin,
  createRange,
  cut,
  refine,
  remaining,
} from "./ranges.js";
import type { Answer, Continuation, SplitOptions } from "./types.js";

/** Below this many milliseconds a page, more at once would only cost more. */
const WORTH_WAITING_FOR = 8;
/**
 * Pages in a row for which the service was waited, before a listing is split: a short one costs what it
 * always did, and one page alone may have met a moment in which others had the processor.
 */
const SERIAL_PAGES = 2;
/** As many where the first pages came at once: the service is near, and others have the processor. */
const LATER = { from: 16, pages: 8 };
/** Full answers that show whether splitting pays, and how many times sooner keys must then come. */
const TRIAL = 9;
const WORTH_SPLITTING = 1.2;
/** Pages in a range that is cut off in front, when they are wanted in order. */
const NEAR = 3;
/** Entries asked for at once though the budget is used up, since all others wait for them. */
const NEXT = 8 * PAGE;
/** Entries held for their turn unless told otherwise, those under way included. */
const AHEAD = 100_000;

/** Yields every entry exactly once; pages are never empty. Throws what `fetch` throws. */
export async function* splitList(options: SplitOptions): AsyncGenerator<Entry[]> {
  const {
    fetch,
    gate,
    prefix,
    order,
    ahead: most = AHEAD,
    now = () => performance.now(),
  } = options;
  const space = createKeySpace();
  const left = new AbortController();
  const signal =
    options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const busyShare = createProcessorMeter();
  const isBusy = options.isBusy ?? (() => busyShare() > 0.5);

  let ranges = [createRange(options.startAfter, options.upTo)];
  let maySplit = options.maySplit;
  let splitting = false;
  let received = 0;
  let handed = 0;
  let held = 0;
  let underWay = 0;
  /** Keys a millisecond before the listing was split; what came since, in how many answers. */
  let usual = 0;
  let since = { time: 0, keys: 0, answers: 0 };
  /** A service that answers one request after another is asked so: others would only wait. */
  let oneByOne = false;
  /** It was seen that it answers several at once. */
  let pays = false;
  /** Full answers one by one until several at once are tried again. */
  let patience = 64;
  /** A range that began with a key of our own making has answered well. */
  let trusted = false;
  /** Ranges of that kind, before that, that were said to be empty with nothing behind them. */
  let unproved: { readonly range: Range; readonly answer: Answer }[] = [];
  /** Where the last page was asked for that followed the one before it: no trust was needed. */
  let followed: Continuation | undefined;
  /** Keys up to this one are known already when the listing goes back there. */
  let resumeAfter: string | undefined;
  let failure: { error: unknown } | undefined;
  let wake: () => void = () => undefined;

  /** Goes on one page after another, from what has been listed without a gap. */
  const goSerial = () => {
    const ended = ranges.findIndex(({ state }) => state !== "done");
    if (!maySplit || ended < 0) return;
    maySplit = splitting = false;
    unproved = [];
    options.onSerial();
    let last = ranges[ended]!;
    if (isOurs(last) && !trusted) {
      resumeAfter = last.after;
      last = createRange(resumeAfter, options.upTo);
      last.cursor = followed;
    }
    last.end = options.upTo;
    // Pages of ranges that are done wait for their turn still.
    ranges = [...ranges.slice(0, ended), last];
    held = ranges.flatMap(({ pages }) => pages).reduce((sum, page) => sum + page.length, 0);
  };
  /** Whether a range begins with a key of our own making and has had no page yet. */
  const isOurs = (range: Range) => received > 0 && range.cursor === undefined;

  /** Pages in a row that the service was waited for. */
  let slow = 0;
  /** Decides whether to split, once enough is known about the service. */
  const consider = (page: Run, after: string, waited: number) => {
    if (!maySplit || splitting) return;
    slow = waited < WORTH_WAITING_FOR || isBusy() ? 0 : slow + 1;
    if (slow < (received > LATER.from ? LATER.pages : SERIAL_PAGES)) return;
    if (!isOrdered(page, after)) return goSerial();
    splitting = true;
    usual = page.length / waited;
    since = { time: 0, keys: 0, answers: 0 };
  };

  /**
   * Ends the asking for several ranges at once when keys come no sooner for it, and tries again later:
   * another program may have had the processor. Full answers count, whichever ranges their keys are in:
   * they show what the service does.
   */
  const judge = ({ run, next }: Answer) => {
    if (!splitting || next === undefined || pays) return;
    since.answers += 1;
    // Until the first of them, connections were opened.
    if (since.answers === 1) since.time = now();
    else since.keys += run.length;
    if (since.answers < (oneByOne ? patience : TRIAL)) return;
    const speed = since.keys / (now() - since.time);
    if (oneByOne) {
      usual = speed;
      patience *= 4;
    }
    pays = !oneByOne && speed >= usual * WORTH_SPLITTING;
    oneByOne = !oneByOne && !pays;
    since = { time: 0, keys: 0, answers: 0 };
  };

  /** Takes a page for a range, and for the waiting ranges behind it that it answers for as well. */
  const take = (asked: Range, { run, next }: Answer) => {
    let range = asked;
    let rest = run;
    const last = run.length > 0 ? keptKey(run, run.length - 1) : undefined;
    appraise(asked, run, space);
    for (;;) {
      const count = countWithin(rest, range);
      const isAll = count === rest.length;
      if (count > 0) {
        range.pages.push(isAll ? rest : rest.slice(0, count));
        held += count;
      }
      if (isAll && next !== undefined) {
        range.after = last ?? range.after;
        range.cursor = next;
        range.state = "open";
        if (splitting && count > 1) {
          ranges.splice(ranges.indexOf(range) + 1, 0, ...refine(range, rest, prefix.length, space));
        }
        return;
      }
      range.state = "done";
      const behind = ranges[ranges.indexOf(range) + 1];
      // Ranges that are done leave gaps: only a direct neighbour's keys are known.
      const goesOn = behind?.state === "waiting" && behind.after === range.end;
      const more = goesOn ? rest.slice(count) : undefined;
      if (!isAll) rest.drop();
      if (behind === undefined || more === undefined) return;
      rest = more;
      range = behind;
    }
  };

  /** Sets aside an answer that says that there is nothing from here on; it speaks for all behind. */
  const leaveUnproved = (range: Range, answer: Answer) => {
    unproved.push({ range, answer });
    range.model = undefined;
    for (const behind of ranges.slice(ranges.indexOf(range) + 1)) {
      behind.model = undefined;
      if (behind.state !== "waiting") continue;
      behind.state = "asked";
      unproved.push({ range: behind, answer });
    }
  };

  const receive = (range: Range, answer: Answer, waited: number) => {
    const ours = isOurs(range);
    const { next } = answer;
    let { run } = answer;
    received += 1;
    // Ranges keep the order of keys, which no circle does.
    if (next !== undefined && (!splitting || run.length === 0) && options.isCircle(next)) {
      throw options.circular();
    }
    if (resumeAfter !== undefined) {
      const end = resumeAfter;
      run = runOf(run.entries().filter(({ key }) => compareKeys(key, end) > 0));
      resumeAfter = undefined;
    }
    // Without an order, what is beyond the end could come before what is not.
    if (options.upTo !== undefined && !isOrdered(run, range.after)) throw inconsistent();
    if (splitting && (answer.startIgnored || !isOrdered(run, range.after))) {
      if (trusted && order === "any") throw inconsistent();
      goSerial();
      if (ours || !ranges.includes(range)) return;
    }
    if (splitting && !trusted && ours) {
      const last = run.length > 0 ? run.keyAt(run.length - 1) : undefined;
      if (last === undefined && next === undefined) {
        return leaveUnproved(range, answer);
      }
      if (last !== undefined) {
        if (unproved.some((empty) => compareKeys(empty.range.after, last) < 0)) return goSerial();
        trusted = true;
        for (const proved of unproved) take(proved.range, proved.answer);
        unproved = [];
      }
    }
    if (!trusted && !ours && range === ranges[0]) followed = range.cursor;
    for (let i = 0; i < run.length; i += 53) space.learn(run.keyAt(i));
    if (run.length > 0) space.learn(run.keyAt(run.length - 1));
    if (underWay === 1) consider(run, range.after, waited);
    take(range, { ...answer, run });
    judge(answer);
  };

  const ask = async (range: Range) => {
    range.state = "asked";
    underWay += 1;
    const started = now();
    let weight = 0;
    try {
      const answer = await fetch(range.after, range.cursor, signal);
      weight = answer.run.length;
      if (ranges.includes(range)) receive(range, answer, now() - started);
    } catch (error) {
      // A key of our own making may be refused, where those of a listing are not.
      if (!ranges.includes(range)) return;
      if (splitting && isOurs(range) && !trusted && !signal.aborted) goSerial();
      else if (order === "any") failure ??= { error };
      else range.error = { error };
    } finally {
      underWay -= 1;
      gate.leave(weight);
      wake();
    }
  };

  /** The range to ask next, cut off another where there is none; undefined when there is enough. */
  const pick = (): Range | undefined => {
    const [first] = ranges;
    if (first === undefined) return undefined;
    const allowed = Math.min(most, PAGE * (2 + 2 * handed));
    if (held + underWay * PAGE >= allowed) {
      if (isIdle(first) && first.pages.length === 0) return first;
      // What is held waits for the next ones: these few may go beyond the budget.
      return order === "key" && splitting && !oneByOne ? pickNearest(NEXT) : undefined;
    }
    return order === "key" || oneByOne ? pickNearest(allowed) : pickLargest();
  };
  /** Takes the range that is wanted soonest; one that seems to lie beyond the budget is left for later. */
  const pickNearest = (allowed: number): Range | undefined => {
    let ahead = 0;
    for (const [index, range] of ranges.entries()) {
      if (ahead >= allowed) return undefined;
      if (isIdle(range)) return range;
      for (const page of range.pages) ahead += page.length;
      if (range.state !== "asked") continue;
      ahead += PAGE;
      const more = splitting ? remaining(range, space) : 0;
      const behind = more > NEAR * 1.5 * PAGE ? cut(range, (NEAR - 1) * PAGE, space) : undefined;
      if (behind !== undefined) {
        ranges.splice(index + 1, 0, behind);
        return behind;
      }
      ahead += more;
    }
    return undefined;
  };
  /** First a range that goes on, then the widest unknown one, then half of the one with most left. */
  const pickLargest = (): Range | undefined => {
    const idle = ranges.find(({ state }) => state === "open") ?? ranges.findLast(isIdle);
    if (idle !== undefined || !splitting) return idle;
    let largest: Range | undefined;
    let most = 2 * PAGE;
    for (const range of ranges) {
      const more = range.state === "asked" ? remaining(range, space) : 0;
      if (more > most) [largest, most] = [range, more];
    }
    if (largest === undefined) return undefined;
    const behind = cut(largest, most / 2, space);
    if (behind === undefined) return pickLargest();
    ranges.splice(ranges.indexOf(largest) + 1, 0, behind);
    return behind;
  };

  const mayAsk = () => !(oneByOne && underWay > 0) && gate.tryEnter();
  const launch = () => {
    while (mayAsk()) {
      const ended = failure !== undefined || signal.aborted;
      const range = ended ? undefined : pick();
      if (range === undefined) return gate.leave(0);
      void ask(range);
    }
  };

  /** The next page that may be handed out. */
  const nextPage = (): Run | undefined => {
    while (ranges[0]?.state === "done" && ranges[0].pages.length === 0) ranges.shift();
    if (order === "key" || !trusted) return ranges[0]?.pages.shift();
    ranges = ranges.filter(({ state, pages }) => state !== "done" || pages.length > 0);
    return ranges.find(({ pages }) => pages.length > 0)?.pages.shift();
  };

  try {
    for (;;) {
      signal.throwIfAborted();
      const page = nextPage();
      if (unproved.some(({ range }) => range === ranges[0])) goSerial();
      launch();
      if (page !== undefined) {
        held -= page.length;
        handed += 1;
        yield page.entries();
        continue;
      }
      const [first] = ranges;
      if (first === undefined) return;
      const failed = failure ?? (first.error as { error: unknown } | undefined);
      if (failed !== undefined) throw failed.error;
      if (first.state === "done") continue;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    left.abort();
  }
}

function isIdle({ state }: Range): boolean {
  return state === "waiting" || state === "open";
}

/** The error of a service that lists keys now in this order and now in that. */
export function inconsistent(): AppError {
  return new AppError({
    kind: "unavailable",
    code: "InvalidResponse",
    message: "the service does not list keys in one order",
    hint: "run the command again",
  });
}
