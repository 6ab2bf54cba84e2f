/** `pail mcp serve` as a chat client starts it: the built binary, over stdio. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  type CallToolResult,
  type ClientCapabilities,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";

import { BIN, type Home, RUNTIME } from "./run.js";

/** Hundreds of calls at once wait for each other, and a busy machine makes them wait for longer. */
const PATIENT = { timeout: 280_000 };

export interface BinaryOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly answer?: ((question: string) => Promise<ElicitResult>) | undefined;
  /** Starts it as it comes: where the home directory is no place for files. */
  readonly noDirectory?: boolean | undefined;
}

export interface McpBinary {
  readonly client: Client;
  readonly pid: number;
  readonly stderr: () => string;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
}

/** Starts the server in a home and connects to it. */
export async function startBinary(
  home: Home,
  args: readonly string[] = [],
  { env = {}, answer, noDirectory = false }: BinaryOptions = {},
): Promise<McpBinary> {
  const transport = new StdioClientTransport({
    command: RUNTIME,
    args: [
      BIN,
      "mcp",
      "serve",
      ...(args.includes("--toolset") ? [] : ["--toolset", "all"]),
      ...(noDirectory || args.includes("--allow-dir") ? [] : ["--allow-dir", home.directory]),
      ...args,
    ],
    cwd: home.directory,
    env: { ...(home.env as Record<string, string>), ...env },
    stderr: "pipe",
  });
  const errors: Buffer[] = [];
  transport.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const capabilities: ClientCapabilities = answer === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  }
  await client.connect(transport);
  return {
    client,
    pid: transport.pid!,
    stderr: () => Buffer.concat(errors).toString(),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, PATIENT)) as CallToolResult,
    close: () => client.close(),
  };
}
