/** Sizes, rates and durations as people type them. */
import { type AppError, invalidArgument } from "../core/failures/errors.js";

const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kib: 1024,
  kb: 1000,
  m: 1024 ** 2,
  mib: 1024 ** 2,
  mb: 1000 ** 2,
  g: 1024 ** 3,
  gib: 1024 ** 3,
  gb: 1000 ** 3,
  t: 1024 ** 4,
  tib: 1024 ** 4,
  tb: 1000 ** 4,
};

const TIME_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/** Bytes from `16MiB`, `16M` (IEC), `5GB` (decimal) or a plain number. Throws a usage error. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*?)(?:\/s)?$/i.exec(text.trim());
  const unit = SIZE_UNITS[match?.[2]?.toLowerCase() ?? "?"];
  const bytes = Math.floor(Number(match?.[1]) * (unit ?? Number.NaN));
  if (!(bytes > 0)) throw invalid("size", text, "write it as 64KiB, 16MiB or 1GiB");
  return bytes;
}

/** Seconds from `90`, `15m`, `1h30m`, `7d`. Throws a usage error. */
export function parseDuration(text: string): number {
  const trimmed = text.trim().toLowerCase();
  let seconds = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+)([smhdw]?)/g)) {
    seconds += Number(count) * (TIME_UNITS[unit ?? ""] ?? Number.NaN);
  }
  if (!/^(?:\d+[smhdw])+$|^\d+$/.test(trimmed) || !Number.isSafeInteger(seconds)) {
    throw invalid("duration", text, "write it as 30s, 15m, 1h30m or 7d");
  }
  return seconds;
}

/** `name=value` pairs. Throws a usage error on one without a name. */
export function parsePairs(pairs: readonly string[], what: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const pair of pairs) {
    const cut = pair.indexOf("=");
    if (cut < 1) throw invalid(what, pair, "write it as name=value");
    result[pair.slice(0, cut)] = pair.slice(cut + 1);
  }
  return result;
}

function invalid(what: string, text: string, hint: string): AppError {
  return invalidArgument(`"${text}" is not a ${what}`, hint);
}

/** Inclusive byte positions from `0-99` or `100-`, or the last bytes from `-100`. Throws a usage error. */
export function parseRange(text: string): { start: number; end?: number } | { suffix: number } {
  const suffix = Number(/^-(\d+)$/.exec(text)?.[1]);
  if (suffix > 0) return { suffix };
  const match = /^(\d+)-(\d*)$/.exec(text);
  const start = Number(match?.[1]);
  const end = match?.[2] ? Number(match[2]) : undefined;
  if (match === null || (end !== undefined && end < start)) {
    throw invalid(
      "range",
      text,
      "write it as FIRST-LAST from 0, or -N for the last N: --range 0-99",
    );
  }
  return end === undefined ? { start } : { start, end };
}

/**
 * A moment, in milliseconds since the epoch: a date (`2025-08-01`, `2025-08-01T10:00:00Z`; local time
 * without a zone) or a duration before now (`7d`). Throws a usage error.
 */
export function parseMoment(text: string, now = Date.now()): number {
  if (!/^\d{4}-\d\d/.test(text)) return now - parseDuration(text) * 1000;
  // A date alone would be read as UTC.
  const moment = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (!Number.isNaN(moment)) return moment;
  throw invalid("time", text, "write it as 7d, 2025-08-01 or 2025-08-01T10:00:00Z");
}

/** The moment a duration before now, in milliseconds since the epoch. Throws a usage error. */
export function ago(text: string | undefined, now = Date.now()): number | undefined {
  return text === undefined ? undefined : now - parseDuration(text) * 1000;
}
