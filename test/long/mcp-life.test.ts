/** How the MCP server lives and ends: cancelled, cut off, flooded, fed nonsense. */
import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { factsOf, textOf } from "../support/mcp.js";
import { startBinary } from "../support/mcp-binary.js";
import { createHome, finish, type Home } from "../support/run.js";
import { type StallingS3, startStallingS3 } from "../support/stalling-s3.js";

let home: Home;
let stalling: StallingS3;

beforeAll(async () => {
  stalling = await startStallingS3();
});
afterAll(() => stalling.close());
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const toStalling = () => ({
  CLOUD_ACCESS_KEY_ID: "access",
  CLOUD_SECRET_ACCESS_KEY: "secretsecret",
  CLOUD_ENDPOINT_URL: stalling.endpoint,
});

/** A message as it goes over the wire. */
const line = (message: Record<string, unknown>) =>
  `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = line({
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
});
const calling = (id: number, name: string, args: Record<string, unknown>) =>
  line({ id, method: "tools/call", params: { name, arguments: args } });

interface Answer {
  readonly id: number;
  readonly jsonrpc: string;
  readonly result?: Record<string, unknown>;
  readonly error?: unknown;
}

/** The answers on stdout, by id; anything else there is a failure. */
function answers(stdout: string): Map<number, Answer> {
  const lines = stdout.split("\n").filter((text) => text !== "");
  return new Map(
    lines.map((text) => {
      const message = JSON.parse(text) as Answer;
      expect(message.jsonrpc).toBe("2.0");
      return [message.id, message];
    }),
  );
}

function sparseFile(name: string, bytes: number): string {
  const path = join(home.directory, name);
  writeFileSync(path, "");
  truncateSync(path, bytes);
  return path;
}

/** Starts an upload that will not end, and waits until parts of it are on their way. */
async function stalledUpload(key: string): Promise<ChildProcess> {
  sparseFile("big", 64 * 1024 * 1024);
  const child = home.start(["mcp", "serve", "--allow-dir", "."], { env: toStalling() });
  child.stdin?.write(initialize);
  child.stdin?.write(
    calling(1, "upload_file", { bucket_name: "bucket", object_key: key, local_file_path: "big" }),
  );
  await stalling.waitFor(new RegExp(`^PUT /bucket/${key}\\?.*partNumber`));
  return child;
}

describe("cancelling", () => {
  it("an upload stops the requests and leaves no upload behind", async () => {
    const { client, close } = await startBinary(home, [], { env: toStalling() });
    sparseFile("big", 64 * 1024 * 1024);
    const controller = new AbortController();
    const uploading = client.callTool(
      {
        name: "upload_file",
        arguments: { bucket_name: "bucket", object_key: "cancelled", local_file_path: "big" },
      },
      undefined,
      { signal: controller.signal },
    );
    const failed = expect(uploading).rejects.toThrow();
    await stalling.waitFor(/^PUT \/bucket\/cancelled\?.*partNumber/);
    controller.abort();
    await failed;
    await stalling.waitFor(/^closed PUT \/bucket\/cancelled/);
    await stalling.waitFor(/^DELETE \/bucket\/cancelled\?.*uploadId=stalled/);
    // The server lives on.
    expect((await client.listTools()).tools).not.toEqual([]);
    await close();
  });

  it("a download closes the connection and leaves no file behind", async () => {
    const { client, close } = await startBinary(home, [], { env: toStalling() });
    const controller = new AbortController();
    const downloading = client.callTool(
      {
        name: "get_object",
        arguments: {
          bucket_name: "bucket",
          object_key: "down",
          mode: "download",
          local_path: "out/file",
        },
      },
      undefined,
      { signal: controller.signal },
    );
    const failed = expect(downloading).rejects.toThrow();
    await stalling.waitFor(/^GET \/bucket\/down/);
    controller.abort();
    await failed;
    await stalling.waitFor(/^closed GET \/bucket\/down/);
    await close();
    expect(readdirSync(join(home.directory, "out"))).toEqual([]);
  });
});

describe("the end of stdin", () => {
  it("lets what was asked be answered, and ends the server with 0", async () => {
    const { code, stdout, stderr } = await home.pail(["mcp", "serve", "--log-level", "warn"], {
      stdin:
        initialize +
        line({ method: "notifications/initialized" }) +
        calling(1, "create_bucket", { bucket_name: "bucket" }) +
        line({ id: 2, method: "tools/list" }),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const got = answers(stdout);
    expect(new Set(got.keys())).toEqual(new Set([0, 1, 2]));
    expect(got.get(1)?.result).toMatchObject({ structuredContent: { created: "bucket" } });
  });

  it("aborts a transfer under way cleanly", async () => {
    const child = await stalledUpload("eof");
    const { code, stdout } = await finish(child);
    expect(code).toBe(0);
    expect(answers(stdout).has(1)).toBe(false);
    expect(stalling.seen).toContainEqual(
      expect.stringMatching(/^DELETE \/bucket\/eof\?.*uploadId=stalled/),
    );
  });

  it("removes what was downloaded so far", async () => {
    const child = home.start(["mcp", "serve", "--allow-dir", "."], { env: toStalling() });
    child.stdin?.write(initialize);
    child.stdin?.write(
      calling(1, "get_object", {
        bucket_name: "bucket",
        object_key: "eof-down",
        mode: "download",
        local_path: "out/file",
      }),
    );
    await stalling.waitFor(/^GET \/bucket\/eof-down/);
    expect((await finish(child)).code).toBe(0);
    expect(readdirSync(join(home.directory, "out"))).toEqual([]);
  });
});

describe("a signal", () => {
  it.skipIf(process.platform === "win32").each(["SIGTERM", "SIGHUP"] as const)(
    "%s aborts a transfer under way cleanly",
    async (signal) => {
      const key = signal.toLowerCase();
      const child = await stalledUpload(key);
      child.kill(signal);
      await once(child, "close");
      expect(child.signalCode).toBeNull();
      expect(stalling.seen).toContainEqual(
        expect.stringMatching(new RegExp(`^DELETE /bucket/${key}\\?.*uploadId=stalled`)),
      );
    },
  );
});

describe("the protocol of 2026-07-28", () => {
  it("asks by ending a call, and accepts an answer to that question alone", async () => {
    const child = home.start(["mcp", "serve"]);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const call = async (name: string, args: object, answer: object = {}) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      };
      const params = { name, arguments: args, ...answer, _meta };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      child.stdin?.write(`${JSON.stringify(message)}\n`);
      return (JSON.parse((await lines.next()).value as string) as { result: Result }).result;
    };
    interface Result {
      readonly resultType: string;
      readonly inputRequests: Readonly<Record<string, { params: { message: string } }>>;
      readonly requestState: string;
      readonly structuredContent?: object;
    }
    await call("create_bucket", { bucket_name: "bucket" });
    await call("put_object", { bucket_name: "bucket", object_key: "k", content: "x" });
    const args = { bucket_name: "bucket", keys: ["k"] };
    const asked = await call("delete_objects", args);
    expect(asked.resultType).toBe("input_required");
    const [[id, { params }]] = Object.entries(asked.inputRequests) as [
      [string, (typeof asked.inputRequests)[string]],
    ];
    expect(params.message).toMatch(/^Delete 1 object/);
    const yes = { action: "accept", content: { confirm: true } };
    const { requestState } = asked;
    const wrong = await call("delete_objects", args, {
      inputResponses: { other: yes },
      requestState,
    });
    expect(wrong.resultType).toBe("input_required");
    const done = await call("delete_objects", args, {
      inputResponses: { [id]: yes },
      requestState,
    });
    expect(done).toMatchObject({ resultType: "complete", structuredContent: { deleted: 1 } });
    child.stdin?.end();
    await once(child, "close");
  });
});

describe("a client that goes away without a word", () => {
  it("ends the server once its pipes are closed", async () => {
    const child = home.start(["mcp", "serve"]);
    child.stdin?.write(initialize);
    await once(child.stdout!, "data");
    child.stdout?.destroy();
    child.stdin?.destroy();
    await once(child, "exit");
    expect(child.signalCode).toBeNull();
  });
});

describe("under load", () => {
  it("answers 500 calls at once, each with its own", async () => {
    const { call, close } = await startBinary(home, ["--log-level", "warn"]);
    await call("create_bucket", { bucket_name: "bucket" });
    const numbers = Array.from({ length: 250 }, (_, at) => at);
    const puts = await Promise.all(
      numbers.map((at) =>
        call("put_object", { bucket_name: "bucket", object_key: `k${at}`, content: `value ${at}` }),
      ),
    );
    expect(puts.filter(({ isError }) => isError)).toEqual([]);
    const results = await Promise.all(
      numbers.flatMap((at) => [
        call("get_object", { bucket_name: "bucket", object_key: `k${at}` }),
        call("stat_object", { bucket_name: "bucket", object_key: `k${at}` }),
      ]),
    );
    for (const at of numbers) {
      expect(textOf(results[2 * at]!)).toContain(`\nvalue ${at}\n`);
      expect(factsOf(results[2 * at + 1]!)).toMatchObject({ key: `k${at}` });
    }
    await close();
  });

  it("lives on after lines that are no messages", async () => {
    const { code, stdout, stderr } = await home.pail(["mcp", "serve"], {
      stdin: [
        "not json\n",
        "[]\n",
        "null\n",
        '{"jsonrpc":"2.0"}\n',
        '{"jsonrpc":"2.0","id":7,"method":"no/such"}\n',
        "\u0000\u0001\n",
        initialize,
        line({ id: 8, method: "tools/call", params: {} }),
        line({ id: 9, method: "tools/call", params: { name: 5 } }),
        calling(1, "list_buckets", {}),
      ].join(""),
    });
    expect(code).toBe(0);
    const got = answers(stdout);
    expect(got.get(1)?.result).toMatchObject({ structuredContent: { total: 0 } });
    expect(got.get(7)?.error).toBeDefined();
    expect(got.get(9)?.error ?? got.get(9)?.result).toBeDefined();
    expect(stderr).toContain("pail-mcp warn:");
  });
});

describe("fed nonsense", () => {
  const words = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "",
      "..",
      "../../../../etc/passwd",
      "/etc/passwd",
      "/proc/self/environ",
      "~/.ssh/id_rsa",
      "a\0b",
      "%2e%2e%2f",
      "file:///etc/passwd",
      "\\\\server\\share",
      "C:\\Windows\\win.ini",
      "\ud800",
      "\u202e",
      "x".repeat(1025),
      "x".repeat(300_000),
      "k",
      "dir/",
      "a//b/../c",
      "__proto__",
      "**/*",
      "[",
      "2020-01-01",
      "-1",
    ),
  );
  const anything = fc.oneof(
    words,
    fc.double(),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3 }),
  );
  const byType: Record<string, fc.Arbitrary<unknown>> = {
    string: words,
    integer: fc.oneof(
      fc.constantFrom(-1, 0, 1, 2, 1000, 1001, 604_800, 2 ** 31, Number.MAX_SAFE_INTEGER, 1e300),
      fc.integer({ min: 0, max: 2000 }),
    ),
    boolean: fc.boolean(),
    array: fc.array(words, { maxLength: 4 }),
    object: fc.dictionary(words, words, { maxKeys: 3 }),
  };

  /** Mostly of the right type, so that handlers are reached; sometimes of another. */
  function valueFor(
    name: string,
    { type = "", enum: choices }: { type?: string; enum?: string[] },
  ) {
    const right = choices === undefined ? (byType[type] ?? anything) : fc.constantFrom(...choices);
    const likely =
      name.endsWith("bucket") || name === "bucket_name" ? fc.constant("bucket") : right;
    return fc.oneof(
      { weight: 20, arbitrary: likely },
      { weight: 2, arbitrary: right },
      { weight: 1, arbitrary: anything },
    );
  }

  it("answers every call with a result or a clean error, and lives on", async () => {
    const { client, call, stderr, close } = await startBinary(home, ["--log-level", "warn"]);
    await call("create_bucket", { bucket_name: "bucket" });
    await call("put_object", { bucket_name: "bucket", object_key: "k", content: "v" });
    const { tools } = await client.listTools();
    const request = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
      const properties = Object.entries(inputSchema.properties ?? {});
      const likely = fc.record(
        Object.fromEntries(
          properties.map(([parameter, schema]) => [parameter, valueFor(parameter, schema)]),
        ),
        { requiredKeys: (inputSchema.required ?? []) as [] },
      );
      return fc.record({ name: fc.constant(name), args: likely });
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 8, maxLength: 8 }), async (requests) => {
        const results = await Promise.all(requests.map(({ name, args }) => call(name, args)));
        for (const result of results) {
          const text = textOf(result);
          if (result.isError) expect(text).toMatch(/^(MCP error|[A-Za-z]\w+: )|^deleted /);
          expect(text).not.toMatch(/root:x:0|TypeError|RangeError|URIError|\n\s+at /);
        }
      }),
      { numRuns: 60 },
    );
    expect((await call("list_buckets")).isError).toBeUndefined();
    expect(stderr()).not.toContain("pail-mcp error:");
    await close();
  });
});
