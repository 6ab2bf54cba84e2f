/** An MCP server in this process, over a real embedded store, with the SDK's client before it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { createContext } from "../../src/context.js";
import { bucketService } from "../../src/core/storage/buckets.js";
import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketService, BucketStorage } from "../../src/core/storage/s3-types.js";
import { createFileGuard } from "../../src/mcp/files/guard.js";
import { createLog } from "../../src/mcp/log.js";
import type { Policy } from "../../src/mcp/policy.js";
import { createRedactor } from "../../src/mcp/redact.js";
import { createServer } from "../../src/mcp/server.js";

export interface McpOptions extends Partial<Policy> {
  readonly aliases?: readonly string[];
  readonly allowDirs?: readonly string[];
  /** Answers the server's questions; without it the client cannot be asked. */
  readonly answer?: (question: string) => { action: "accept" | "decline" | "cancel" };
  /** Stands between the tools and the store, to make it fail. */
  readonly storage?: (storage: BucketStorage) => BucketStorage;
  readonly service?: (service: BucketService) => BucketService;
  readonly secrets?: readonly string[];
}

export interface RunningMcp {
  readonly client: Client;
  /** The server's working directory. */
  readonly directory: string;
  readonly log: string[];
  /** The buckets, past the server. */
  readonly service: BucketService;
  readonly bucket: (name: string) => BucketStorage;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
}

/** Starts a server; each alias is the same store. */
export async function startMcp(options: McpOptions = {}): Promise<RunningMcp> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pail-mcp-")));
  const directory = join(base, "work");
  for (const name of ["work", "temp", "home"]) mkdirSync(join(base, name));
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
  const server = createServer(
    {
      aliases: options.aliases ?? ["local"],
      embedded: "local",
      buckets: async () => service(bucketService(s3)),
      bucket: async (_alias, name) => storage(openBucket(s3, name)),
    },
    {
      version: "0.0.0",
      policy: { readOnly: false, buckets: [], tools: [], ...options },
      files: await createFileGuard({
        allowDirs: options.allowDirs ?? [],
        readOnly: options.readOnly ?? false,
        cwd: directory,
        temp: join(base, "temp"),
        home: join(base, "home"),
        own: [join(base, "config"), join(base, "store"), join(base, "state")],
        warn: (message) => logger.warn(message),
      }),
      log: logger,
      redact: createRedactor(options.secrets ?? []),
      now: Date.now,
    },
  );

  const { answer } = options;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.mcp.connect(far), client.connect(near)]);
  return {
    client,
    directory,
    log,
    service: bucketService(s3),
    bucket: (name) => openBucket(s3, name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as CallToolResult,
    close: async () => {
      await client.close();
      await server.idle();
      context.close();
      rmSync(base, { recursive: true, force: true });
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
