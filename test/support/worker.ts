/** Starts processes of the project's own TypeScript, bundled once a test file. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface Worker {
  /** Resolves with every line it said, parsed, and its exit code (null when it was killed). */
  readonly ended: Promise<{ lines: Record<string, unknown>[]; code: number | null }>;
  kill(): void;
}

/** Bundles a program into a directory of its own and returns its file. */
export async function bundle(source: URL): Promise<{ file: string; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), "pail-worker-"));
  const file = join(directory, "worker.mjs");
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  return { file, directory };
}

/** Starts a program; `onLine` sees each line as it comes. */
export function start(
  file: string,
  args: readonly string[],
  onLine: (line: Record<string, unknown>, count: number) => void = () => undefined,
): Worker {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout! }).on("line", (text) => {
    const line = JSON.parse(text) as Record<string, unknown>;
    lines.push(line);
    onLine(line, lines.length);
  });
  const ended = new Promise<{ lines: Record<string, unknown>[]; code: number | null }>(
    (resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ lines, code }));
    },
  );
  return { ended, kill: () => child.kill("SIGKILL") };
}
