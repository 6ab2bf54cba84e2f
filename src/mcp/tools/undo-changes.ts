import { z } from "zod";

import { markUndone } from "../../core/journal/file.js";
import type { Recorded } from "../../core/journal/types.js";
import { cannotUndo, undoChanges } from "../../core/journal/undo.js";
import { formatCount } from "../../text/format.js";
import { type AppError, notFoundError } from "../../core/failures/errors.js";
import { changeName, groupsOf } from "../undo.js";
import { keyText, shortQuoted, table } from "../text.js";
import { type Call, type ToolResult, defineTool } from "../tool.js";
import { confirm, name } from "./parameters.js";

/** Calls that are listed, and changes that are named in a question or a result. */
const LISTED = 50;
const NAMED = 20;

export const undoChangesTool = defineTool({
  name: "undo_changes",
  description: "Undo this session's changes by their undo names; without names, list them",
  access: "write",
  schema: { undo: z.array(name).min(1).max(1000).optional(), confirm },
  handler: async ({ undo, confirm: token }, call) => {
    const all = await call.journal.changes();
    if (undo === undefined) return list(all);
    const wanted = new Set(undo);
    const changes = all.filter((change) => wanted.has(change.call) && change.undone === undefined);
    const unknown = undo.filter((one) => !all.some((change) => change.call === one));
    if (unknown.length > 0) throw unknownCall(unknown[0]!);
    if (changes.length === 0) return { text: "nothing left to undo", structured: { undone: 0 } };
    call.consent.confirm(
      {
        question: `Undo ${formatCount(changes.length, "change")} of the agent?\n${named(changes, (change) => shortQuoted(changeName(change)))}`,
        facts: ["undo", ...changes.map(({ id }) => id)],
      },
      token,
    );
    return undoThem(changes, all, call);
  },
});

function list(all: readonly Recorded[]): ToolResult {
  const groups = groupsOf(all).toReversed().slice(0, LISTED);
  const rows = groups.map(({ name: undo, changes }) => ({
    undo,
    at: changes[0]!.at,
    tool: changes[0]!.tool,
    changes: changes.length,
    first: changeName(changes[0]!),
    state: changes.every((change) => change.undone !== undefined)
      ? "undone"
      : (changes.map(cannotUndo).find((reason) => reason !== undefined) ?? "can be undone"),
  }));
  const columns = ["undo", "at", "tool", "changes", "first", "state"] as const;
  const lines = rows.length === 0 ? ["nothing has been changed"] : table(columns, rows);
  return { text: lines.join("\n"), structured: { changes: rows } };
}

async function undoThem(
  changes: readonly Recorded[],
  all: readonly Recorded[],
  call: Call,
): Promise<ToolResult> {
  const results = await undoChanges(changes, {
    places: {
      bucket: ({ bucket, alias }) => call.bucket(bucket, "write", alias),
      service: ({ alias }) => call.service("write", alias),
    },
    all,
    signal: call.signal,
    onUndone: (change, after) => markUndone(call.journal.directory, change, after),
    onProgress: (done) => call.report(done, changes.length),
  });
  const failed = results.filter(({ problem }) => problem !== undefined);
  const undone = results.length - failed.length;
  const failures = failed.slice(0, NAMED).map(({ change, problem }) => ({
    key: changeName(change),
    code: problem!.code,
    message: problem!.message,
  }));
  const lines = [
    `undid ${formatCount(undone, "change")}`,
    ...(failed.length > 0 ? [`not undone ${failed.length}:`] : []),
    ...failures.map(({ key, code, message }) => `${keyText(key)}\t${code}: ${message}`),
  ];
  return {
    text: lines.join("\n"),
    structured: { undone, not_undone: failed.length, ...(failed.length > 0 ? { failures } : {}) },
    failed: failed.length > 0,
  };
}

function named(changes: readonly Recorded[], write: (change: Recorded) => string): string {
  const names = changes.slice(0, NAMED).map(write);
  const more = changes.length - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function unknownCall(undo: string): AppError {
  return notFoundError(
    "NoSuchChange",
    `this session made no change called ${undo}`,
    "call undo_changes without undo to see what there is",
  );
}
