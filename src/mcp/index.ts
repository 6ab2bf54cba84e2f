/** The MCP face: what `pail mcp serve` starts. Loaded only by that command. */
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

import { type Context, LOCAL_ALIAS } from "../context.js";
import { invalidArgument } from "../core/failures/errors.js";
import { openJournal } from "../core/journal/file.js";
import { closest } from "../core/suggest.js";
import { parseSize } from "../text/units.js";
import { VERSION } from "../version.js";
import { openAudit } from "./audit.js";
import { CONFIRM_MODES, type ConfirmMode } from "./consent.js";
import { createFileGuard } from "./files/guard.js";
import { type Flights, createBudget } from "./flight.js";
import { parseHttpAddress } from "./http-gate.js";
import { MAX_INLINE_BYTES, MAX_WAITING_BYTES } from "./limits.js";
import { createLog, parseLogLevel } from "./log.js";
import type { ServerOptions } from "./options.js";
import { type Policy, requirePolicy } from "./policy.js";
import { createRedactor } from "./redact.js";
import { createServer } from "./server.js";
import { connectServices } from "./services.js";
import { serveStdio } from "./stdio.js";
import { TOOLSETS } from "./tool.js";
import { TOOLS } from "./tools/index.js";

export { clientFile, withServer } from "./clients.js";
export { allChanges, changeName, groupsOf, undoAll } from "./undo.js";

/** The command line of `pail mcp serve`, parsed; every flag has its name there. */
export interface ServeFlags {
  readonly "access-key-id"?: string | undefined;
  readonly "secret-access-key"?: string | undefined;
  readonly region?: string | undefined;
  readonly "endpoint-url"?: string | undefined;
  readonly alias?: readonly string[] | undefined;
  readonly "log-level"?: string | undefined;
  readonly quiet: boolean;
  readonly "read-only": boolean;
  readonly bucket?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly toolset?: readonly string[] | undefined;
  readonly presign: boolean;
  readonly "read-limit": string;
  readonly "audit-log"?: string | undefined;
  readonly confirm: string;
  readonly "undo-budget": string;
  readonly "allow-dir"?: readonly string[] | undefined;
  readonly "allow-sensitive": boolean;
  readonly "allow-overwrite": boolean;
  readonly "allow-download": boolean;
  /** Where to serve Streamable HTTP, `HOST:PORT`; undefined for stdio. */
  readonly http?: string | undefined;
}

/** The process around the server. */
export interface Surroundings {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Serves until the client goes away. Throws usage errors before anything is served. */
export async function serve(
  context: Context,
  flags: ServeFlags,
  { stdin, stdout, stderr, cwd, signal }: Surroundings,
): Promise<void> {
  const { directories, env } = context;
  const { alias: aliases = [], bucket: buckets = [], tools = [], toolset: toolsets = [] } = flags;
  const level = logLevel(
    flags["log-level"] ?? (flags.quiet ? "error" : undefined),
    env["RUST_LOG"],
  );
  for (const tool of tools) requireTool(tool);
  const address = flags.http === undefined ? undefined : parseHttpAddress(flags.http);
  const services = await connectServices(context, aliases, {
    accessKeyId: flags["access-key-id"],
    secretAccessKey: flags["secret-access-key"],
    region: flags.region,
    endpointUrl: flags["endpoint-url"],
  });
  const policy: Policy = {
    readOnly: flags["read-only"],
    buckets,
    tools,
    toolsets: toolsetsOf(toolsets),
    presign: flags.presign,
  };
  requirePolicy(policy, services.aliases, TOOLS);
  const redact = createRedactor([...services.secrets, env["PAIL_MCP_TOKEN"]]);
  const log = createLog(level, (line) => stderr.write(redact(line)));
  const file = flags["audit-log"];
  const audit = file === undefined ? undefined : resolve(cwd, file);
  const options: ServerOptions = {
    version: VERSION,
    policy,
    files: await createFileGuard({
      allowDirs: flags["allow-dir"] ?? [],
      readOnly: flags["read-only"] && !flags["allow-download"],
      allowSensitive: flags["allow-sensitive"],
      allowOverwrite: flags["allow-overwrite"],
      cwd,
      home: env["HOME"] || homedir(),
      own: [
        directories.config,
        directories.store,
        directories.state,
        ...(audit === undefined ? [] : [audit]),
      ],
    }),
    journal: await openJournal(join(directories.state, "mcp"), budgetOf(flags["undo-budget"])),
    ...(audit === undefined ? {} : { audit: openAudit(audit, redact, Date.now) }),
    confirm: confirmMode(flags.confirm),
    secret: randomBytes(32),
    readLimit: readLimitOf(flags["read-limit"]),
    answers: createBudget(MAX_WAITING_BYTES),
    log,
    redact,
    now: Date.now,
  };
  log.info(`serving ${services.summary}${restrictions(options)}`);
  if (services.aliases.includes(LOCAL_ALIAS) && aliases.length === 0) {
    log.info("no endpoint is configured: set AWS_ENDPOINT_URL and keys, or give --alias NAME");
  }
  const makeServer = (flights?: Flights) => createServer(services, options, flights);
  if (address === undefined) return serveStdio(makeServer, { stdin, stdout, signal, log });
  const token = env["PAIL_MCP_TOKEN"] || randomBytes(32).toString("base64url");
  const { serveHttp } = await import("./http.js");
  await serveHttp(makeServer, {
    ...address,
    token,
    signal,
    log,
    // Not by the log, which takes tokens out and can be off: nobody could connect without it.
    onListening: (url) => {
      stderr.write(`pail-mcp: listening on ${url}\n`);
      if (!env["PAIL_MCP_TOKEN"]) stderr.write(`pail-mcp: bearer token ${token}\n`);
    },
  });
}

/** The flag wins over the variable; a variable that is not understood is another program's. */
function logLevel(flag: string | undefined, variable: string | undefined) {
  if (flag !== undefined) {
    const level = parseLogLevel(flag);
    if (level !== undefined) return level;
    throw invalidArgument(
      `--log-level ${flag} is not a level`,
      "use off, error, warn, info or debug",
    );
  }
  return (variable === undefined ? undefined : parseLogLevel(variable)) ?? "info";
}

function readLimitOf(text: string): number {
  const bytes = parseSize(text);
  if (bytes > 0 && bytes <= MAX_INLINE_BYTES) return bytes;
  throw invalidArgument(`--read-limit ${text} is out of range`, "use at most 5MiB");
}

function toolsetsOf(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => name !== "all" && !TOOLSETS.some((one) => one === name));
  if (unknown === undefined) return names.includes("all") ? TOOLSETS : names;
  throw invalidArgument(
    `--toolset: there is no group ${unknown}`,
    `use ${TOOLSETS.join(", ")} or all`,
  );
}

function budgetOf(text: string): number {
  return text === "0" ? 0 : parseSize(text);
}

function confirmMode(text: string): ConfirmMode {
  const mode = CONFIRM_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw invalidArgument(
    `--confirm ${text} is not a way to confirm`,
    `use ${CONFIRM_MODES.join(", ")}`,
  );
}

function requireTool(name: string): void {
  const names = TOOLS.map((tool) => tool.name);
  if (names.includes(name)) return;
  const near = closest(name, names);
  throw invalidArgument(
    `--tools: there is no tool ${name}`,
    near === undefined ? `use ${names.join(",")}` : `did you mean ${near}?`,
  );
}

function restrictions({ policy: { readOnly, buckets }, files }: ServerOptions): string {
  return [
    readOnly ? "; read-only" : "",
    buckets.length > 0 ? `; buckets ${buckets.join(", ")}` : "",
    `; local files ${files.roots.length > 0 ? `in ${files.roots.join(", ")}` : "only on asking"}`,
  ].join("");
}
