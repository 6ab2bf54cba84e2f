/** The only way from a tool to the local disk: judges a path, then holds on to what it judged. */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";

import { AppError } from "../../core/failures/errors.js";
import { localError } from "../../core/failures/local.js";
import { type Pinned, pinChild, pinDirectory, pinFile } from "./pin.js";
import { type FilePolicy, isWithin, judge, sensitivePaths, unwritable } from "./policy.js";

export interface GuardOptions {
  /** From `--allow-dir`; each must be a directory. Empty: the default rules. */
  readonly allowDirs: readonly string[];
  /** From `--read-only`: nothing is written on this machine either. */
  readonly readOnly: boolean;
  readonly cwd: string;
  readonly temp: string;
  readonly home: string;
  /** Where pail keeps its own configuration, state and store. */
  readonly own: readonly string[];
  /** Told once, when a call first goes outside the working and temp directories. */
  readonly warn: (message: string) => void;
}

/** A local file or a place for one, held until it is closed. */
export interface LocalPath {
  /** To be opened at once, and only while this is held. */
  readonly path: string;
  /** For messages: the real path. */
  readonly shown: string;
  close(): Promise<void>;
}

export interface FileGuard {
  /** An existing regular file. Throws LocalFileRefused (denied), or what the file system said. */
  reading(path: string): Promise<LocalPath & { readonly size: number }>;
  /**
   * A place for a file; missing directories are made. What is there is not touched: the caller
   * writes beside it and renames.
   */
  writing(path: string): Promise<LocalPath>;
}

/** Makes a guard. Throws a usage error when an allowed directory is not there. */
export async function createFileGuard(options: GuardOptions): Promise<FileGuard> {
  const policy = await resolvePolicy(options);
  let warned = false;

  const check = (real: string, asked: string): void => {
    const verdict = judge(real, policy);
    if (verdict.type === "refused") throw refused(asked, verdict.reason);
    if (verdict.type === "unusual" && !warned) {
      warned = true;
      options.warn(
        `a call uses ${real}, outside the working directory; start with --allow-dir to confine local files`,
      );
    }
  };
  const checkWrite = (real: string, asked: string): void => {
    check(real, asked);
    const reason = unwritable(real, policy);
    if (reason !== undefined) throw refused(asked, reason);
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
    reading: (asked) =>
      explained("read", asked, async () => {
        const { existing, missing } = await deepestReal(absolute(asked));
        const real = join(existing, ...missing);
        check(real, asked);
        // A FIFO or a socket is refused before it is opened, and again after.
        requireFile((await stat(real)).isFile(), asked);
        const file = await pinFile(real);
        return held(file, async () => {
          check(await file.real(), asked);
          const found = await (file.handle?.stat() ?? stat(real));
          requireFile(found.isFile(), asked);
          return { path: file.path, shown: real, size: found.size, close: () => file.close() };
        });
      }),

    writing: (asked) =>
      explained("write", asked, async () => {
        if (options.readOnly) throw readOnly(asked);
        if (/[/\\]$/.test(asked)) throw refused(asked, "it names a directory, not a file");
        const full = absolute(asked);
        const name = basename(full);
        const { existing, missing } = await deepestReal(dirname(full));
        const real = join(existing, ...missing, name);
        checkWrite(real, asked);
        let parent = await pinDirectory(existing);
        // Judged again: what is open now is what everything below is looked up in.
        await held(parent, async () =>
          checkWrite(join(await parent.real(), ...missing, name), asked),
        );
        for (const segment of missing) parent = await pinChild(parent, segment);
        return held(parent, async () => {
          checkWrite(join(await parent.real(), name), asked);
          const path = join(parent.path, name);
          const there = await stat(path).catch(absent);
          if (there?.isDirectory()) throw refused(asked, "it is a directory, not a file");
          return { path, shown: real, close: () => parent.close() };
        });
      }),
  };
}

async function explained<T>(
  doing: "read" | "write",
  asked: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
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
  const ignoreCase = process.platform === "darwin" || process.platform === "win32";
  const resolved = async (path: string) => {
    const { existing, missing } = await deepestReal(resolve(path));
    return join(existing, ...missing);
  };
  const home = await resolved(options.home);
  // Chat clients start servers in `/` or at home; neither says where the work is.
  const cwd = await resolved(options.cwd);
  const usual = [await resolved(options.temp), ...(isWithin(cwd, home) ? [] : [cwd])];
  const sensitive = sensitivePaths(options.home, options.own);
  return {
    allowed,
    usual,
    sensitive: [...new Set([...sensitive, ...(await Promise.all(sensitive.map(resolved)))])],
    ignoreCase,
  };
}

/** Models and configuration files write `~/`; there is no shell between them and us to expand it. */
function expand(path: string, { cwd, home }: GuardOptions): string {
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

function readOnly(path: string): AppError {
  return new AppError({
    kind: "denied",
    code: "AccessDenied",
    message: `${path} is not written: this server was started with --read-only`,
    hint: "read the object with mode read, or ask the person to start the server without --read-only",
  });
}

function refused(path: string, reason: string): AppError {
  return new AppError({
    kind: "denied",
    code: "LocalFileRefused",
    message: `this server does not touch ${path}: ${reason}`,
    hint: "use a file in the working directory, or ask the person to start the server with --allow-dir",
  });
}
