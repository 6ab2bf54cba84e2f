/**
 * Commands in this process, without the program around them: how each parses its words, calls the
 * core and prints the result. They share one context, as the lines of `pail run` do.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { createOutput } from "../../src/cli/output.js";
import type { Shared } from "../../src/cli/base.js";
import { createContext } from "../../src/context.js";
import { collector } from "./collector.js";
import { createHome } from "./run.js";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout as JSON, for a command with `--json`. */
  readonly records: readonly Record<string, unknown>[];
}

export interface Commands {
  /** An empty directory at first. */
  readonly directory: string;
  /** The environment that commands see, which may be changed. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command: its words, then flags and arguments. */
  run(command: string, ...words: string[]): Promise<Ran>;
  /** Writes a local file and returns its path. */
  file(name: string, content: string): string;
  /** Makes an object of the embedded store, by its location without the alias. */
  put(location: string, content: string): Promise<void>;
  close(): void;
}

/** Makes a home with an embedded store, and what runs commands in it. */
export function createCommands(more: NodeJS.ProcessEnv = {}): Commands {
  const home = createHome();
  const directory = join(home.directory, "files");
  mkdirSync(directory);
  const env = { ...home.env, ...more };
  const context = createContext(env);
  const { signal } = new AbortController();
  return {
    directory,
    env,
    run: async (command, ...words) => {
      const [stdout, stderr] = [collector(), collector()];
      let code = 0;
      const output = createOutput({
        json: words.includes("--json"),
        quiet: words.includes("-q"),
        stdout: stdout.stream,
        stderr: stderr.stream,
      });
      const end = (ended: number) => {
        code = ended;
      };
      await start(command, words, { context, signal, output, end });
      await output.flush();
      const lines = stdout.text().split("\n").filter(Boolean);
      return {
        code,
        stdout: stdout.text(),
        stderr: stderr.text(),
        get records() {
          return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        },
      };
    },
    file: (name, content) => {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    put: async (location, content) => {
      const [bucket, ...key] = location.split("/");
      const storage = await context.bucket("local", bucket!);
      await storage.write(key.join("/"), Buffer.from(content));
    },
    close: () => {
      context.close();
      home.remove();
    },
  };
}

async function start(command: string, words: string[], shared: Shared): Promise<void> {
  const below = new URL(`../../src/commands/${command.replaceAll(" ", "/")}`, import.meta.url);
  const file = [`${below.pathname}.ts`, `${below.pathname}/index.ts`].find((path) =>
    existsSync(path),
  );
  const { default: Class } = (await import(file!)) as {
    default: (new (argv: string[], config: object) => { _run(): Promise<unknown> }) & {
      id?: string;
    };
  };
  Class.id = command.replaceAll(" ", ":");
  const config = {
    bin: "pail",
    pjson: { oclif: {} },
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVar: () => undefined,
    scopedEnvVarKeys: () => [],
    scopedEnvVarTrue: () => false,
    shared,
  };
  await new Class(words, config)._run();
}
