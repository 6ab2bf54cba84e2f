/** Decides which local paths a call may touch. Pure: real paths in, a verdict out. */
import { isAbsolute, relative, sep } from "node:path";

import {
  EXECUTED_NAMES,
  HARMLESS_DOT_NAMES,
  PROGRAM_NAMES,
  SECRET_NAMES,
  SECRET_PLACES,
} from "./sensitive.js";

/** Directories, all of them real paths. */
export interface FilePolicy {
  /** Where files may be read, and new ones written, without asking. */
  readonly roots: readonly string[];
  /** pail's own: its aliases, its store, its journal. Never touched. */
  readonly own: readonly string[];
  /** Never touched unless a root inside them was named. */
  readonly system: readonly string[];
  /** From `--allow-sensitive`. */
  readonly allowSensitive: boolean;
  /** From `--allow-overwrite`: inside a root an existing file may be replaced without asking. */
  readonly allowOverwrite: boolean;
  /** File names are compared without case. */
  readonly ignoreCase: boolean;
}

export type Verdict =
  | { readonly type: "allowed" }
  /** Only with a person's yes for this very path. */
  | { readonly type: "ask"; readonly reason: string; readonly option: string }
  /** Not even with one; `option`, where there is one, is what would permit it. */
  | { readonly type: "refused"; readonly reason: string; readonly option?: string | undefined };

const SENSITIVE = "--allow-sensitive";

/** Whether `path` is `directory` or below it. Both absolute and real. */
export function isWithin(directory: string, path: string, ignoreCase = false): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const rest = relative(fold(directory), fold(path));
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

/** Judges a real path, whether or not there is anything at it. */
export function judge(path: string, use: "read" | "write", policy: FilePolicy): Verdict {
  const within = (directory: string) => isWithin(directory, path, policy.ignoreCase);
  if (policy.own.some(within)) return { type: "refused", reason: "it is pail's own" };
  const root = policy.roots.filter(within).sort((a, b) => b.length - a.length)[0];
  // Below a root, the names above it do not count: a person chose them.
  const below = root === undefined ? path : relative(root, path);
  const system = policy.system.find(within);
  const chosen = (directory: string) =>
    root !== undefined && isWithin(directory, root, policy.ignoreCase);
  if (!policy.allowSensitive) {
    if (system !== undefined && !chosen(system)) {
      return { type: "refused", reason: `${system} is the system's`, option: SENSITIVE };
    }
    const reason = use === "read" ? secretName(below) : executedName(below);
    if (reason !== undefined) return { type: "refused", reason, option: SENSITIVE };
  }
  if (root === undefined) {
    const where = policy.roots.length === 0 ? "no directory is allowed" : "it is outside";
    return { type: "ask", reason: where, option: "--allow-dir DIR" };
  }
  if (use === "write" && !policy.allowSensitive && PROGRAM_NAMES.test(below.toLowerCase())) {
    return { type: "ask", reason: "it is a program's name", option: SENSITIVE };
  }
  return { type: "allowed" };
}

/** Why a path's names say that it holds secrets; undefined when they do not. */
function secretName(path: string): string | undefined {
  const lower = path.toLowerCase().replaceAll("\\", "/");
  if (SECRET_PLACES.test(lower)) return "its place says that it may hold credentials";
  const secret = lower
    .split("/")
    .find(
      (name) =>
        (/^\.(?!\.?$)/.test(name) && !HARMLESS_DOT_NAMES.test(name)) ||
        SECRET_NAMES.some((pattern) => pattern.test(name)),
    );
  return secret === undefined ? undefined : `the name ${secret} says that it may hold secrets`;
}

// Characters that some file systems leave out of a name, so that `.g\u200cit` is `.git` there.
const IGNORED = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u0000-\u001f\u007f]/u;

/** Why tools would run or trust what is written at a path; undefined when they would not. */
function executedName(path: string): string | undefined {
  for (const name of path.split(/[/\\]/)) {
    if (IGNORED.test(name)) return "a name in it has invisible characters";
    // Windows ignores dots and spaces at the end of a name, and has short names besides.
    const bare = name
      .toLowerCase()
      .normalize("NFKC")
      .replace(/[. ]+$/, "");
    if (bare.startsWith(".") || (bare === "" && name !== "")) {
      return `${name} begins with a dot, as settings and hooks do`;
    }
    if (/^.{1,6}~\d+(?:\..{1,3})?$/.test(bare)) return `${name} may be another name's short form`;
    if (EXECUTED_NAMES.some((pattern) => pattern.test(bare))) {
      return `tools run or trust what is called ${name}`;
    }
  }
  return undefined;
}
