/**
 * The built program in this process, which costs a twentieth of a start: for tests of what commands
 * do and say. Things that only a process can show (signals, pipes, kills, the way it ends) is started.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Script } from "node:vm";

import { collector } from "./collector.js";
import type { RunOptions, RunResult } from "./run.js";

const MAIN = new URL("../../dist/main.cjs", import.meta.url);

type Run = (argv: readonly string[]) => Promise<void>;
let program: Run | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a command to its end, after those that were begun before: there is one stdout. */
export function runHere(args: readonly string[], options: RunOptions): Promise<RunResult> {
  const result = last.then(() => runAlone(args, options));
  last = result.catch(() => undefined);
  return result;
}

async function runAlone(args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { env = {}, cwd, stdin = "" } = options;
  program ??= evaluate(MAIN) as Run;
  const [out, err] = [collector(), collector()];
  const before = { cwd: process.cwd(), argv: process.argv, exitCode: process.exitCode };
  const streams = {
    stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
    stdout: out.stream,
    stderr: err.stream,
  };
  const restore = [replaceEnv(env), ...Object.entries(streams).map(replaceStream)];
  process.argv = [process.execPath, "pail", ...args];
  process.exitCode = undefined;
  try {
    if (cwd !== undefined) process.chdir(cwd);
    await program(args);
    // The code the program has set since; the compiler cannot know of it.
    const set: unknown = process.exitCode;
    const code = Number(set ?? 0);
    return { code, stdout: out.text(), stderr: err.text(), bytes: out.bytes() };
  } finally {
    process.chdir(before.cwd);
    process.argv = before.argv;
    process.exitCode = before.exitCode;
    for (const back of restore) back();
  }
}

/** Evaluates a bundle as bin/run.js does. */
function evaluate(url: URL): unknown {
  const file = fileURLToPath(url);
  const script = new Script(readFileSync(file, "latin1"), { filename: file });
  const require = createRequire(url);
  const module = { exports: {} };
  const load = (name: string): unknown => {
    if (name.endsWith(".cjs")) return Promise.resolve(evaluate(new URL(name, url)));
    if (!name.endsWith(".mjs")) return Promise.resolve(require(name));
    return import(pathToFileURL(fileURLToPath(new URL(name, url))).href);
  };
  const wrapper = script.runInThisContext() as (...parts: unknown[]) => void;
  wrapper(module.exports, require, module, file, dirname(file), load);
  return module.exports;
}

/** Makes the variables these and no others; returns what puts them back. */
function replaceEnv(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  const become = (wanted: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
    for (const [name, value] of Object.entries(wanted)) {
      if (value !== undefined && process.env[name] !== value) process.env[name] = value;
    }
  };
  become(env);
  return () => become(before);
}

function replaceStream([name, stream]: [string, unknown]): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { configurable: true, value: stream });
  return () => void Object.defineProperty(process, name, before);
}
