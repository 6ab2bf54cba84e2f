/** An MCP server in this process, over a real embedded store, with the SDK's client before it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";

import { type Journal, openJournal } from "../../src/core/journal/file.js";
import type { ConfirmMode } from "../../src/mcp/consent.js";
import { createBudget, createFlights } from "../../src/mcp/flight.js";
import { createContext } from "../../src/context.js";
import { bucketService } from "../../src/core/storage/buckets.js";
import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketService, BucketStorage } from "../../src/core/storage/s3-types.js";
import { createFileGuard } from "../../src/mcp/files/guard.js";
import type { Transport } from "@modelcontextprotocol/server";

import { createLog } from "../../src/mcp/log.js";
import type { Policy } from "../../src/mcp/policy.js";
import { createRedactor } from "../../src/mcp/redact.js";
import { createServer } from "../../src/mcp/server.js";

export interface McpOptions extends Partial<Policy> {
  readonly aliases?: readonly string[];
  readonly allowDirs?: readonly string[];
  /** Answers the server's questions; without it the client cannot be asked. `yes` ticks the box. */
  readonly answer?: (question: string) => "yes" | ElicitResult | Promise<"yes" | ElicitResult>;
  readonly confirm?: ConfirmMode;
  readonly allowSensitive?: boolean;
  readonly allowOverwrite?: boolean;
  readonly allowDownload?: boolean;
  /** The server's working directory, below its base; `work` unless given. */
  readonly cwd?: string;
  /** Bytes; default 1 MiB. */
  readonly undoBudget?: number;
  readonly readLimit?: number;
  /** Stands between the tools and the store, to make it fail. */
  readonly storage?: (storage: BucketStorage) => BucketStorage;
  readonly service?: (service: BucketService) => BucketService;
  readonly secrets?: readonly string[];
  /** The `base` of a running server, whose home, state and store this one shares. */
  readonly base?: string;
}

export interface RunningMcp {
  readonly client: Client;
  /** The server's working directory. */
  readonly directory: string;
  /** Where its home, state and store are. */
  readonly base: string;
  readonly journal: Journal;
  readonly log: string[];
  /** The buckets, past the server. */
  readonly service: BucketService;
  readonly bucket: (name: string) => BucketStorage;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  /** Waits until no call is under way, also none that was cancelled. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a server; each alias is the same store. */
export async function startMcp(options: McpOptions = {}): Promise<RunningMcp> {
  const base = options.base ?? realpathSync(mkdtempSync(join(tmpdir(), "pail-mcp-")));
  const directory = join(base, options.cwd ?? "work");
  for (const name of ["work", "temp", "home"]) mkdirSync(join(base, name), { recursive: true });
  const context = createContext({
    HOME: join(base, "home"),
    PAIL_CONFIG_DIR: join(base, "config"),
    PAIL_STORE_DIR: join(base, "store"),
    PAIL_STATE_DIR: join(base, "state"),
  });
  const s3 = await context.client("local");
  const log: string[] = [];
  const { storage = (same) => same, service = (same) => same } = options;
  const logger = createLog("debug", (line) => log.push(line));
  const flights = createFlights();
  const journal = await openJournal(join(base, "state", "mcp"), options.undoBudget ?? 1024 * 1024);
  const server = createServer(
    {
      aliases: options.aliases ?? ["local"],
      embedded: "local",
      buckets: async () => service(bucketService(s3)),
      bucket: async (_alias, name) => storage(openBucket(s3, name)),
      place: (alias) => alias,
      endpoint: () => "store",
    },
    {
      version: "0.0.0",
      policy: {
        readOnly: false,
        buckets: [],
        tools: [],
        toolsets: ["edit", "admin"],
        presign: true,
        ...options,
      },
      files: await createFileGuard({
        allowDirs: options.allowDirs ?? [],
        readOnly: (options.readOnly ?? false) && !options.allowDownload,
        allowSensitive: options.allowSensitive ?? false,
        allowOverwrite: options.allowOverwrite ?? false,
        cwd: directory,
        home: join(base, "home"),
        own: [join(base, "config"), join(base, "store"), join(base, "state")],
      }),
      journal,
      confirm: options.confirm ?? "ask",
      secret: Buffer.alloc(32, 7),
      readLimit: options.readLimit ?? 1024 * 1024,
      answers: createBudget(16 * 1024 * 1024),
      log: logger,
      redact: createRedactor(options.secrets ?? []),
      now: Date.now,
    },
    flights,
  );

  const { answer } = options;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      const said = await answer(params.message);
      return said === "yes" ? { action: "accept", content: { confirm: true } } : said;
    });
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  // As the real transports do: an answer that has left gives back the room it took.
  const send = far.send.bind(far);
  far.send = async (message, about) => {
    await send(message, about);
    if (!("method" in message) && message.id !== undefined) flights.land(message.id);
  };
  // The same shape in both versions of the SDK.
  await Promise.all([server.mcp.connect(far as Transport), client.connect(near)]);
  return {
    client,
    directory,
    base,
    journal,
    log,
    service: bucketService(s3),
    bucket: (name) => openBucket(s3, name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as CallToolResult,
    idle: () => server.idle(),
    close: async () => {
      await client.close();
      await server.idle();
      await journal.close();
      context.close();
      if (options.base === undefined) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The text of a result: all of it. */
export function textOf(result: CallToolResult): string {
  return result.content.map((item) => (item.type === "text" ? item.text : "")).join("\n");
}

/** The structured content of a result. */
export function factsOf(result: CallToolResult): Record<string, unknown> {
  return result.structuredContent ?? {};
}
