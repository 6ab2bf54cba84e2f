/** Proves from the reports of its shards that a job is whole. */
import { type AppError, conflictError, usageError } from "../failures/errors.js";
import { shellWord } from "../failures/shell-word.js";
import { isTiling, type Shard } from "../key-range.js";
import { readReport, type ReportEnd, type ReportFailure } from "../report.js";

/** One shard, as its reports have it. */
export interface ShardState {
  readonly number: number;
  /** Why it is not whole, when it is not. */
  readonly why: string | undefined;
  readonly failures: readonly ReportFailure[];
}

export interface Merged {
  readonly command: string;
  readonly of: number;
  readonly shards: readonly ShardState[];
  /** The sums of all runs, or of what the whole shards found. */
  readonly items: number;
  readonly bytes: number;
  /** The commands that finish the job. */
  readonly again: readonly string[];
}

interface Report {
  readonly name: string;
  readonly command: string;
  readonly shard: Shard;
  readonly words: readonly string[];
  readonly made: string;
  readonly failures: readonly ReportFailure[];
  readonly end: ReportEnd | undefined;
}

/** Commands whose runs each do a part; the others find the same again. */
const DOES = new Set(["sync", "cp", "mv", "rm"]);

/**
 * Merges reports, each a file with the name that it is known by. A shard is whole when the last of its
 * runs ended well: a good one before that may be yesterday's. Throws a conflict (DifferentJobs, NotTiling) for reports that are not of one job, since
 * nothing follows from them.
 */
export function mergeReports(files: readonly { path: string; name: string }[]): Merged {
  const reports = files.map(({ path, name }) => reportIn(path, name));
  const first = reports[0]!;
  for (const other of reports) requireSameJob(first, other);
  const { of } = first.shard;
  const ranges = new Map<number, Shard>();
  for (const { shard, name } of reports) {
    const known = ranges.get(shard.number) ?? shard;
    if (known.after !== shard.after || known.to !== shard.to) {
      throw conflict("NotTiling", `${name} has another range for shard ${shard.number}/${of}`);
    }
    ranges.set(shard.number, shard);
  }
  const known = [...ranges.values()].sort((a, b) => a.number - b.number);
  if (known.length === of && !isTiling(known)) {
    throw conflict("NotTiling", "the ranges of the shards leave a gap, or overlap");
  }

  const sum = { items: 0, bytes: 0 };
  const shards: ShardState[] = [];
  for (let number = 1; number <= of; number++) {
    const runs = reports.filter(({ shard }) => shard.number === number).sort(byTime);
    const last = runs.at(-1);
    const whole = last !== undefined && isWhole(last);
    for (const { end } of DOES.has(first.command) ? runs : whole ? [last] : []) {
      sum.items += end?.items ?? 0;
      sum.bytes += end?.bytes ?? 0;
    }
    const why = whole
      ? undefined
      : last === undefined
        ? "it has no report"
        : last.end === undefined
          ? "it did not come to its end"
          : (last.end.error?.message ?? `${last.end.failed} failed`);
    shards.push({ number, why, failures: why === undefined ? [] : (last?.failures ?? []) });
  }
  const again = shards
    .filter(({ why }) => why !== undefined)
    .map(({ number }) => {
      const words = ["pail", first.command, "--shard", `${number}/${of}`, ...first.words];
      return words.map(shellWord).join(" ");
    });
  return { command: first.command, of, shards, ...sum, again };
}

function reportIn(path: string, name: string): Report {
  const { header, outcome } = readReport(path);
  const { shard, words = [], command, made } = header;
  if (shard === undefined || !isNumbered(shard)) {
    throw usageError(
      "NotAReport",
      `${name} is the report of a whole command, not of a shard`,
      "name the reports of commands with --shard",
    );
  }
  return { name, shard, words, command, made, ...outcome() };
}

/** Whether it is one of a number of shards, as it says. */
function isNumbered({ number, of }: Shard): boolean {
  return Number.isInteger(number) && Number.isInteger(of) && number >= 1 && number <= of;
}

/** Differences are a result of a comparison, not a failure of it. */
function isWhole({ end, command }: Report): boolean {
  if (end?.failed !== 0) return false;
  return end.error === undefined || (command === "diff" && end.error.code === "Different");
}

function byTime(a: Report, b: Report): number {
  return a.made < b.made ? -1 : 1;
}

function requireSameJob(one: Report, other: Report): void {
  const differ = (what: string) =>
    conflict("DifferentJobs", `${one.name} and ${other.name} are not of one job: ${what}`);
  if (one.shard.split !== other.shard.split) throw differ("they are of two splits");
  if (one.shard.of !== other.shard.of) throw differ("they count other shards");
  const job = ({ command, words }: Report) => JSON.stringify([command, ...essential(words)]);
  if (job(one) !== job(other)) throw differ("they did different things");
}

/** Flags that may differ when a shard is run again. */
const FREE = /^--(?:report|concurrency|limit-upload|limit-download|retries)(=|$)/;
const SAID = new Set(["-q", "--quiet", "--json", "--debug", "--trace"]);

function essential(words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const value = FREE.exec(words[index - 1] ?? "")?.[1] === "";
    return !value && !FREE.test(word) && !SAID.has(word);
  });
}

function conflict(code: string, message: string): AppError {
  const hint = "merge the reports of one command and one split";
  return conflictError(code, message, hint);
}
