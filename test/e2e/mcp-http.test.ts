/** The MCP server over Streamable HTTP. */
import type { ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { factsOf, textOf } from "../support/mcp.js";
import { createHome, type Home } from "../support/run.js";

const TOKEN = "a-token-for-this-test";

let home: Home;
let child: ChildProcess;
let url: string;
let stderr: string;

beforeEach(async () => {
  home = createHome();
  child = home.start(["mcp", "serve", "--http", "127.0.0.1:0"], { env: { PAIL_MCP_TOKEN: TOKEN } });
  stderr = "";
  url = await listening(child);
});

afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill();
    await once(child, "exit");
  }
  home.remove();
});

/** The URL a server says it listens on. */
function listening(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      const match = /listening on (\S+)/.exec(stderr);
      if (match !== null) resolve(match[1]!);
    });
    server.once("exit", () => reject(new Error(stderr)));
  });
}

async function connect(answer?: () => Promise<boolean>): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async () => {
      const confirm = await answer();
      return { action: confirm ? "accept" : "decline", content: { confirm } };
    });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
    }),
  );
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: args })) as CallToolResult;

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
};
const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("Streamable HTTP", () => {
  it("serves several clients, each with its own session and its own questions", async () => {
    const [plain, yes, no] = await Promise.all([
      connect(),
      connect(async () => true),
      connect(async () => false),
    ]);
    expect((await plain.listTools()).tools).toHaveLength(19);
    await call(plain, "create_bucket", { bucket_name: "bucket" });
    await call(plain, "put_object", { bucket_name: "bucket", object_key: "k", content: "v" });
    const erase = { bucket_name: "bucket", keys: ["k"] };
    expect(textOf(await call(plain, "delete_objects", erase))).toMatch(/^ConfirmationRequired/);
    expect(textOf(await call(no, "delete_objects", erase))).toMatch(/^Declined/);
    expect(factsOf(await call(yes, "delete_objects", erase))).toMatchObject({ deleted: 1 });
    await Promise.all([plain.close(), yes.close(), no.close()]);
  });

  it("prints its address and not the token it was given", () => {
    expect(new URL(url)).toMatchObject({ hostname: "127.0.0.1", pathname: "/mcp" });
    expect(stderr).not.toContain(TOKEN);
  });

  it("turns away clients without a token, and web pages", async () => {
    expect((await post(initialize, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post(initialize, { authorization: "" })).status).toBe(401);
    expect((await post(initialize, { origin: "http://evil.example" })).status).toBe(403);
    expect((await post(initialize, { origin: "http://localhost:1" })).status).toBe(200);
  });

  it("refuses bodies that are too large, unknown sessions and nonsense, and lives on", async () => {
    expect((await post("x".repeat(17 * 1024 * 1024))).status).toBe(413);
    expect((await post("{")).status).toBe(400);
    expect((await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(400);
    expect((await post(initialize, { "mcp-session-id": "made-up" })).status).toBe(404);
    const client = await connect();
    expect(textOf(await call(client, "list_buckets"))).toBe("0 buckets at local");
    await client.close();
  });

  it("ends a session when its client asks for it", async () => {
    const begun = await post(initialize);
    const id = begun.headers.get("mcp-session-id")!;
    await begun.body?.cancel();
    const headers = { authorization: `Bearer ${TOKEN}`, "mcp-session-id": id };
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(200);
    expect(
      (await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": id })).status,
    ).toBe(404);
  });

  it("gives up a quiet session for the 65th client, but never a busy one", async () => {
    const person = new EventEmitter();
    const asked = once(person, "asked");
    const client = await connect(async () => {
      person.emit("asked");
      return (await once(person, "answers"))[0] as boolean;
    });
    const quiet = await connect();
    await call(client, "create_bucket", { bucket_name: "bucket" });
    await call(client, "put_object", { bucket_name: "bucket", object_key: "k", content: "v" });
    const deleting = call(client, "delete_objects", { bucket_name: "bucket", keys: ["k"] });
    await asked;
    // The busy session has been without a request for longer.
    await quiet.ping();
    for (let others = 0; others < 64; others += 1) {
      const begun = await post(initialize);
      expect(begun.status).toBe(200);
      await begun.body?.cancel();
    }
    await expect(quiet.ping()).rejects.toThrow(/no such session/);
    person.emit("answers", true);
    expect(factsOf(await deleting)).toMatchObject({ deleted: 1 });
    await Promise.all([client.close(), quiet.close()]);
  });

  it.skipIf(process.platform === "win32")("ends on SIGTERM with clients connected", async () => {
    const client = await connect();
    child.kill("SIGTERM");
    await once(child, "exit");
    expect(child.signalCode).toBeNull();
    await client.close();
  });

  it("makes a token of its own when none is given", async () => {
    const own = home.start(["mcp", "serve", "--http", "0", "--log-level", "off"]);
    stderr = "";
    const address = await listening(own);
    while (!stderr.includes("bearer token")) await once(own.stderr!, "data");
    const token = /bearer token (\S{43})\n/.exec(stderr)?.[1];
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(initialize),
    });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    own.kill();
    await once(own, "exit");
  });

  it("names the address that is in use", async () => {
    const { host } = new URL(url);
    const { code, stderr } = await home.pail(["mcp", "serve", "--http", host]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`cannot listen on ${host}: the address is in use`),
    });
  });

  it.each(["0.0.0.0:0", "example.com:80", "nonsense"])("does not listen on %s", async (address) => {
    const { code, stderr } = await home.pail(["mcp", "serve", "--http", address]);
    expect(code).toBe(2);
    expect(stderr).toContain("--http");
  });
});
