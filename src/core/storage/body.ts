import type { HttpResponse } from "../../protocol/message.js";
import { unavailableError } from "../failures/errors.js";
import type { ByteRange } from "./storage.js";

/**
 * The body of an answer to GET, checked: fewer or more bytes than announced are an error after the
 * last chunk, and a service that ignored the range and sent everything is cut to the range.
 */
export function exactBody(
  response: HttpResponse,
  range: ByteRange | undefined,
  about: string,
): AsyncIterable<Uint8Array> {
  const first = /^bytes (\d+)-/.exec(response.headers["content-range"] ?? "")?.[1];
  if (range !== undefined && response.status === 206 && Number(first) !== range.start) {
    throw unavailableError(
      "InvalidResponse",
      `${about}: the service answered with other bytes than it was asked for`,
    );
  }
  const announced = response.headers["content-length"];
  const expected = announced === undefined ? undefined : Number(announced);
  const body = counted(response.body, expected, about);
  return range !== undefined && response.status === 200 ? cut(body, range) : body;
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  expected: number | undefined,
  about: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    yield chunk;
  }
  if (expected !== undefined && size !== expected) {
    throw unavailableError("IncompleteBody", `${about} ended after ${size} of ${expected} bytes`);
  }
}

async function* cut(
  body: AsyncIterable<Uint8Array>,
  { start, end = Infinity }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of body) {
    const from = Math.max(start - position, 0);
    const to = Math.min(end + 1 - position, chunk.length);
    if (from < to) yield chunk.subarray(from, to);
    position += chunk.length;
    if (position > end) return;
  }
}
