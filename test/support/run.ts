/** Runs the built `pail` as a user does: a process of its own, with directories of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { runHere } from "./here.js";

const PROGRAM = process.env["PAIL_TEST_PROGRAM"];

/**
 * The program under test and what runs it: the built one and Node, or the executable that
 * PAIL_TEST_PROGRAM names, which needs nothing else.
 */
export const BIN = PROGRAM ?? fileURLToPath(new URL("../../bin/run.js", import.meta.url));
export const RUNTIME = PROGRAM === undefined ? process.execPath : "/usr/bin/env";

export interface RunResult {
  /** Exit code; null when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as it came. */
  readonly bytes: Buffer;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  readonly cwd?: string | undefined;
  /** Runs as this user, which takes a superuser to ask for. */
  readonly uid?: number | undefined;
}

export interface Home {
  readonly directory: string;
  /** An environment without any of the machine's own settings. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs pail in this home. */
  pail(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Starts pail and leaves it running. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  remove(): void;
}

export interface HomeOptions {
  /** Whether `pail` runs the built program in this process, one command after the other: quicker. */
  readonly here?: boolean | undefined;
}

/** Makes a home: a temporary directory with its own configuration, store, state and cache. */
export function createHome({ here = false }: HomeOptions = {}): Home {
  const directory = mkdtempSync(join(tmpdir(), "pail-home-"));
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    TZ: "UTC",
    HOME: directory,
    PAIL_CONFIG_DIR: join(directory, "config"),
    PAIL_STORE_DIR: join(directory, "store"),
    PAIL_STATE_DIR: join(directory, "state"),
    PAIL_CACHE_DIR: join(tmpdir(), "pail-test-cache"),
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const start: Home["start"] = (args, options = {}) =>
    spawn(RUNTIME, [BIN, ...args], {
      cwd: options.cwd ?? directory,
      env: { ...env, ...options.env },
      ...(options.uid === undefined ? {} : { uid: options.uid }),
    });
  return {
    directory,
    env,
    start,
    pail: (args, options = {}) =>
      here && PROGRAM === undefined && options.uid === undefined
        ? runHere(args, { cwd: directory, ...options, env: { ...env, ...options.env } })
        : finish(start(args, options), options.stdin),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Milliseconds after which a process that has not ended is shown; a test is over a moment later. */
const LATE = 55_000;

/**
 * Reads a stream of a process; the result waits until the text so far satisfies a condition, and
 * fails when the process ends before that.
 */
export function listenTo(
  child: ChildProcess,
  stream: "stdout" | "stderr",
): (what: string | RegExp) => Promise<string> {
  let said = "";
  let hasEnded = false;
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watch of watchers) watch();
  };
  child[stream]!.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    look();
  });
  child.once("close", () => {
    hasEnded = true;
    look();
  });
  return (what) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const holds = typeof what === "string" ? said.includes(what) : what.test(said);
        if (!holds && !hasEnded) return;
        watchers.delete(check);
        if (holds) resolve(said);
        else reject(new Error(`it ended and never said ${String(what)}: ${said}`));
      };
      watchers.add(check);
      check();
    });
}

/** Waits for the first line of stdout, which is JSON. */
export async function firstRecord<T>(child: ChildProcess): Promise<T> {
  const said = await listenTo(child, "stdout")("\n");
  return JSON.parse(said.split("\n", 1)[0]!) as T;
}

/** Waits for a process to end, and gathers what it wrote. */
export function finish(child: ChildProcess, stdin?: string | Uint8Array): Promise<RunResult> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
  // A process that ends without reading its input closes the pipe.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(stdin);
  // A test that waits in vain is then told by more than its name.
  const late = setTimeout(() => {
    const said = Buffer.concat([...out, ...err]).toString();
    console.error(`still running: ${child.spawnargs.slice(1).join(" ")}; it said: ${said}`);
  }, LATE).unref();
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(late);
      const bytes = Buffer.concat(out);
      const stderr = Buffer.concat(err).toString();
      resolve({ code, stdout: bytes.toString(), stderr, bytes });
    });
  });
}
