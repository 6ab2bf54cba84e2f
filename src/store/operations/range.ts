/** Byte ranges (RFC 9110 §14), one at a time as S3 serves them. */
import { refuse } from "../refuse.js";

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/**
 * The range of a `Range` header within an object. Undefined where the header is to be ignored: not
 * of the form, or more than one range. Throws InvalidRange when no byte of it exists.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (found === null) return undefined;
  const [, first, last] = found as unknown as [string, string, string];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const start = Math.max(0, size - Number(last));
    if (start >= size) throw unsatisfiable(header!, size);
    return { start, end: size - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) throw unsatisfiable(header!, size);
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

/** The header that says which bytes a 206 carries. */
export function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end}/${size}`;
}

function unsatisfiable(range: string, size: number): Error {
  return refuse(
    "InvalidRange",
    undefined,
    { RangeRequested: range, ActualObjectSize: String(size) },
    { "content-range": `bytes */${size}` },
  );
}
