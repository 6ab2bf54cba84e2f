/** Which local paths a call may touch. Pure: real paths in, a verdict out. */
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import {
  EXECUTED_NAMES,
  SENSITIVE_IN_HOME,
  SENSITIVE_NAMES,
  SENSITIVE_SYSTEM,
} from "./sensitive.js";

/** Directories, all of them real paths. */
export interface FilePolicy {
  /** With any of these, nothing outside them may be touched. */
  readonly allowed: readonly string[];
  /** Where work is expected when nothing was allowed by name: the working directory, the temp one. */
  readonly usual: readonly string[];
  /** Never, unless one of these, or something in it, was allowed by name or is worked in. */
  readonly sensitive: readonly string[];
  /** File names are compared without case. */
  readonly ignoreCase: boolean;
}

export type Verdict =
  | { readonly type: "allowed" }
  /** Allowed, but worth telling the person about. */
  | { readonly type: "unusual" }
  | { readonly type: "refused"; readonly reason: string };

/** Whether `path` is `directory` or below it. Both absolute and real. */
export function isWithin(directory: string, path: string, ignoreCase = false): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const rest = relative(fold(directory), fold(path));
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

/** Judges a real path, whether or not there is anything at it yet. */
export function judge(path: string, policy: FilePolicy): Verdict {
  const within = (directory: string) => isWithin(directory, path, policy.ignoreCase);
  const chosen = policy.allowed.length > 0 ? policy.allowed : policy.usual;

  const secret = policy.sensitive.find(
    (directory) =>
      within(directory) &&
      !chosen.some((root) => within(root) && isWithin(directory, root, policy.ignoreCase)),
  );
  if (secret !== undefined) {
    return { type: "refused", reason: "it may hold credentials or start programs" };
  }
  if (chosen.some(within)) return { type: "allowed" };
  if (policy.allowed.length > 0) {
    return { type: "refused", reason: "it is outside the directories given with --allow-dir" };
  }
  const names = path.toLowerCase().split(/[/\\]/);
  if (names.some((name) => SENSITIVE_NAMES.some((pattern) => pattern.test(name)))) {
    return {
      type: "refused",
      reason: "its name says that it may hold credentials or start programs",
    };
  }
  return { type: "unusual" };
}

/**
 * Why nothing may be written at a real path: it has a name that begins with a dot, or one that
 * tools run by themselves. Below a root, the root's own name does not count. Undefined when it may.
 */
export function unwritable(path: string, policy: FilePolicy): string | undefined {
  const roots = [...policy.allowed, ...policy.usual];
  const below = roots
    .filter((root) => isWithin(root, path, policy.ignoreCase))
    .map((root) => relative(root, path))
    .reduce((shortest, rest) => (rest.length < shortest.length ? rest : shortest), path);
  for (const name of below.split(/[/\\]/)) {
    if (name.startsWith(".")) return `${name} begins with a dot, as settings and hooks do`;
    // Windows ignores dots and spaces at the end of a name.
    const bare = name.toLowerCase().replace(/[. ]+$/, "");
    if (EXECUTED_NAMES.some((pattern) => pattern.test(bare))) {
      return `tools run or trust what is called ${name}`;
    }
  }
  return undefined;
}

/** The sensitive directories for a home and for what is pail's own. */
export function sensitivePaths(home: string, own: readonly string[]): string[] {
  return [
    ...SENSITIVE_IN_HOME.map((name) => join(home, name)),
    ...SENSITIVE_SYSTEM.filter((path) => resolve(path) === path),
    ...own,
  ];
}
