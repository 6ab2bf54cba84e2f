/** A person's home with the console in it: opened in a real terminal, on a store the SDK sees too. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";

import type { S3Client } from "@aws-sdk/client-s3";
import { expect } from "vitest";

import { createHome, type Home } from "./run.js";
import { sdkFor } from "./sdk.js";
import { type RunningStore, startStore } from "./store.js";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.js";

export interface ConsoleHome extends Home {
  /** The store that the alias `local` opens in process, here on a port as well. */
  readonly store: RunningStore;
  readonly s3: S3Client;
  /** Opens the console, with nothing remembered unless `env` names a PAIL_STATE_DIR. */
  readonly open: (place?: string, options?: Omit<TerminalOptions, "home" | "args">) => Terminal;
  readonly close: () => Promise<void>;
}

/** Makes a home; further aliases may be assigned to its `env`. */
export async function createConsoleHome(): Promise<ConsoleHome> {
  const home = createHome();
  const store = await startStore({ directory: join(home.directory, "store") });
  const s3 = sdkFor(store);
  return {
    ...home,
    store,
    s3,
    open: (place, options) => {
      // Each console has its own: a console left in the middle of a job tells the next one.
      const env = { PAIL_STATE_DIR: mkdtempSync(join(home.directory, "state-")), ...options?.env };
      const args = place === undefined ? ["tui"] : ["tui", place];
      return openTerminal({ ...options, home, args, env });
    },
    close: async () => {
      s3.destroy();
      await store.close();
      home.remove();
    },
  };
}

/**
 * Leaves the console by Ctrl-C, which ends it well on every page. The work of a job can be seen a
 * moment before the job has ended; the console then asks whether to stop it, and is told so.
 */
export async function quit(terminal: Terminal): Promise<void> {
  terminal.press("<ctrl-c>");
  const asks = (lines: string[]) => lines.join("\n").includes("Quitting stops them");
  await terminal.see((lines) => terminal.hasEnded() || asks(lines));
  if (!terminal.hasEnded()) terminal.press("<ctrl-c>");
  expect(await terminal.exit()).toEqual({ code: 0, signal: 0 });
}
