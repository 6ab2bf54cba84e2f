/** Finding the lines of a block that match a pattern. */
import { AppError } from "../failures/errors.js";

export const NEWLINE = 0x0a;

/** Looks in `block`, whole lines, from the start of a line: where the next match begins, or -1. */
export type LineFinder = (block: Buffer, from: number) => number;

/**
 * Makes what finds a pattern in lines: a literal or, with `regex`, an expression in RE2's syntax.
 * Its cost grows with the text alone, whatever the pattern. Throws InvalidPattern.
 */
export async function lineFinder(
  pattern: string,
  { regex = false, ignoreCase = false }: { regex?: boolean; ignoreCase?: boolean } = {},
): Promise<LineFinder> {
  if (pattern === "" || pattern.includes("\n")) {
    throw invalid(pattern, pattern === "" ? "it is empty" : "a line has no line feed in it");
  }
  if (!regex && !ignoreCase) {
    const needle = Buffer.from(pattern);
    return (block, from) => block.indexOf(needle, from);
  }
  const search = regex ? await expression(pattern, ignoreCase) : caseless(pattern);
  return (block, from) => {
    for (let start = from; start < block.length;) {
      const end = lineEnd(block, start);
      const text = block.toString("utf8", start, block[end - 1] === 0x0d ? end - 1 : end);
      const at = search(text);
      if (at >= 0) return start + Buffer.byteLength(text.slice(0, at));
      start = end + 1;
    }
    return -1;
  };
}

async function expression(pattern: string, ignoreCase: boolean): Promise<(text: string) => number> {
  const { RE2JS } = await import("re2js");
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (text) => {
      if (!compiled.test(text)) return -1;
      const matcher = compiled.matcher(text);
      return matcher.find() ? matcher.start() : 0;
    };
  } catch (cause) {
    throw invalid(pattern, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** A literal has nothing to go back to, so V8's expressions do. */
function caseless(pattern: string): (text: string) => number {
  const literal = new RegExp(pattern.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`), "iu");
  return (text) => text.search(literal);
}

function invalid(pattern: string, why: string, cause?: unknown): AppError {
  return new AppError({
    kind: "usage",
    code: "InvalidPattern",
    message: `"${pattern}" is no pattern for lines: ${why}`,
    hint: "look for a literal text, or write the expression in RE2's syntax",
    cause,
  });
}

/** The end of a line without its line feed. */
export function lineEnd(block: Buffer, start: number): number {
  const end = block.indexOf(NEWLINE, start);
  return end < 0 ? block.length : end;
}
