/** Many writes in one call: looked at first, asked about once, then done and written down one by one. */
import { type AppError, conflictError } from "../core/failures/errors.js";
import { toAppError } from "../core/failures/map.js";
import type { Before } from "../core/journal/types.js";
import { statOrUndefined } from "../core/operations/exists.js";
import type { ObjectInfo } from "../core/storage/storage.js";
import { formatCount } from "../text/format.js";
import { atOnce } from "./at-once.js";
import { type Target, undoName, undoNote } from "./change.js";
import type { Plan } from "./consent.js";
import { encodeCursor } from "./cursor.js";
import { defined, keyText, shortQuoted } from "./text.js";
import type { Call, ToolResult } from "./tool.js";

/** Writes in one call. */
export const MAX_JOBS = 10_000;

/** Failures that are named, and names in a question. */
const NAMED = 100;
const ASKED = 20;

/** One of the writes. */
export interface BulkItem {
  /** A key, or a path below a folder. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Where it goes; a local file's place is judged when it is written. */
  readonly target?: Target | undefined;
  /** The facts that tell the source from any other. */
  readonly facts: readonly unknown[];
  /** Writes over what was seen at the target; resolves with what was there before. */
  run(seen: ObjectInfo | undefined): Promise<Before>;
}

export interface Bulk {
  /** `copy`, `copied`. */
  readonly verb: readonly [doing: string, done: string];
  readonly from: string;
  readonly to: string;
  /** The sources go too. */
  readonly moves: boolean;
  readonly ifExists: "fail" | "skip" | "replace";
  readonly dryRun: boolean | undefined;
  readonly confirm: string | undefined;
  /** Keys that were named and are not there, and what could not be read. */
  readonly problems: readonly { readonly name: string; readonly error: AppError }[];
  /** Where another call goes on: the last name of this one, when there is more. */
  readonly after: string | undefined;
}

/** Does the jobs that `ifExists` admits. Replacements and removals are all asked about at once. */
export async function carryOutAll(
  call: Call,
  jobs: readonly BulkItem[],
  bulk: Bulk,
): Promise<ToolResult> {
  const { ifExists, moves } = bulk;
  const seen = new Map<BulkItem, ObjectInfo>();
  await atOnce(jobs, call.signal, async (job) => {
    if (job.target === undefined) return;
    const info = await statOrUndefined(job.target.storage, job.target.key, call.signal);
    if (info !== undefined) seen.set(job, info);
  });
  const taken = jobs.filter((job) => seen.has(job));
  if (taken.length > 0 && ifExists === "fail") throw exist(taken, jobs.length);
  const todo = ifExists === "skip" ? jobs.filter((job) => !seen.has(job)) : jobs;
  const replaced = todo.flatMap((job) => seen.get(job) ?? []);
  const plan = planOf(call, todo, replaced, seen, bulk);
  const needsYes = todo.length > 0 && (moves || replaced.length > 0);
  if (bulk.dryRun === true) return dryRun(call, todo, replaced, bulk, needsYes ? plan : undefined);
  if (needsYes) call.consent.confirm(plan, bulk.confirm);

  const done = { items: 0, bytes: 0, skipped: jobs.length - todo.length };
  const before: Before[] = [];
  const problems = [...bulk.problems];
  let settled = 0;
  await atOnce(todo, call.signal, async (job) => {
    try {
      before.push(await job.run(seen.get(job)));
      done.items += 1;
      done.bytes += job.size;
    } catch (caught) {
      const error = toAppError(caught);
      if (error.kind === "interrupted") throw caught;
      if (error.code === "FileExists" && ifExists === "skip") done.skipped += 1;
      else problems.push({ name: job.name, error });
    }
    call.report((settled += 1), todo.length);
  });
  return summary(
    bulk,
    {
      [bulk.verb[1]]: done.items,
      bytes: done.bytes,
      from: bulk.from,
      to: bulk.to,
      replaced: replaced.length || undefined,
      skipped: done.skipped || undefined,
      failed: problems.length || undefined,
      undo: before.length === 0 ? undefined : undoName(call, ...before),
    },
    problems,
  );
}

function summary(
  { after }: Bulk,
  counts: Readonly<Record<string, unknown>>,
  problems: Bulk["problems"],
): ToolResult {
  const failures = problems
    .slice(0, NAMED)
    .map(({ name, error: { code, message } }) => ({ name, code, message }));
  const facts = defined(counts);
  const cursor = after === undefined ? undefined : encodeCursor({ after, skip: 0 });
  const text = [
    ...Object.entries(facts).map(([name, value]) => `${name}: ${keyText(String(value))}`),
    ...(cursor === undefined ? [] : [`more: cursor=${cursor}`]),
    ...failures.map(({ name, code, message }) => `${keyText(name)}\t${code}: ${message}`),
  ];
  return {
    text: text.join("\n"),
    structured: defined({ ...facts, cursor, failures: failures.length > 0 ? failures : undefined }),
    failed: failures.length > 0,
  };
}

function planOf(
  call: Call,
  todo: readonly BulkItem[],
  replaced: readonly ObjectInfo[],
  seen: ReadonlyMap<BulkItem, ObjectInfo>,
  { verb, from, to, moves }: Bulk,
): Plan {
  const [doing] = verb;
  const bytes = todo.reduce((sum, { size }) => sum + size, 0);
  const what = `${doing[0]!.toUpperCase()}${doing.slice(1)} ${formatCount(todo.length, "object")} (${formatCount(bytes, "byte")}) from ${shortQuoted(from)} to ${shortQuoted(to)}?`;
  const names = todo.slice(0, ASKED).map((job) => {
    const note = seen.has(job) ? ` (replaces ${formatCount(seen.get(job)!.size, "byte")})` : "";
    return shortQuoted(job.name) + note;
  });
  const more = todo.length > ASKED ? [`and ${todo.length - ASKED} more`] : [];
  const notes = [
    moves ? "The sources are deleted." : undefined,
    replaced.length > 0
      ? `${formatCount(replaced.length, "object")} there will be replaced.`
      : undefined,
    undoNote(call, replaced),
  ];
  return {
    question: [
      [what, ...notes.filter((note) => note !== undefined)].join(" "),
      ...names,
      ...more,
    ].join("\n"),
    facts: [
      doing,
      moves,
      from,
      to,
      ...todo.map((job) => [
        job.name,
        ...job.facts,
        job.target?.key,
        seen.get(job)?.etag,
        seen.get(job)?.versionId,
      ]),
    ],
  };
}

function dryRun(
  call: Call,
  todo: readonly BulkItem[],
  replaced: readonly ObjectInfo[],
  bulk: Bulk,
  plan: Plan | undefined,
): ToolResult {
  const token = plan && call.consent.token(plan);
  const { text, structured } = summary(
    bulk,
    {
      dry_run: true,
      [`would_${bulk.verb[0]}`]: todo.length,
      bytes: todo.reduce((sum, { size }) => sum + size, 0),
      from: bulk.from,
      to: bulk.to,
      replaces: replaced.length || undefined,
      confirm: token,
      note: plan && token === undefined ? "the person will be asked" : undefined,
    },
    bulk.problems,
  );
  const names = todo.slice(0, NAMED).map(({ name }) => name);
  const rest = names.length < todo.length ? ["…"] : [];
  return {
    text: [text, ...names.map(keyText), ...rest].join("\n"),
    structured: { ...structured, names },
  };
}

function exist(taken: readonly BulkItem[], all: number): AppError {
  const names = taken.slice(0, ASKED).map(({ target }) => keyText(target!.key));
  const more = taken.length > ASKED ? ", …" : "";
  return conflictError(
    "ObjectExists",
    `nothing done: ${taken.length} of ${all} are there already: ${names.join(", ")}${more}`,
    "pass if_exists: skip to leave them, or replace, which has to be confirmed",
  );
}
