/** The tools of a command without a command: an embedded store, and an output that is kept. */
import type { Session } from "../../src/cli/base.js";
import { createOutput } from "../../src/cli/output.js";
import { createContext } from "../../src/context.js";
import { collector } from "./collector.js";
import { createHome } from "./run.js";

export interface TestSession extends Session {
  /** The lines written since the last call, of stdout and of stderr. */
  said(): Promise<{ readonly stdout: readonly string[]; readonly stderr: readonly string[] }>;
  close(): void;
}

/** Makes a home with an embedded store in which these buckets are, and a session in it. */
export async function createSession({
  buckets = [],
  env = {},
}: {
  readonly buckets?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
} = {}): Promise<TestSession> {
  const home = createHome();
  const context = createContext({ ...home.env, ...env });
  const service = await context.buckets("local");
  for (const name of buckets) await service.make(name);
  const [stdout, stderr] = [collector(), collector()];
  const output = createOutput({
    json: false,
    quiet: false,
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  const seen = { stdout: 0, stderr: 0 };
  const since = (name: keyof typeof seen, text: string) => {
    const lines = text.slice(seen[name]).split("\n").filter(Boolean);
    seen[name] = text.length;
    return lines;
  };
  return {
    context,
    output,
    signal: new AbortController().signal,
    said: async () => {
      await output.flush();
      return { stdout: since("stdout", stdout.text()), stderr: since("stderr", stderr.text()) };
    },
    close: () => {
      context.close();
      home.remove();
    },
  };
}
