/**
 * Other people's programs, for tests that are asked for: `PAIL_TEST_OTHERS=1` runs those against
 * what is installed, and every other one is skipped by name.
 */
import { spawn, spawnSync } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";

/** Why a program's tests are skipped; undefined when they are to run. */
export function absence(program: string): string | undefined {
  if (process.env["PAIL_TEST_OTHERS"] !== "1") return "PAIL_TEST_OTHERS is not 1";
  const found = spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
  return found ? undefined : `${program} is not installed`;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

export interface Program {
  stop(): Promise<void>;
}

/** Starts a server program and waits until it answers HTTP at `url`. */
export async function startProgram(
  command: string,
  args: readonly string[],
  options: { readonly url: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Program> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000);
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const deadline = Date.now() + 30_000;
  for (;;) {
    const answered = await fetch(options.url).then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${command} does not answer: ${said}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
