/** The filter flags, read. */
import { readFileSync } from "node:fs";

import { localError } from "../core/failures/local.js";
import { type Filter, idlePatterns, parsePatterns, requireValid } from "../core/filter.js";
import type { Output } from "./output.js";

export interface FilterInput {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly "exclude-from"?: readonly string[] | undefined;
}

/** The filter the flags ask for; --exclude has the last word over --exclude-from. Throws usage errors. */
export function readFilter(flags: FilterInput): Filter {
  const files = (flags["exclude-from"] ?? []).flatMap((path) => {
    try {
      return parsePatterns(readFileSync(path, "utf8"));
    } catch (error) {
      throw localError(error, "read", path);
    }
  });
  const filter = { include: flags.include, exclude: [...files, ...(flags.exclude ?? [])] };
  requireValid(filter);
  return filter;
}

/** Names the patterns of the command line that changed nothing: they may be mistaken. */
export function noteIdlePatterns(output: Output, flags: FilterInput, filter: Filter): void {
  const idle = new Set(idlePatterns(filter));
  const note = (name: "include" | "exclude", what: string) => {
    for (const pattern of flags[name] ?? []) {
      if (idle.has(pattern)) output.note(`--${name} '${pattern}' ${what}`);
    }
  };
  note("include", "took in nothing");
  note("exclude", "left out nothing");
}
