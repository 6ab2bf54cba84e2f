/** The stack of an error for `--debug`, in lines of the source. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";

import type { AppError } from "../core/failures/errors.js";
import { visible } from "../text/sanitize.js";

/** The stacks of an error and of what caused it. */
export function stackOf(problem: AppError): string {
  const stacks: string[] = [];
  for (let error: unknown = problem; error instanceof Error; error = error.cause) {
    stacks.push(error.stack ?? error.message);
  }
  const find = sourceLines();
  // Stacks quote messages, and messages quote strangers.
  const text = stacks.join("\ncaused by: ").split("\n").map(visible).join("\n");
  return text.replaceAll(/\(?[^\s()]*main\.cjs:(\d+):(\d+)\)?/g, (place, line, column) => {
    return find(Number(line), Number(column)) ?? place;
  });
}

/** Finds a place of the bundle in the source, as far as its map is there. */
function sourceLines(): (line: number, column: number) => string | undefined {
  const file = join(__dirname, "main.cjs.map");
  if (!existsSync(file)) return () => undefined;
  const map = new SourceMap(JSON.parse(readFileSync(file, "utf8")) as never);
  return (line, column) => {
    // The bundle has a line in front of what was built (scripts/build.mjs).
    const entry = map.findEntry(line - 2, column - 1);
    if (!("originalSource" in entry)) return undefined;
    return `(${entry.originalSource.replace(/^(?:\.\.\/)+/, "")}:${entry.originalLine + 1})`;
  };
}
