/** The record of every call, for the person: JSON lines in a file, without bodies and secrets. */
import { appendFileSync, closeSync, openSync } from "node:fs";

import { localError } from "../core/failures/local.js";
import type { Redact } from "./redact.js";

/** One call and what became of it. */
export interface AuditEntry {
  readonly tool: string;
  readonly alias: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** `done`, `failed` for some items, else the code of the error. */
  readonly outcome: string;
  /** The name under which its changes are undone. */
  readonly undo?: string | undefined;
  /** The answers of a person, question by question. */
  readonly answers?: readonly string[] | undefined;
  readonly ms: number;
}

/** Writes an entry down; throws what the file system said. */
export type Audit = (entry: AuditEntry) => void;

/** Parameters that carry content. */
const BODIES = new Set(["content", "find", "replace"]);

/** Characters of one argument. */
const LONGEST = 1024;

/** Opens the file for appending, made when it is not there; throws when it cannot be written. */
export function openAudit(path: string, redact: Redact, now: () => number): Audit {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw localError(error, "write", path);
  }
  return ({ args, ...entry }) => {
    const at = new Date(now()).toISOString();
    const line = { at, ...entry, args: Object.fromEntries(Object.entries(args).map(shown)) };
    appendFileSync(path, `${redact(JSON.stringify(line))}\n`, { mode: 0o600 });
  };
}

function shown([name, value]: [string, unknown]): [string, unknown] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (BODIES.has(name)) return [name, `(${Buffer.byteLength(text ?? "")} bytes)`];
  return [name, text !== undefined && text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : value];
}
