/** The configuration files of MCP clients: where they are, and how a server is written into them. */
import { homedir } from "node:os";
import { join } from "node:path";

import { type AppError, usageError } from "../core/failures/errors.js";

/** How a client starts a server; paths in it are absolute. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

interface Client {
  /** Where it is told, in a home or a project directory. */
  file(at: { home: string; cwd: string; env: NodeJS.ProcessEnv; platform: string }): string;
  /** The object that has the servers by name; a TOML file has a table for each. */
  readonly key: "mcpServers" | "servers" | "toml";
}

export const CLIENTS = {
  claude: {
    key: "mcpServers",
    file: ({ home, env, platform }) => {
      const folder =
        platform === "darwin"
          ? join(home, "Library", "Application Support")
          : platform === "win32"
            ? (env["APPDATA"] ?? join(home, "AppData", "Roaming"))
            : (env["XDG_CONFIG_HOME"] ?? join(home, ".config"));
      return join(folder, "Claude", "claude_desktop_config.json");
    },
  },
  "claude-code": { key: "mcpServers", file: ({ cwd }) => join(cwd, ".mcp.json") },
  cursor: { key: "mcpServers", file: ({ home }) => join(home, ".cursor", "mcp.json") },
  vscode: { key: "servers", file: ({ cwd }) => join(cwd, ".vscode", "mcp.json") },
  codex: {
    key: "toml",
    file: ({ home, env }) => join(env["CODEX_HOME"] ?? join(home, ".codex"), "config.toml"),
  },
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;

/** The file a client reads. */
export function clientFile(name: ClientName, env: NodeJS.ProcessEnv, cwd: string): string {
  const home = env["HOME"] || homedir();
  return CLIENTS[name].file({ home, cwd, env, platform: process.platform });
}

/**
 * A client's file with the server in it under a name; everything else stays as it is. `text` is what
 * the file has, undefined for none. Throws BadConfiguration for a file that is not understood, since
 * writing it anew would lose what it says.
 */
export function withServer(
  client: ClientName,
  text: string | undefined,
  server: string,
  { command, args }: Launch,
): string {
  const { key } = CLIENTS[client];
  if (key === "toml") return withTable(text ?? "", server, { command, args });
  const root = text === undefined || text.trim() === "" ? {} : parse(text);
  const servers = root[key] ?? {};
  if (!isObject(servers)) throw broken(`"${key}" is no object`);
  const entry = { ...(key === "servers" && { type: "stdio" }), command, args };
  return `${JSON.stringify({ ...root, [key]: { ...servers, [server]: entry } }, null, 2)}\n`;
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw broken(cause instanceof Error ? cause.message : String(cause));
  }
  if (isObject(value)) return value;
  throw broken("it is no object");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces the server's own table, with those below it, or adds one at the end. */
function withTable(text: string, server: string, { command, args }: Launch): string {
  // Written inline, the servers leave no place for a table of our own.
  if (/^\s*(?:mcp_servers\s*[=.]|\[\s*mcp_servers\s*\])/m.test(text)) {
    throw broken("its mcp_servers are not written as [mcp_servers.NAME]");
  }
  // TOML's basic strings have JSON's escapes.
  const table = [
    `[mcp_servers.${server}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`,
  ];
  const kept: string[] = [];
  let at: number | undefined;
  let ours = false;
  for (const line of text === "" ? [] : text.replace(/\n$/, "").split("\n")) {
    const header = /^\s*\[+\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      const name = header.replaceAll('"', "");
      ours = name === `mcp_servers.${server}` || name.startsWith(`mcp_servers.${server}.`);
      if (ours) at ??= kept.length;
    }
    if (!ours) kept.push(line);
  }
  if (at !== undefined) kept.splice(at, 0, ...table, ...(at < kept.length ? [""] : []));
  else kept.push(...(kept.length > 0 && kept.at(-1) !== "" ? [""] : []), ...table);
  return `${kept.join("\n")}\n`;
}

function broken(why: string): AppError {
  return usageError(
    "BadConfiguration",
    `the client's file was left as it is, for it is not understood: ${why}`,
    "mend it, or leave out --write and add what is printed by hand",
  );
}
