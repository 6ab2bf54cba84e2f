/** Lists of exact names, on stdin or in a file. */
import { AppError, usageError } from "../core/failures/errors.js";

/** `-0`, as xargs has it; the parser takes any character, but its types know letters only. */
export const NULL_CHAR = "0" as "z";

/**
 * Lines that end with a line feed, or with a NUL, and with nothing else, since a key may hold
 * anything else. A carriage return at the end may be the key's or the line's: nobody can know.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  end: "\n" | "\0" = "\n",
  from = "stdin",
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decode(decoder, from, chunk)).split(end);
    rest = lines.pop()!;
    for (const line of lines) yield end === "\n" ? exactLine(line) : line;
  }
  rest += decode(decoder, from);
  if (rest !== "") yield end === "\n" ? exactLine(rest) : rest;
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  from: string,
  chunk?: Uint8Array,
): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    const message = `${from} is not UTF-8, and keys are`;
    throw new AppError({ kind: "usage", code: "InvalidInput", message, cause });
  }
}

function exactLine(line: string): string {
  if (!line.endsWith("\r")) return line;
  throw usageError(
    "InvalidInput",
    `the line ${JSON.stringify(line)} ends with a carriage return`,
    "take it off: tr -d '\\r' < keys.txt | pail rm --stdin; or name the key as an argument",
  );
}
