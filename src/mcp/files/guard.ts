/** The only way from a tool to the local disk: judges a path, then holds on to what it judged. */
import type { Stats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { AppError } from "../../core/failures/errors.js";
import { localError } from "../../core/failures/local.js";
import { type Pinned, pinChild, pinDirectory, pinFile } from "./pin.js";
import { type FilePolicy, type Verdict, isWithin, judge } from "./policy.js";
import { findSecret } from "./secrets.js";
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

/**
 * Asks the person about one path and resolves on a yes; throws on a no, or when nobody can be
 * asked. The word of a model is not a yes, so there is no other way to say it.
 */
export type Approve = (this: void, question: string) => Promise<void>;

/** A local file or a place for one, held until it is closed. */
export interface LocalPath {
  /** The path to open at once, and only while this is held. */
  readonly path: string;
  /** For messages: the real path. */
  readonly shown: string;
  close(): Promise<void>;
}

export interface FileGuard {
  /** The directories that need no asking. */
  readonly roots: readonly string[];
  /** An existing regular file without secrets. Throws LocalFileRefused (denied), or what the file system said. */
  reading(
    path: string,
    approve: Approve,
    covered?: string,
  ): Promise<LocalPath & { readonly size: number }>;
  /**
   * A place for a file; missing directories are made. A file that is there is not touched: the
   * caller writes beside it and renames. With `replace` a file may be there, once the person or
   * `--allow-overwrite` has permitted replacing it; else FileExists is thrown.
   */
  writing(
    path: string,
    approve: Approve,
    replace: boolean,
    covered?: string,
  ): Promise<LocalPath & { readonly there: Stats | undefined }>;
  /**
   * A directory to take files from or put new files in, once it is inside the rules or a person has
   * said yes to it. Each file below is still judged by itself; `covered`, the path this resolves
   * with, spares only the question whether it may lie there.
   */
  directory(path: string, use: "read" | "write", approve: Approve): Promise<string>;
}

/** Makes a guard. Throws a usage error when an allowed directory is not there. */
export async function createFileGuard(options: GuardOptions): Promise<FileGuard> {
  const policy = await resolvePolicy(options);

  /** The rules' verdict; a directory that a person has said yes to is as good as a root. */
  const verdictOn = (real: string, use: "read" | "write", covered: string | undefined): Verdict => {
    const verdict = judge(real, use, policy);
    if (verdict.type !== "ask" || covered === undefined) return verdict;
    if (policy.roots.some((root) => isWithin(root, real))) return verdict;
    return judge(real, use, { ...policy, roots: [...policy.roots, covered] });
  };
  /** Throws unless a real path is permitted, by the rules or by `approved`, the path that was. */
  const check = (
    real: string,
    use: "read" | "write",
    asked: string,
    approved: string | undefined,
    covered: string | undefined,
  ): void => {
    const verdict = verdictOn(real, use, covered);
    if (verdict.type === "refused" || (verdict.type === "ask" && real !== approved)) {
      throw refused(asked, verdict.reason, verdict.option);
    }
  };
  /** Asks where the rules say so. Resolves with the path that was approved. */
  const settle = async (
    real: string,
    use: "read" | "write",
    asked: string,
    approve: Approve,
    covered: string | undefined,
  ): Promise<string | undefined> => {
    const verdict = verdictOn(real, use, covered);
    if (verdict.type === "refused") throw refused(asked, verdict.reason, verdict.option);
    if (verdict.type === "allowed") return undefined;
    const doing =
      use === "read" ? "read the local file" : "write the local file, replacing what may be there,";
    await approve(`Let the agent ${doing} ${JSON.stringify(real)}?`).catch((error: unknown) => {
      throw error instanceof CannotAsk ? refused(asked, verdict.reason, verdict.option) : error;
    });
    return real;
  };
  const absolute = (path: string): string => {
    if (path === "" || path.includes("\0")) {
      throw refused(path.replaceAll("\0", "\\0"), "it is not a path");
    }
    // A colon past the drive names an alternate stream on Windows.
    if (process.platform === "win32" && /:/.test(resolve(options.cwd, path).slice(2))) {
      throw refused(path, "it names an alternate stream");
    }
    return expand(path, options);
  };

  return {
    roots: policy.roots,

    reading: (asked, approve, covered) =>
      explained("read", asked, async () => {
        const real = await realOf(absolute(asked));
        const approved = await settle(real, "read", asked, approve, covered);
        // A FIFO or a socket is refused before it is opened, and again after.
        requireFile((await stat(real)).isFile(), asked);
        const file = await pinFile(real);
        return held(file, async () => {
          check(await file.real(), "read", asked, approved, covered);
          const found = await (file.handle?.stat() ?? stat(real));
          requireFile(found.isFile(), asked);
          if (!policy.allowSensitive) {
            const secret = await findSecret(file.path, found.size);
            if (secret !== undefined) {
              throw refused(asked, `it holds ${secret}`, "--allow-sensitive");
            }
          }
          return { path: file.path, shown: real, size: found.size, close: () => file.close() };
        });
      }),

    writing: (asked, approve, replace, covered) =>
      explained("write", asked, async () => {
        if (options.readOnly) throw readOnly(asked);
        if (/[/\\]$/.test(asked)) throw refused(asked, "it names a directory, not a file");
        const full = absolute(asked);
        const name = basename(full);
        const { existing, missing } = await deepestReal(dirname(full));
        const real = join(existing, ...missing, name);
        const approved = await settle(real, "write", asked, approve, covered);
        if (missing.length === 0) await requireReplaceable(real, asked, approved, approve, replace);
        let parent = await pinDirectory(existing);
        // Judged again: what is open now is what everything below is looked up in.
        await held(parent, async () =>
          check(join(await parent.real(), ...missing, name), "write", asked, approved, covered),
        );
        for (const segment of missing) parent = await pinChild(parent, segment);
        return held(parent, async () => {
          check(join(await parent.real(), name), "write", asked, approved, covered);
          const path = join(parent.path, name);
          const there = await requireReplaceable(path, asked, approved, approve, replace, real);
          return { path, shown: real, there, close: () => parent.close() };
        });
      }),

    directory: (asked, use, approve) =>
      explained(use, asked, async () => {
        if (use === "write" && options.readOnly) throw readOnly(asked);
        const real = await realOf(absolute(asked));
        // A name inside it: of the directory itself the rules say less.
        const verdict = judge(join(real, "file"), use, policy);
        if (verdict.type === "refused") throw refused(asked, verdict.reason, verdict.option);
        if (verdict.type === "allowed") return real;
        const doing = use === "read" ? "read all files in" : "write new files into";
        await approve(`Let the agent ${doing} the local folder ${JSON.stringify(real)}?`).catch(
          (error: unknown) => {
            throw error instanceof CannotAsk
              ? refused(asked, verdict.reason, verdict.option)
              : error;
          },
        );
        return real;
      }),
  };

  /**
   * The file that is at a place, if there is one; asks about replacing it where that is not
   * permitted already.
   */
  async function requireReplaceable(
    path: string,
    asked: string,
    approved: string | undefined,
    approve: Approve,
    replace: boolean,
    shown = path,
  ): Promise<Stats | undefined> {
    const there = await lstat(path).catch(absent);
    if (there === undefined) return undefined;
    if (there.isDirectory()) throw refused(asked, "it is a directory, not a file");
    if (!there.isFile()) throw refused(asked, "what is there is not a regular file");
    if (approved !== undefined) return there;
    if (!replace) throw fileExists(shown);
    if (policy.allowOverwrite) return there;
    // Bound to what is there now: another file is another question.
    const seen = `${there.size} bytes, modified ${there.mtime.toISOString()}`;
    await approve(`Replace the local file ${JSON.stringify(shown)} (${seen})?`).catch(
      (error: unknown) => {
        throw error instanceof CannotAsk
          ? refused(asked, "it exists, and nobody can be asked", "--allow-overwrite")
          : error;
      },
    );
    return there;
  }
}

/** Thrown by an Approve when the client cannot ask. */
export class CannotAsk extends Error {
  override readonly name = "CannotAsk";
}

async function explained<T>(
  doing: "read" | "write",
  asked: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // An error that comes of asking is not an error of the file system.
    if (error instanceof Error && !("syscall" in error)) throw error;
    throw localError(error, doing, asked);
  }
}

/** Lets go of what is held when the work fails; the caller closes it otherwise. */
async function held<T>(pinned: Pinned, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await pinned.close();
    throw error;
  }
}

async function resolvePolicy(options: GuardOptions): Promise<FilePolicy> {
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
function expand(path: string, { cwd, home }: GuardOptions): string {
  if (/^file:\/\//i.test(path)) {
    try {
      return fileURLToPath(path);
    } catch (cause) {
      throw new AppError({
        kind: "usage",
        code: "InvalidArgument",
        message: `${path} is not the URL of a local file`,
        hint: "give a path, or file:///PATH",
        cause,
      });
    }
  }
  return resolve(cwd, /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(2)) : path);
}

async function realDirectory(path: string, options: GuardOptions): Promise<string> {
  const real = await realpath(expand(path, options)).catch(absent);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw new AppError({
    kind: "usage",
    code: "NoSuchDirectory",
    message: `--allow-dir ${path} is not a directory`,
    hint: "make it first, or name another",
  });
}

async function realOf(path: string): Promise<string> {
  const { existing, missing } = await deepestReal(path);
  return join(existing, ...missing);
}

/** The real path of the longest part that exists, and the segments after it. */
async function deepestReal(path: string): Promise<{ existing: string; missing: string[] }> {
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
function absent(error: NodeJS.ErrnoException): undefined {
  if (["ENOENT", "ENOTDIR"].includes(error.code ?? "")) return undefined;
  throw error;
}

function requireFile(isFile: boolean, path: string): void {
  if (!isFile) throw refused(path, "it is not a regular file");
}

/** The error of a target that is there already. */
export function fileExists(shown: string): AppError {
  return new AppError({
    kind: "conflict",
    code: "FileExists",
    message: `${shown} exists`,
    hint: "choose another local_path, or pass overwrite: true, which asks the person",
  });
}

function readOnly(path: string): AppError {
  return new AppError({
    kind: "denied",
    code: "AccessDenied",
    message: `${path} is not written: this server was started with --read-only`,
    hint: "read the object with mode read, or ask the person to start the server with --allow-download",
  });
}

function refused(path: string, reason: string, option?: string): AppError {
  return new AppError({
    kind: "denied",
    code: "LocalFileRefused",
    message: `this server does not touch ${path}: ${reason}`,
    hint:
      option === undefined
        ? "use another file"
        : `use another file, or ask the person to start the server with ${option}`,
  });
}
