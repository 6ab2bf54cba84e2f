/** The files of assistants' programs, and a server started as they say. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

it("starts the server from anywhere, with the options that were given", async () => {
  const file = join(home.directory, ".mcp.json");
  writeFileSync(file, '{"mcpServers": {"other": {"command": "theirs"}}, "more": 1}');
  mkdirSync(join(home.directory, "data"));
  const options = ["--alias", "local", "--read-only", "--allow-dir", "data"];
  const written = await home.pail(["mcp", "config", "claude-code", "--write", "--", ...options]);
  expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(file) });
  const { mcpServers, ...rest } = JSON.parse(readFileSync(file, "utf8")) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  expect(rest).toEqual({ more: 1 });
  expect(mcpServers["other"]).toEqual({ command: "theirs" });

  const client = new Client({ name: "test", version: "1" });
  const env = home.env as Record<string, string>;
  const transport = new StdioClientTransport({ ...mcpServers["pail"]!, cwd: "/", env });
  await client.connect(transport);
  const instructions = client.getInstructions();
  expect(instructions).toContain(`Local files: ${join(home.directory, "data")};`);
  expect(instructions).toContain("It leads to local (the embedded store on this computer");
  expect(instructions).toContain("Read-only");
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("put_object");
  await client.close();
});

it.each([
  ["a secret", ["--", "--secret-access-key", "x"], "a secret does not belong"],
  ["an option that the server has not", ["--", "--readonly"], "no option --readonly"],
  ["a name that is none", ["--name", "a b"], "--name a b"],
])("refuses %s", async (_what, args, said) => {
  const { code, stdout, stderr } = await home.pail(["mcp", "config", "cursor", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(said);
});
