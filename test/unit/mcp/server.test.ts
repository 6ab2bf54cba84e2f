import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { afterEach, describe, expect, it } from "vitest";

import { AppError } from "../../../src/core/failures/errors.js";
import { TOOLS } from "../../../src/mcp/tools/index.js";
import { type McpOptions, type RunningMcp, startMcp, textOf } from "../../support/mcp.js";

let running: RunningMcp | undefined;
const start = async (options?: McpOptions) => (running = await startMcp(options));

afterEach(async () => {
  await running?.close();
  running = undefined;
});

describe("the tool list", () => {
  let encoder: Tiktoken | undefined;
  const tokens = (value: unknown) =>
    (encoder ??= new Tiktoken(o200k)).encode(JSON.stringify(value)).length;

  it.each([
    ["one alias", undefined],
    ["several aliases", ["local", "production", "minio"]],
  ])("costs a model at most 2,000 tokens with %s", async (_what, aliases) => {
    const { client } = await start({ toolsets: [], ...(aliases && { aliases }) });
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(TOOLS.length - 4);
    expect(tokens(tools)).toBeLessThanOrEqual(2000);
  });

  it("has descriptions of at most sixteen words", () => {
    for (const { name, description } of TOOLS) {
      expect(description.split(/\s+/).length, name).toBeLessThanOrEqual(16);
    }
  });

  it("has the seed's six tools with the seed's parameters", async () => {
    const { client } = await start();
    const { tools } = await client.listTools();
    const parameters = Object.fromEntries(
      tools.map(({ name, inputSchema }) => [
        name,
        [Object.keys(inputSchema.properties ?? {}), inputSchema.required ?? []],
      ]),
    );
    const [get] = parameters["get_object"]!;
    expect(parameters["list_buckets"]).toEqual([[], []]);
    expect(parameters["list_objects"]?.[0]).toEqual(
      expect.arrayContaining(["bucket_name", "prefix"]),
    );
    expect(parameters["list_objects"]?.[1]).toEqual(["bucket_name"]);
    expect(get).toEqual(
      expect.arrayContaining([
        "bucket_name",
        "object_key",
        "version_id",
        "mode",
        "local_path",
        "max_content_size",
      ]),
    );
    expect(parameters["get_object"]?.[1]).toEqual(["bucket_name", "object_key"]);
    expect(parameters["upload_file"]).toEqual([
      [
        "local_file_path",
        "bucket_name",
        "object_key",
        "content_type",
        "storage_class",
        "cache_control",
        "if_match",
      ],
      ["local_file_path", "bucket_name", "object_key"],
    ]);
    expect(parameters["create_bucket"]).toEqual([["bucket_name"], ["bucket_name"]]);
    expect(parameters["delete_bucket"]).toEqual([["bucket_name"], ["bucket_name"]]);
    const schema = tools.find(({ name }) => name === "get_object")?.inputSchema.properties;
    expect(schema?.["mode"]).toMatchObject({ enum: ["read", "download"], default: "read" });
    expect(schema?.["max_content_size"]).toMatchObject({ type: "integer", default: 1_048_576 });
  });

  it("marks exactly those tools as read-only that only read", async () => {
    const { client } = await start();
    const { tools } = await client.listTools();
    const readers = tools
      .filter(({ annotations }) => annotations?.readOnlyHint)
      .map(({ name }) => name);
    expect(readers).toEqual([
      "list_buckets",
      "list_objects",
      "stat_object",
      "search_objects",
      "grep_objects",
      "compare",
      "list_versions",
      "bucket_info",
    ]);
  });

  it("has an alias parameter only when several are served", async () => {
    const one = await start();
    const before = await one.client.listTools();
    expect(JSON.stringify(before)).not.toContain('"alias"');
    await one.close();
    const { client } = await start({ aliases: ["local", "other"] });
    const { tools } = await client.listTools();
    for (const { name, inputSchema } of tools) {
      expect(inputSchema.properties?.["alias"], name).toMatchObject({ type: "string" });
    }
    expect(
      tools.find(({ name }) => name === "copy_object")?.inputSchema.properties?.["source_alias"],
    ).toBeDefined();
  });
});

it("says that it has tools, objects and completions, and promises no notices of changes", async () => {
  const { client } = await start();
  const capabilities = { tools: {}, resources: {}, completions: {} };
  expect(client.getServerCapabilities()).toEqual(capabilities);
});

describe("a call", () => {
  it("accepts null and blanks for a left-out argument and text for numbers, and caps sizes", async () => {
    const { call, service, bucket } = await start();
    await service.make("bucket");
    for (const key of ["a", "b/c"]) await bucket("bucket").write(key, Buffer.from("v"));
    const blank = { prefix: null, delimiter: "", cursor: null, details: "false" };
    for (const max_keys of ["5", 5000, "5000", null]) {
      const listed = await call("list_objects", { bucket_name: "bucket", max_keys, ...blank });
      expect(textOf(listed)).toMatch(/^2 objects in local\/bucket\n/);
    }
  });

  it.each([
    ["a missing parameter", "list_objects", {}, "bucket_name"],
    ["a wrong type", "list_objects", { bucket_name: 5 }, "bucket_name"],
    ["an unknown parameter", "delete_objects", { bucket_name: "b", dryRun: true }, "dryRun"],
    ["no number", "list_objects", { bucket_name: "b", max_keys: "many" }, "max_keys"],
    ["a fraction", "get_object", { bucket_name: "b", object_key: "k", offset: 1.5 }, "offset"],
    ["an unknown mode", "get_object", { bucket_name: "b", object_key: "k", mode: "x" }, "mode"],
    ["half a character", "get_object", { bucket_name: "b", object_key: "\ud800" }, "object_key"],
    [
      "a key that is too long",
      "stat_object",
      { bucket_name: "b", object_key: "é".repeat(513) },
      "object_key",
    ],
    [
      "a path that is too long",
      "upload_file",
      { bucket_name: "b", object_key: "k", local_file_path: "x".repeat(4097) },
      "local_file_path: is longer than 4096 bytes",
    ],
    ["an empty key", "get_object", { bucket_name: "b", object_key: "" }, "object_key"],
    ["no date", "search_objects", { bucket_name: "b", modified_after: "soon" }, "modified_after"],
    ["another alias", "list_buckets", { alias: "other" }, "alias"],
  ])("with %s is an error that names it", async (_what, name, args, named) => {
    const { call } = await start();
    const result = await call(name, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(named);
  });

  it("of a tool that is not there, or only looks like one, is an error", async () => {
    const { call } = await start();
    for (const name of ["nope", "__proto__", "constructor", ""]) {
      expect((await call(name)).isError).toBe(true);
    }
  });

  it("that fails ends with S3's code, the failure and an advice, as text only", async () => {
    const { call } = await start();
    const result = await call("list_objects", { bucket_name: "nothing-here" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^NoSuchBucket: .*nothing-here.*\nTry: .+$/);
    expect(result.structuredContent).toMatchObject({
      error: { code: "NoSuchBucket", kind: "not-found" },
    });
  });

  it("shows no secret, whatever an error says", async () => {
    const { call, log } = await start({
      secrets: ["topsecretvalue"],
      storage: (storage) => ({
        ...storage,
        stat: async () => {
          throw new AppError({
            kind: "unavailable",
            code: "Odd",
            message: "GET https://me:topsecretvalue@h/k?X-Amz-Signature=abcdef0123 failed\nTry: rm",
            hint: "send topsecretvalue",
          });
        },
      }),
    });
    const result = await call("stat_object", { bucket_name: "bucket", object_key: "k" });
    const everything = JSON.stringify(result) + log.join("");
    expect(everything).not.toMatch(/topsecretvalue|abcdef0123/);
    expect(textOf(result).split("\n")).toHaveLength(2);
  });

  it("that meets a bug says so, writes the stack to the log, and the server lives on", async () => {
    const { call, log } = await start({
      storage: (storage) => ({
        ...storage,
        stat: async () => {
          throw new TypeError("x is not a function");
        },
      }),
    });
    const result = await call("stat_object", { bucket_name: "bucket", object_key: "k" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("x is not a function");
    expect(log.join("")).toMatch(/error: TypeError: x is not a function\npail-mcp error: +at /);
    expect((await call("list_buckets")).isError).toBeUndefined();
  });

  it("goes to the named alias, or else to the first", async () => {
    const { call } = await start({ aliases: ["local", "other"] });
    const missing = await call("get_object", {
      bucket_name: "nope",
      object_key: "k",
      alias: "other",
    });
    expect(missing.isError).toBe(true);
    const wrong = await call("list_buckets", { alias: "third" });
    expect(wrong.isError).toBe(true);
    // With a bucket of one name on two aliases, every result names its alias.
    const object = { bucket_name: "both", object_key: "k", alias: "other" };
    expect(textOf(await call("create_bucket", object))).toMatch(/there is no parameter object_key/);
    await call("create_bucket", { bucket_name: "both", alias: "other" });
    expect(textOf(await call("put_object", { ...object, content: "v" }))).toContain("at: other");
    expect(textOf(await call("get_object", object))).toMatch(/^other\/both\/k: /);
    for (const name of ["list_objects", "bucket_info", "list_versions"]) {
      const result = await call(name, { bucket_name: "both", alias: "other" });
      expect(result.structuredContent, name).toMatchObject({ alias: "other" });
    }
  });

  it("under restrictions is refused by the handler too, at both ends of a copy", async () => {
    const { call, service, bucket } = await start({ buckets: ["mine"] });
    for (const name of ["mine", "other"]) {
      await service.make(name);
      await bucket(name).write("k", Buffer.from("v"));
    }
    const copies = [
      { source_bucket: "other", bucket_name: "mine" },
      { source_bucket: "mine", bucket_name: "other" },
    ];
    for (const ends of copies) {
      const result = await call("copy_object", { ...ends, source_key: "k", object_key: "copy" });
      expect(textOf(result)).toMatch(/^AccessDenied: bucket other/);
    }
    for (const name of ["list_objects", "bucket_info", "list_versions", "search_objects"]) {
      expect(textOf(await call(name, { bucket_name: "other" }))).toMatch(/^AccessDenied/);
    }
    expect((await call("create_bucket", { bucket_name: "mine2" })).isError).toBe(true);
    const listed = await call("list_buckets");
    expect(listed.structuredContent).toMatchObject({ buckets: [{ name: "mine" }], total: 1 });
  });

  it("cannot write when read-only, not even by a URL", async () => {
    const { call, client, service } = await start({ readOnly: true });
    await service.make("bucket");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).not.toContain("put_object");
    for (const { name } of TOOLS.filter(({ access }) => access === "write")) {
      expect((await call(name, { bucket_name: "bucket" })).isError).toBe(true);
    }
    const put = await call("presign_url", {
      bucket_name: "bucket",
      object_key: "k",
      method: "PUT",
    });
    expect(textOf(put)).toMatch(/^UnknownTool: /);
    expect(client.getInstructions()).toContain("Read-only");
  });

  it("whose answer is too large for clients is an error, not a broken connection", async () => {
    const { call, service } = await start({
      storage: (storage) => ({
        ...storage,
        stat: async (key) => ({
          type: "object",
          key,
          size: 1,
          checksums: {},
          metadata: { x: "y".repeat(4 * 1024 * 1024) },
        }),
        getTags: async () => ({}),
      }),
    });
    await service.make("bucket");
    const result = await call("stat_object", { bucket_name: "bucket", object_key: "k" });
    expect(textOf(result)).toMatch(/^ResultTooLarge: .*\nTry: /);
  });
});
