/** Page cursors: opaque to the model, and good for any later process. */
import type { z } from "zod";

import { type AppError, usageError } from "../core/failures/errors.js";

/** Where a listing goes on: after a key, having shown `skip` entries of what follows it. */
export interface Cursor {
  /** Exclusive; undefined at the beginning. */
  readonly after: string | undefined;
  /** Versions of the next key that were shown already. */
  readonly skip: number;
}

/** Writes a cursor. */
export function encodeCursor({ after, skip }: Cursor): string {
  return Buffer.from(JSON.stringify([after ?? null, skip])).toString("base64url");
}

/** Reads a cursor; none is the beginning. Throws InvalidCursor. */
export function decodeCursor(text: string | undefined): Cursor {
  if (text === undefined || text === "") return { after: undefined, skip: 0 };
  const [after, skip] = parse(text);
  if (
    (after !== null && typeof after !== "string") ||
    !Number.isSafeInteger(skip) ||
    Number(skip) < 0
  ) {
    throw invalid();
  }
  return { after: after ?? undefined, skip: Number(skip) };
}

/** Writes what another kind of call goes on with. */
export function encodeData(data: unknown): string {
  return Buffer.from(JSON.stringify(data)).toString("base64url");
}

/** Reads it by its schema; undefined at the beginning. Throws InvalidCursor. */
export function decodeData<T>(text: string | undefined, schema: z.ZodType<T>): T | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const data: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return schema.parse(data);
  } catch {
    throw invalid();
  }
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (Array.isArray(value) && value.length === 2) return value;
  } catch {
    // Answered below, like any other text that is no cursor.
  }
  throw invalid();
}

function invalid(): AppError {
  return usageError(
    "InvalidCursor",
    "the cursor is not one this server gave",
    "pass cursor exactly as the previous page returned it, or leave it out to start again",
  );
}
