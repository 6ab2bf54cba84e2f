/** Paths as they are written, and the real ones they stand for; the directories that are allowed. */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { invalidArgument, usageError } from "../../core/failures/errors.js";
import { type FilePolicy, isWithin } from "./policy.js";
import { SYSTEM_DIRECTORIES } from "./sensitive.js";

export interface GuardOptions {
  /** From `--allow-dir`; each must be a directory. Empty: the working directory, unless it is home, `/` or above home. */
  readonly allowDirs: readonly string[];
  /** From `--read-only` without `--allow-download`: nothing is written on this machine. */
  readonly readOnly: boolean;
  readonly allowSensitive: boolean;
  readonly allowOverwrite: boolean;
  readonly cwd: string;
  readonly home: string;
  /** Where pail keeps its own configuration, state and store. */
  readonly own: readonly string[];
}

/** The rules that the options make. Throws NoSuchDirectory. */
export async function resolvePolicy(options: GuardOptions): Promise<FilePolicy> {
  const allowed = await Promise.all(options.allowDirs.map((path) => realDirectory(path, options)));
  const home = await realOf(resolve(options.home));
  const cwd = await realOf(resolve(options.cwd));
  // Chat clients start servers in `/` or at home; neither says where the work is.
  const roots = allowed.length > 0 ? allowed : isWithin(cwd, home) ? [] : [cwd];
  return {
    roots: [...new Set(roots)],
    own: await Promise.all(options.own.map((path) => realOf(resolve(path)))),
    system: SYSTEM_DIRECTORIES.filter((path) => resolve(path) === path),
    allowSensitive: options.allowSensitive,
    allowOverwrite: options.allowOverwrite,
    ignoreCase: process.platform === "darwin" || process.platform === "win32",
  };
}

/** Models and configuration files write `~/` and `file://`; nobody before us expands them. */
export function expand(path: string, { cwd, home }: GuardOptions): string {
  if (/^file:\/\//i.test(path)) {
    try {
      return fileURLToPath(path);
    } catch {
      throw invalidArgument(
        `${path} is not the URL of a local file`,
        "give a path, or file:///PATH",
      );
    }
  }
  return resolve(cwd, /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(2)) : path);
}

async function realDirectory(path: string, options: GuardOptions): Promise<string> {
  const real = await realpath(expand(path, options)).catch(absent);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw usageError(
    "NoSuchDirectory",
    `--allow-dir ${path} is not a directory`,
    "make it first, or name another",
  );
}

/** The real path of what is there or may come to be. */
export async function realOf(path: string): Promise<string> {
  const { existing, missing } = await deepestReal(path);
  return join(existing, ...missing);
}

/** The real path of the longest part that exists, and the segments after it. */
export async function deepestReal(path: string): Promise<{ existing: string; missing: string[] }> {
  const missing: string[] = [];
  let at = path;
  for (;;) {
    const real = await realpath(at).catch(absent);
    if (real !== undefined) return { existing: real, missing };
    if (at === parse(at).root) return { existing: at, missing };
    missing.unshift(basename(at));
    at = dirname(at);
  }
}

/** Undefined for a path that leads nowhere; any other failure goes on. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (["ENOENT", "ENOTDIR"].includes(error.code ?? "")) return undefined;
  throw error;
}
