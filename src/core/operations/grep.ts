/** Lines that match, in one object or in many: in order, bounded, and with a place to go on from. */
import { type AppError, conflictError } from "../failures/errors.js";
import { factsOf } from "../failures/codes.js";
import { toAppError } from "../failures/map.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { Entry, ObjectEntry } from "../storage/storage.js";
import { compressionOf, expanded } from "./excerpt.js";
import { lineEnd, type LineFinder, NEWLINE } from "./line-finder.js";

/** Where in an object's content to go on. */
export interface LinePosition {
  /** The first byte that was not looked at, after expansion. */
  readonly offset: number;
  /** The number of its line, from 1. */
  readonly line: number;
  /** The object must still be this one: else it is skipped with PreconditionFailed. */
  readonly etag?: string | undefined;
  /** The content was expanded to get there. */
  readonly expanded: boolean;
}

/** Where a search goes on. */
export interface GrepCursor {
  /** The last key that was done with: list what comes after it. */
  readonly after?: string | undefined;
  /** Where to begin in the first object of that. */
  readonly at?: LinePosition | undefined;
}

export interface GrepRequest {
  readonly storage: BucketStorage;
  /** The entries to search, in the order of keys; only the objects among them are read. */
  readonly pages: AsyncIterable<readonly Entry[]>;
  readonly find: LineFinder;
  /** The cursor of an earlier search; `pages` begin there. */
  readonly from?: GrepCursor | undefined;
  /** Lines at most. Default: all. */
  readonly maxLines?: number | undefined;
  /** About how many bytes of content are looked at; at least something is. Default: all. */
  readonly maxBytes?: number | undefined;
  /** Bytes of one line that are handed out: those around what matched. Default: all. */
  readonly keep?: number | undefined;
  /** Leaves compressed objects as they are. */
  readonly raw?: boolean | undefined;
  /** Also looks at objects that have a NUL among their first bytes. */
  readonly binary?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

type LineEvent = Extract<GrepEvent, { type: "line" }>;

export type GrepEvent =
  | {
      readonly type: "line";
      readonly entry: ObjectEntry;
      /** The number of the line, counted from 1. */
      readonly line: number;
      /** The offset of the line's first byte, after expansion. */
      readonly offset: number;
      /** Without its end. */
      readonly text: string;
      /** The line has more than that. */
      readonly cut: boolean;
    }
  /** An object that was not, or not wholly, looked at, and why. */
  | { readonly type: "skipped"; readonly entry: ObjectEntry; readonly error: AppError }
  | GrepEnd;

/** The last event. */
export interface GrepEnd {
  readonly type: "end";
  /** Objects looked at, and those with a line that matched. */
  readonly objects: number;
  readonly matched: number;
  readonly lines: number;
  /** Bytes of content, after expansion. */
  readonly bytes: number;
  /** The limit that ended it before all was looked at. */
  readonly stopped?: "lines" | "bytes" | undefined;
  /** To go on from there. */
  readonly next?: GrepCursor | undefined;
}

/** The longest line that is looked at in one piece; what matches across two pieces is not found. */
const LONGEST_LINE = 1024 * 1024;
/** The number of first bytes in which a NUL says that a content is not text. */
const BINARY_HEAD = 8 * 1024;
/** Objects read at once. */
const AHEAD = 8;
/** Bytes of matching lines an object may have waiting. */
const BATCH = 64 * 1024;
/** Nothing is read ahead of an object of so many bytes. */
const LARGE = 8 * 1024 * 1024;

/** A matching line, and where the next one begins. */
interface Hit {
  readonly event: LineEvent;
  readonly next: LinePosition;
}

/** Resolves with where the limit of bytes ended it. */
type Scan = AsyncGenerator<readonly Hit[], LinePosition | undefined>;

interface Begun {
  readonly entry: ObjectEntry;
  readonly scan: Scan;
  /** Begun before its turn. */
  readonly first: ReturnType<Scan["next"]>;
}

/**
 * The lines that match, object by object in the order given. An object that cannot be read, or is
 * no text, is skipped and named; an error that every object would meet (credentials, the bucket) is
 * thrown.
 */
export async function* grep(request: GrepRequest): AsyncGenerator<GrepEvent> {
  const { maxLines = Infinity, maxBytes = Infinity } = request;
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, ...(request.signal ? [request.signal] : [])]);
  const read = { bytes: 0, limit: maxBytes };
  const count = { objects: 0, matched: 0, lines: 0 };
  const begun: Begun[] = [];
  let after = request.from?.after;
  let at = request.from?.at;

  const begin = (entry: ObjectEntry): Begun => {
    const scan = scanObject({ ...request, signal }, entry, at, read);
    at = undefined;
    const first = scan.next();
    // The error is thrown where the scan is taken up; one that never is may fail unseen.
    first.catch(() => undefined);
    return { entry, scan, first };
  };
  const end = (stopped?: "lines" | "bytes", stop?: LinePosition): GrepEnd => ({
    type: "end",
    ...count,
    bytes: read.bytes,
    ...(stopped === undefined ? {} : { stopped, next: { after, at: stop } }),
  });
  async function* settle({ entry, scan, first }: Begun): AsyncGenerator<GrepEvent, GrepEnd | void> {
    const before = count.lines;
    try {
      for (let step = await first; ; step = await scan.next()) {
        if (step.done === true) {
          if (step.value !== undefined) return end("bytes", step.value);
          break;
        }
        for (const { event, next } of step.value) {
          yield event;
          count.lines += 1;
          if (count.lines === before + 1) count.matched += 1;
          if (count.lines >= maxLines) return end("lines", next);
        }
      }
      count.objects += 1;
    } catch (error) {
      const failure = toAppError(error);
      if (failure.kind === "interrupted" || factsOf(failure.code)?.endsRun === true) throw failure;
      yield { type: "skipped", entry, error: failure };
    }
    after = entry.key;
  }
  try {
    for await (const page of request.pages) {
      for (const entry of page) {
        if (entry.type !== "object" || entry.isDeleteMarker === true) continue;
        begun.push(begin(entry));
        const most = entry.size > LARGE ? 0 : AHEAD - 1;
        while (begun.length > most) {
          const ended = yield* settle(begun[0]!);
          if (ended) return yield ended;
          begun.shift();
        }
      }
    }
    for (; begun.length > 0; begun.shift()) {
      const ended = yield* settle(begun[0]!);
      if (ended) return yield ended;
    }
    yield end();
  } finally {
    leaving.abort();
    await Promise.allSettled(begun.map(({ scan }) => scan.return(undefined)));
  }
}

/** The matches in one object, in batches. */
async function* scanObject(
  { storage, find, keep = Infinity, raw, binary = false, signal }: GrepRequest,
  entry: ObjectEntry,
  from: LinePosition | undefined,
  read: { bytes: number; readonly limit: number },
): Scan {
  const { key, versionId } = entry;
  const ranged = from !== undefined && !from.expanded && from.offset > 0;
  let { offset, line } = from ?? { offset: 0, line: 1 };
  if (entry.size === 0 || (ranged && offset >= entry.size)) return undefined;
  const opened = await storage.read(key, {
    versionId,
    range: ranged ? { start: offset } : undefined,
    ifMatch: from?.etag,
    signal,
  });
  const asIs = raw === true || ranged;
  const place = {
    etag: opened.info.etag ?? entry.etag,
    expanded: !asIs && compressionOf({ ...opened.info, key }) !== undefined,
  };
  let skip = ranged ? 0 : offset;
  let judged = binary || offset > 0;
  let carry: Uint8Array = Buffer.alloc(0);
  let hits: Hit[] = [];
  let held = 0;
  let told = 0;

  /** Takes what matches out of whole lines, or of a piece of a very long one. */
  const take = (block: Buffer) => {
    let start = 0;
    for (let at = find(block, 0); at >= 0; at = start < block.length ? find(block, start) : -1) {
      const lineStart = at === 0 ? 0 : block.lastIndexOf(NEWLINE, at - 1) + 1;
      line += newlines(block, start, lineStart);
      const end = lineEnd(block, lineStart);
      const text = around(block, lineStart, end, at, keep);
      const event: LineEvent = { type: "line", entry, line, offset: offset + lineStart, ...text };
      if (end < block.length) line += 1;
      start = end + 1;
      // One match is enough for a line in several pieces.
      if (event.line === told) continue;
      told = event.line;
      hits.push({ event, next: { offset: offset + start, line, ...place } });
      held += text.text.length;
    }
    line += newlines(block, start, block.length);
    offset += block.length;
  };

  for await (const chunk of expanded(opened, { key, raw: asIs })) {
    const part = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - part.length;
    if (part.length === 0) continue;
    read.bytes += part.length;
    if (!judged && part.subarray(0, BINARY_HEAD).includes(0)) throw notText(key);
    judged = true;
    const joined = Buffer.concat([carry, part]);
    let end = joined.lastIndexOf(NEWLINE) + 1;
    if (end === 0 && joined.length >= LONGEST_LINE) end = joined.length;
    take(joined.subarray(0, end));
    carry = joined.subarray(end);
    const enough = end > 0 && read.bytes >= read.limit;
    if (held >= BATCH || enough) {
      yield hits;
      hits = [];
      held = 0;
    }
    if (enough) return { offset, line, ...place };
  }
  take(Buffer.from(carry));
  yield hits;
  return undefined;
}

function newlines(block: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = block.indexOf(NEWLINE, start); at >= 0 && at < end; count += 1) {
    at = block.indexOf(NEWLINE, at + 1);
  }
  return count;
}

/** The part of a line that is handed out: `keep` bytes around the match, whole characters. */
function around(block: Buffer, start: number, end: number, at: number, keep: number) {
  const stop = end > start && block[end - 1] === 0x0d ? end - 1 : end;
  if (stop - start <= keep) return { text: block.toString("utf8", start, stop), cut: false };
  let first = Math.max(start, Math.min(at - Math.floor(keep / 4), stop - keep));
  let last = Math.min(stop, first + keep);
  const inside = (index: number) => index < stop && (block[index]! & 0xc0) === 0x80;
  while (first > start && first < last && inside(first)) first += 1;
  while (last > first && inside(last)) last -= 1;
  return { text: block.toString("utf8", first, last), cut: true };
}

function notText(key: string): AppError {
  return conflictError("NotText", `${key} is not text: there is a NUL in it`);
}
