/** The content of a window of an object: text, or bytes. */
import type { ObjectInfo } from "../../../core/storage/storage.js";
import type { PreviewContent } from "./state.js";

/** A window as text when it is text: valid UTF-8 but for what the window's edges cut. */
export function windowOf(
  bytes: Buffer,
  offset: number,
  { size }: Pick<ObjectInfo, "size">,
): PreviewContent {
  const last = offset + bytes.length >= size;
  // A window ends after a line where it can, so that no line is torn.
  const newline = bytes.lastIndexOf(0x0a);
  const whole = last || newline < 0 ? bytes : bytes.subarray(0, newline + 1);
  const text = decode(whole);
  if (text === undefined) {
    return { type: "bytes", bytes, end: offset + bytes.length };
  }
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { type: "text", lines, end: offset + whole.length };
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  const trimmed = withoutTornEdges(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(trimmed);
  } catch {
    return undefined;
  }
}

/** Up to three bytes at either end may belong to characters that the window cut. */
function withoutTornEdges(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= bytes.length - start; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needs > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(start, end);
}
