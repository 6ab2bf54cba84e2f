/**
 * MCP clients and checkers of other projects on `pail mcp serve`. Runs with PAIL_TEST_CLIENTS=1,
 * for those that are on the machine: python3 with the package mcp (last run with 2.3.0), and of npm
 * @modelcontextprotocol/inspector (2.12.0, on Node 22 or newer) and @modelcontextprotocol/conformance
 * (0.1.16).
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";
import { run } from "./clients/client.js";

const isHere = (program: string, ...args: string[]) =>
  process.env["PAIL_TEST_CLIENTS"] === "1" &&
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

const SERVE = [RUNTIME, BIN, "mcp", "serve"] as const;
const TOKEN = "a-token-for-this-test";

/** The checks that need no fixtures on the server. */
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "completion-complete",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

let home: Home;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

it.skipIf(!isHere("python3", "-c", "import mcp"))("the official Python client", async () => {
  const script = "test/interop/clients/mcp_client.py";
  const { tools, texts, questions } = JSON.parse(
    await run(["python3", script, ...SERVE], home.env),
  ) as Record<"tools" | "texts" | "questions", string[]>;
  expect(tools).toContain("undo_changes");
  expect(texts[2]).toContain("\nhello\n");
  expect(texts[4]).toMatch(/^NoSuchKey: .*\nTry: /);
  expect(texts[5]).toMatch(/^deleted bucket /);
  expect(questions).toEqual([expect.stringMatching(/^Delete 1 object \(5 bytes\)/)]);
});

describe.skipIf(!isHere("mcp-inspector", "--cli", "--help"))("the inspector", () => {
  const inspect = (...args: string[]) =>
    run(["mcp-inspector", "--cli", ...SERVE, ...args], home.env);

  it("finds nothing in the tools that clients would not understand", async () => {
    const { tools } = JSON.parse(await inspect("--method", "tools/list", "--strict")) as {
      tools: object[];
    };
    expect(tools).not.toEqual([]);
  });

  it("calls tools and reads objects", async () => {
    const call = (tool: string, ...args: string[]) =>
      inspect("--method", "tools/call", "--tool-name", tool, "--tool-arg", ...args);
    await call("create_bucket", "bucket_name=inspected");
    await call("put_object", "bucket_name=inspected", "object_key=k", "content=hello");
    expect(await call("get_object", "bucket_name=inspected", "object_key=k")).toContain("hello");
    const read = await inspect("--method", "resources/read", "--uri", "s3://inspected/k");
    expect(JSON.parse(read)).toMatchObject({ contents: [{ text: "hello" }] });
    await expect(call("get_object", "bucket_name=inspected", "object_key=no")).rejects.toThrow(
      "NoSuchKey",
    );
  });
});

describe.skipIf(!isHere("conformance", "--version"))("the conformance tests", () => {
  let url: string;
  let end: () => Promise<void>;

  beforeAll(async () => {
    const args = ["mcp", "serve", "--http", "127.0.0.1:0"];
    const child = home.start(args, { env: { PAIL_MCP_TOKEN: TOKEN } });
    let said = "";
    while (!said.includes("/mcp\n")) said += String((await once(child.stderr!, "data"))[0]);
    const server = new URL(/http\S+\/mcp/.exec(said)![0]);
    // They send no token, so a proxy adds it.
    const proxy = createServer((from, to) => {
      const headers = { ...from.headers, authorization: `Bearer ${TOKEN}` };
      const onward = request(server, { method: from.method, headers }, (answer) => {
        to.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(to);
      });
      onward.on("error", () => to.destroy());
      to.on("close", () => onward.destroy());
      from.pipe(onward);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    end = async () => {
      child.kill();
      await once(child, "exit");
      proxy.closeAllConnections();
      proxy.close();
    };
  });
  afterAll(() => end());

  it.each(SCENARIOS)("%s", async (scenario) => {
    const said = await run(
      ["conformance", "server", "--url", url, "--scenario", scenario],
      home.env,
    );
    expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  });
});
