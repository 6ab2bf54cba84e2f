import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { CLIENTS, type ClientName, clientFile, withServer } from "../../../src/mcp/clients.js";

const launch = { command: "/usr/bin/node", args: ["/opt/p/bin/run.js", "mcp", "serve"] };
const names = Object.keys(CLIENTS) as ClientName[];

describe("a client's file", () => {
  it.each(names)("of %s is an absolute path in the home or the project", (name) => {
    expect(clientFile(name, { HOME: "/home/me" }, "/srv/project")).toMatch(/^\/(?:home|srv)\//);
  });

  it.each(names.filter((name) => name !== "codex"))("of %s keeps everything else", (name) => {
    const { key } = CLIENTS[name];
    const before = { theme: "dark", [key]: { other: { command: "x" }, pail: { command: "old" } } };
    const after = JSON.parse(withServer(name, JSON.stringify(before), "pail", launch)) as object;
    expect(after).toMatchObject({
      theme: "dark",
      [key]: { other: { command: "x" }, pail: launch },
    });
    expect(JSON.parse(withServer(name, undefined, "pail", launch))).toMatchObject({
      [key]: { pail: launch },
    });
  });

  it.each(['{"a":1,', "[]", '"x"', '{"mcpServers": []}', "// a comment\n{}"])(
    "that is %j is refused",
    (text) => {
      expect(() => withServer("claude", text, "pail", launch)).toThrow(/left as it is/);
    },
  );

  it("of codex keeps other tables, and takes the place of its own and those below", () => {
    const before = [
      'model = "x"',
      "[mcp_servers.pail]",
      'command = "old"',
      "[mcp_servers.pail.env]",
      'A = "1"',
      "[mcp_servers.other] # theirs",
      'command = "y"',
      "",
    ].join("\n");
    const after = withServer("codex", before, "pail", launch);
    expect(after).toBe(
      [
        'model = "x"',
        "[mcp_servers.pail]",
        'command = "/usr/bin/node"',
        'args = ["/opt/p/bin/run.js", "mcp", "serve"]',
        "",
        "[mcp_servers.other] # theirs",
        'command = "y"',
        "",
      ].join("\n"),
    );
    expect(withServer("codex", after, "pail", launch).replaceAll("\n\n", "\n")).toBe(
      after.replaceAll("\n\n", "\n"),
    );
    expect(withServer("codex", "", "pail", launch)).toMatch(/^\[mcp_servers\.pail\]\n/);
    for (const text of ["mcp_servers = {}", "mcp_servers.x.command = 1", "[mcp_servers]\nx = {}"]) {
      expect(() => withServer("codex", text, "pail", launch)).toThrow(/left as it is/);
    }
  });
});

it("the registry's file names this version of this package", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const { name, version, mcpName } = read("package.json");
  const server = read("server.json");
  expect(server).toMatchObject({
    name: mcpName,
    version,
    packages: [{ identifier: name, version }],
  });
  expect(readFileSync("Dockerfile", "utf8")).toContain(`server.name="${String(mcpName)}"`);
});
