/** The only way from a tool to the local disk: judges a path, then holds on to what it judged. */
import type { Stats } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { type AppError, conflictError, deniedError } from "../../core/failures/errors.js";
import { localError } from "../../core/failures/local.js";
import { type Pinned, pinChild, pinDirectory, pinFile } from "./pin.js";
import { type Verdict, isWithin, judge } from "./policy.js";
import { type GuardOptions, absent, deepestReal, expand, realOf, resolvePolicy } from "./roots.js";
import { findSecret } from "./secrets.js";

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

/** One call's wish about a path. */
interface Wish {
  /** The path as the agent wrote it: for messages. */
  readonly asked: string;
  readonly use: "read" | "write";
  readonly approve: Approve;
  readonly covered?: string | undefined;
}

/** Makes a guard. Throws a usage error when an allowed directory is not there. */
export async function createFileGuard(options: GuardOptions): Promise<FileGuard> {
  const policy = await resolvePolicy(options);

  /** The rules' verdict; a directory that a person has said yes to is as good as a root. */
  const verdictOn = (real: string, { use, covered }: Wish): Verdict => {
    const verdict = judge(real, use, policy);
    if (verdict.type !== "ask" || covered === undefined) return verdict;
    if (policy.roots.some((root) => isWithin(root, real))) return verdict;
    return judge(real, use, { ...policy, roots: [...policy.roots, covered] });
  };
  /** Throws unless a real path is permitted, by the rules or by `approved`, the path that was. */
  const check = (real: string, wish: Wish, approved: string | undefined): void => {
    const verdict = verdictOn(real, wish);
    if (verdict.type === "refused" || (verdict.type === "ask" && real !== approved)) {
      throw refused(wish.asked, verdict.reason, verdict.option);
    }
  };
  /** Asks where the verdict on a real path says so. Resolves with the path that was approved. */
  const settle = async (
    real: string,
    wish: Wish,
    doing: string,
    verdict = verdictOn(real, wish),
  ): Promise<string | undefined> => {
    if (verdict.type === "allowed") return undefined;
    const { reason, option } = verdict;
    if (verdict.type === "refused") throw refused(wish.asked, reason, option);
    await ask(wish, `Let the agent ${doing} ${JSON.stringify(real)}?`, reason, option);
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

    reading: (asked, approve, covered) => {
      const wish: Wish = { asked, use: "read", approve, covered };
      return explained(wish, async () => {
        const real = await realOf(absolute(asked));
        const approved = await settle(real, wish, "read the local file");
        // A FIFO or a socket is refused before it is opened, and again after.
        requireFile((await stat(real)).isFile(), asked);
        const file = await pinFile(real);
        return held(file, async () => {
          check(await file.real(), wish, approved);
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
      });
    },

    writing: (asked, approve, replace, covered) => {
      const wish: Wish = { asked, use: "write", approve, covered };
      return explained(wish, async () => {
        if (options.readOnly) throw readOnly(asked);
        if (/[/\\]$/.test(asked)) throw refused(asked, "it names a directory, not a file");
        const full = absolute(asked);
        const name = basename(full);
        const { existing, missing } = await deepestReal(dirname(full));
        const real = join(existing, ...missing, name);
        const approved = await settle(
          real,
          wish,
          "write the local file, replacing what may be there,",
        );
        const replaces = replace || approved !== undefined;
        const asks = approved === undefined && !policy.allowOverwrite;
        if (missing.length === 0) await replaceable(real, real, wish, replaces, asks);
        let parent = await pinDirectory(existing);
        // Judged again: what is open now is what everything below is looked up in.
        await held(parent, async () =>
          check(join(await parent.real(), ...missing, name), wish, approved),
        );
        for (const segment of missing) parent = await pinChild(parent, segment);
        return held(parent, async () => {
          check(join(await parent.real(), name), wish, approved);
          const path = join(parent.path, name);
          const there = await replaceable(path, real, wish, replaces, asks);
          return { path, shown: real, there, close: () => parent.close() };
        });
      });
    },

    directory: (asked, use, approve) => {
      const wish: Wish = { asked, use, approve };
      return explained(wish, async () => {
        if (use === "write" && options.readOnly) throw readOnly(asked);
        const real = await realOf(absolute(asked));
        const doing = use === "read" ? "read all files in" : "write new files into";
        // A name inside it: of the directory itself the rules say less.
        const verdict = verdictOn(join(real, "file"), wish);
        await settle(real, wish, `${doing} the local folder`, verdict);
        return real;
      });
    },
  };
}

/** Asks the person; where nobody can be asked, refuses and names the option that would permit it. */
async function ask(
  { approve, asked }: Wish,
  question: string,
  reason: string,
  option: string | undefined,
): Promise<void> {
  await approve(question).catch((error: unknown) => {
    throw error instanceof CannotAsk ? refused(asked, reason, option) : error;
  });
}

/** The file at a place that may be replaced, if there is one; `asks` before it is. */
async function replaceable(
  path: string,
  shown: string,
  wish: Wish,
  replaces: boolean,
  asks: boolean,
): Promise<Stats | undefined> {
  const there = await lstat(path).catch(absent);
  if (there === undefined) return undefined;
  if (there.isDirectory()) throw refused(wish.asked, "it is a directory, not a file");
  if (!there.isFile()) throw refused(wish.asked, "what is there is not a regular file");
  if (!replaces) throw fileExists(shown);
  if (!asks) return there;
  // Bound to what is there now: another file is another question.
  const seen = `${there.size} bytes, modified ${there.mtime.toISOString()}`;
  const question = `Replace the local file ${JSON.stringify(shown)} (${seen})?`;
  await ask(wish, question, "it exists, and nobody can be asked", "--allow-overwrite");
  return there;
}

/** Thrown by an Approve when the client cannot ask. */
export class CannotAsk extends Error {
  override readonly name = "CannotAsk";
}

async function explained<T>({ use, asked }: Wish, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // An error that comes of asking is not an error of the file system.
    if (error instanceof Error && !("syscall" in error)) throw error;
    throw localError(error, use, asked);
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

function requireFile(isFile: boolean, path: string): void {
  if (!isFile) throw refused(path, "it is not a regular file");
}

/** The error of a target that is there already. */
export function fileExists(shown: string): AppError {
  return conflictError(
    "FileExists",
    `${shown} exists`,
    "choose another local_path, or pass overwrite: true, which asks the person",
  );
}

function readOnly(path: string): AppError {
  return deniedError(
    "AccessDenied",
    `${path} is not written: this server was started with --read-only`,
    "read the object with mode read, or ask the person to start the server with --allow-download",
  );
}

function refused(path: string, reason: string, option?: string): AppError {
  return deniedError(
    "LocalFileRefused",
    `this server does not touch ${path}: ${reason}`,
    option === undefined
      ? "use another file"
      : `use another file, or ask the person to start the server with ${option}`,
  );
}
