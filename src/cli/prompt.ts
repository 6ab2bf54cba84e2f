/** Asks a person. Questions go to stderr, so that stdout stays clean. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";

import { interrupted } from "../core/failures/errors.js";
import { namesAreExact } from "./lists.js";

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return !namesAreExact() && process.stdin.isTTY && process.stderr.isTTY;
}

/** One line, trimmed; with `hidden`, what is typed is not shown. */
export async function ask(
  question: string,
  { hidden = false, signal }: { hidden?: boolean; signal?: AbortSignal } = {},
): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // It takes over the echo, and so must be there before the question makes anybody type.
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? silent : process.stderr,
    terminal: true,
  });
  if (hidden) process.stderr.write(question);
  else {
    lines.setPrompt(question);
    lines.prompt();
  }
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", (line) => resolve(line.trim()));
      // Ctrl-C reaches readline as a key, and Ctrl-D closes it.
      lines.once("SIGINT", () => reject(interrupted()));
      lines.once("close", () => reject(interrupted()));
      signal?.addEventListener("abort", () => reject(interrupted()), { once: true });
    });
  } finally {
    lines.close();
    if (hidden) process.stderr.write("\n");
  }
}

/** A question answered by `y` or `yes`; everything else is no. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, signal === undefined ? {} : { signal });
  return /^y(?:es)?$/i.test(answer);
}

/**
 * A secret: all of stdin as text, without the newline at its end, at most 64 KiB. On a terminal it is
 * asked for, and not shown.
 */
export async function readSecret(): Promise<string> {
  if (process.stdin.isTTY) return ask("Secret key: ", { hidden: true });
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.length > 65_536) break;
  }
  return text.replace(/\r?\n$/, "");
}
