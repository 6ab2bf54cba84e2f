/** The tools over the built binary and the SDK's client, against a store on a socket. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { factsOf, textOf } from "../support/mcp.js";
import { type McpBinary, startBinary } from "../support/mcp-binary.js";
import { createHome, finish, type Home } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";

let store: RunningStore;
let home: Home;
let open: McpBinary[] = [];

beforeAll(async () => {
  store = await startStore();
});
afterAll(() => store.close());
afterEach(async () => {
  await Promise.all(open.map((server) => server.close()));
  open = [];
  home.remove();
});

type Start = Parameters<typeof startBinary>;

/** Credentials by environment, as a client's `env` gives them. */
function variables(): Record<string, string> {
  return {
    CLOUD_ACCESS_KEY_ID: store.accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: store.secretAccessKey,
    CLOUD_ENDPOINT_URL: store.endpoint,
  };
}

async function start(args: Start[1] = [], options: Start[2] = {}): Promise<McpBinary> {
  const server = await startBinary(home, args, { env: variables(), ...options });
  open.push(server);
  return server;
}

let buckets = 0;
const freshName = () => `bucket-${++buckets}`;

describe("every tool, over stdio", () => {
  it("works as described", async () => {
    home = createHome({ here: true });
    const { call, client } = await start();
    const bucket_name = freshName();
    const ok = async (name: string, args: Record<string, unknown>) => {
      const first = await call(name, args);
      // A tool that destroys is called again, with the token that the first answer gives.
      const token = /confirm: "([\w-]{16})"/.exec(textOf(first))?.[1];
      const result = token === undefined ? first : await call(name, { ...args, confirm: token });
      expect(result.isError, `${name}: ${textOf(result)}`).toBeUndefined();
      return result;
    };
    const file = join(home.directory, "file.bin");
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
    writeFileSync(file, bytes);

    await ok("create_bucket", { bucket_name });
    expect(textOf(await ok("list_buckets", {}))).toContain(bucket_name);
    await ok("upload_file", {
      local_file_path: "file.bin",
      bucket_name,
      object_key: "up/file.bin",
      content_type: "application/x-test",
      storage_class: "STANDARD",
      cache_control: "no-cache",
    });
    expect(
      factsOf(await ok("stat_object", { bucket_name, object_key: "up/file.bin" })),
    ).toMatchObject({
      size: bytes.length,
      content_type: "application/x-test",
      cache_control: "no-cache",
    });
    await ok("get_object", {
      bucket_name,
      object_key: "up/file.bin",
      mode: "download",
      local_path: join(home.directory, "down.bin"),
    });
    expect(readFileSync(join(home.directory, "down.bin")).equals(bytes)).toBe(true);
    await ok("put_object", {
      bucket_name,
      object_key: "note.txt",
      content: "hello",
      content_type: "text/plain",
      if_none_match: true,
    });
    expect(
      textOf(
        await ok("get_object", {
          bucket_name,
          object_key: "note.txt",
          mode: "read",
          offset: 1,
          max_content_size: 3,
        }),
      ),
    ).toContain("\nell\n");
    expect(
      factsOf(await ok("list_objects", { bucket_name, prefix: "u", delimiter: "/", max_keys: 10 })),
    ).toMatchObject({ prefixes: ["up/"] });
    expect(
      factsOf(
        await ok("search_objects", {
          bucket_name,
          glob: "**/*.bin",
          min_size: 1,
          max_size: 1e9,
          modified_after: "2020-01-01",
          modified_before: "2120-01-01",
          max_keys: 5,
        }),
      ),
    ).toMatchObject({ objects: [{ key: "up/file.bin" }] });
    await ok("copy_object", {
      source_bucket: bucket_name,
      source_key: "note.txt",
      bucket_name,
      object_key: "copy.txt",
    });
    await ok("copy_object", {
      source_bucket: bucket_name,
      source_key: "copy.txt",
      bucket_name,
      object_key: "moved.txt",
      move: true,
      confirm: true,
    });
    await ok("set_tags", { bucket_name, object_key: "moved.txt", tags: { a: "1" } });
    await ok("set_tags", { bucket_name, tags: { b: "2" } });
    expect(factsOf(await ok("list_versions", { bucket_name, prefix: "m" }))).toMatchObject({
      versions: [{ key: "moved.txt", latest: true }],
    });
    expect(factsOf(await ok("bucket_info", { bucket_name }))).toMatchObject({
      objects: 3,
      tags: { b: "2" },
    });

    const { url } = factsOf(
      await ok("presign_url", { bucket_name, object_key: "moved.txt", expires_in: 60 }),
    );
    expect(await (await fetch(String(url))).text()).toBe("hello");
    const upload = factsOf(
      await ok("presign_url", {
        bucket_name,
        object_key: "new.txt",
        method: "PUT",
        content_type: "text/x",
      }),
    );
    const put = await fetch(String(upload["url"]), {
      method: "PUT",
      body: "put",
      headers: { "content-type": "text/x" },
    });
    expect(put.status).toBe(200);

    const { contents } = await client.readResource({ uri: `s3://${bucket_name}/new.txt` });
    expect(contents).toMatchObject([{ text: "put" }]);
    expect(textOf(await call("delete_bucket", { bucket_name }))).toMatch(/^BucketNotEmpty/);
    await ok("delete_objects", { bucket_name, keys: ["new.txt"], confirm: true });
    expect(
      factsOf(await ok("delete_objects", { bucket_name, prefix: "up", dry_run: true })),
    ).toMatchObject({ count: 1 });
    await ok("delete_objects", { bucket_name, prefix: "up", confirm: true });
    await ok("delete_objects", { bucket_name, keys: ["note.txt", "moved.txt"], confirm: true });
    await ok("delete_bucket", { bucket_name });
  });

  it("reports the growing progress of a transfer when asked to", async () => {
    home = createHome({ here: true });
    const { client, call } = await start();
    const bucket_name = freshName();
    await call("create_bucket", { bucket_name });
    writeFileSync(join(home.directory, "big"), Buffer.alloc(48 * 1024 * 1024));
    const notes: { progress: number; total?: number | undefined }[] = [];
    await client.callTool(
      {
        name: "upload_file",
        arguments: { bucket_name, object_key: "big", local_file_path: "big" },
      },
      undefined,
      { onprogress: (note) => notes.push(note) },
    );
    const values = notes.map(({ progress }) => progress);
    expect(values.length).toBeGreaterThan(0);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    // The last note can share a read with the answer, and the client then drops it.
    expect(notes.at(-1)?.total).toBe(48 * 1024 * 1024);
  });

  it("asks the person through the client before it destroys", async () => {
    home = createHome({ here: true });
    const questions: string[] = [];
    const { call } = await start([], {
      env: variables(),
      answer: async (question) => {
        questions.push(question);
        return questions.length === 1
          ? { action: "decline" }
          : { action: "accept", content: { confirm: true } };
      },
    });
    const bucket_name = freshName();
    await call("create_bucket", { bucket_name });
    await call("put_object", { bucket_name, object_key: "k", content: "v" });
    const erase = () => call("delete_objects", { bucket_name, keys: ["k"], confirm: true });
    expect(textOf(await erase())).toMatch(/^Declined/);
    expect(factsOf(await erase())).toMatchObject({ deleted: 1 });
    expect(questions).toEqual(
      Array(2).fill(`Delete 1 object (1 byte) from "env/${bucket_name}"? It can be undone.\n"k"`),
    );
  });
});

it("is undone by a person with pail mcp undo, moves too", async () => {
  home = createHome({ here: true });
  const env = variables();
  const url = store.endpoint.replace("://", `://${store.accessKeyId}:${store.secretAccessKey}@`);
  const { call, close } = await start();
  const bucket_name = freshName();
  await call("create_bucket", { bucket_name });
  for (const at of [1, 2])
    await call("put_object", { bucket_name, object_key: `in/${at}`, content: `text ${at}` });
  const args = { source_bucket: bucket_name, prefix: "in/", bucket_name, to_prefix: "out/" };
  const asked = await call("copy_objects", { ...args, move: true });
  const confirm = /confirm: "([\w-]{16})"/.exec(textOf(asked))?.[1];
  const moved = factsOf(await call("copy_objects", { ...args, move: true, confirm }));
  expect(moved).toMatchObject({ moved: 2 });
  await close();
  const keys = async () => {
    const { stdout } = await home.pail(["ls", "-r", "--json", `play/${bucket_name}`], {
      env: { PAIL_HOST_play: url },
    });
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => (JSON.parse(line) as { key: string }).key);
  };
  expect(await keys()).toEqual(["out/1", "out/2"]);
  const listed = await home.pail(["mcp", "undo"], { env });
  expect(listed.stdout).toContain(`${String(moved["undo"])}  `);
  const undone = await home.pail(["mcp", "undo", String(moved["undo"]), "--yes"], { env });
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining("in/1") });
  expect(await keys()).toEqual(["in/1", "in/2"]);
  const { stdout } = await home.pail(["cat", `play/${bucket_name}/in/2`], {
    env: { PAIL_HOST_play: url },
  });
  expect(stdout).toBe("text 2");
});

describe("the settings of its start", () => {
  it.each([
    ["the seed's variables", () => [[], variables()] as const],
    [
      "the AWS variables",
      () =>
        [
          [],
          {
            AWS_ACCESS_KEY_ID: store.accessKeyId,
            AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
            AWS_ENDPOINT_URL: store.endpoint,
            AWS_REGION: "us-east-1",
          },
        ] as const,
    ],
    [
      "the seed's flags",
      () =>
        [
          [
            `--access-key-id=${store.accessKeyId}`,
            `--secret-access-key=${store.secretAccessKey}`,
            "--endpoint-url",
            store.endpoint,
            "--region",
            "us-east-1",
            "--log-level",
            "info",
          ],
          {},
        ] as const,
    ],
    [
      "an alias",
      () =>
        [
          ["--alias", "play"],
          {
            PAIL_HOST_play: store.endpoint.replace(
              "://",
              `://${store.accessKeyId}:${store.secretAccessKey}@`,
            ),
          },
        ] as const,
    ],
  ])("are %s", async (_what, make) => {
    home = createHome({ here: true });
    const [args, env] = make();
    const { call, stderr } = await start([...args], { env });
    const bucket_name = freshName();
    expect(textOf(await call("create_bucket", { bucket_name }))).toMatch(
      new RegExp(`^created bucket \\w+/${bucket_name}\nat: `),
    );
    expect(stderr()).toContain(new URL(store.endpoint).host);
    expect(stderr()).not.toContain(store.secretAccessKey);
  });

  it("may be missing: then it serves the embedded store, and says so", async () => {
    home = createHome({ here: true });
    const { call, stderr } = await start([], { env: {} });
    expect(textOf(await call("list_buckets"))).toBe("0 buckets at local");
    expect(stderr()).toContain("embedded store");
    expect(stderr()).toContain(join(home.directory, "store"));
  });

  it("may name several aliases, each reached by its name", async () => {
    home = createHome({ here: true });
    const url = store.endpoint.replace("://", `://${store.accessKeyId}:${store.secretAccessKey}@`);
    const { call } = await start(["--alias", "local", "--alias", "play"], {
      env: { PAIL_HOST_play: url },
    });
    const bucket_name = freshName();
    await call("create_bucket", { bucket_name, alias: "play" });
    await call("put_object", { bucket_name, object_key: "k", content: "v", alias: "play" });
    await call("create_bucket", { bucket_name: "here-too" });
    expect(textOf(await call("list_buckets"))).not.toContain(bucket_name);
    expect(textOf(await call("list_buckets", { alias: "play" }))).toContain(bucket_name);
    const copied = await call("copy_object", {
      source_alias: "play",
      source_bucket: bucket_name,
      source_key: "k",
      bucket_name: "here-too",
      object_key: "k",
    });
    expect(copied.isError, textOf(copied)).toBeUndefined();
    expect(
      textOf(await call("get_object", { bucket_name: "here-too", object_key: "k" })),
    ).toContain("\nv\n");
  });

  it.each([
    ["half a credential by flag", ["--access-key-id", "AKIA"], {}, "--secret-access-key"],
    [
      "half a credential by variable",
      [],
      { CLOUD_ACCESS_KEY_ID: "AKIA" },
      "CLOUD_SECRET_ACCESS_KEY",
    ],
    ["the other half", [], { AWS_SECRET_ACCESS_KEY: "hidden-value" }, "AWS_ACCESS_KEY_ID"],
    ["an endpoint that is none", ["--endpoint-url", "nonsense"], {}, "--endpoint-url"],
    [
      "variables that are there and empty, as a container passes them on",
      [],
      { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_REGION: "eu-west-1" },
      "AWS_ACCESS_KEY_ID is empty",
    ],
    ["flags that are empty", ["--access-key-id=", "--secret-access-key="], {}, "--access-key-id"],
    ["a region that is empty", ["--region", ""], {}, "--region"],
    ["a bucket that is none", ["--bucket", "a/b/c"], {}, "--bucket a/b/c"],
    ["an unknown alias", ["--alias", "locall"], {}, "did you mean local?"],
    [
      "an alias and an endpoint",
      ["--alias", "local", "--endpoint-url", "http://127.0.0.1:1"],
      {},
      "--alias",
    ],
    ["an unknown tool", ["--tools", "list_bukets"], {}, "did you mean list_buckets?"],
    ["an unknown level", ["--log-level", "loud"], {}, "--log-level"],
    ["a directory that is not there", ["--allow-dir", "/nowhere/at/all"], {}, "--allow-dir"],
    ["an unknown flag", ["--readonly"], {}, "--read-only"],
  ])("are refused with exit code 2 for %s", async (_what, args, env, said) => {
    home = createHome({ here: true });
    const { code, stdout, stderr } = await home.pail(["mcp", "serve", ...args], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("hidden-value");
  });

  it("are explained by --help", async () => {
    home = createHome({ here: true });
    const { code, stdout } = await finish(home.start(["mcp", "serve", "--help"]));
    expect(code).toBe(0);
    for (const flag of [
      "access-key-id",
      "secret-access-key",
      "region",
      "endpoint-url",
      "log-level",
      "alias",
      "read-only",
      "bucket",
      "tools",
      "allow-dir",
    ]) {
      expect(stdout).toContain(`--${flag}`);
    }
  });

  it.each([
    [["--log-level", "error"], { RUST_LOG: "rustfs_mcp_server=debug" }, ""],
    [[], { RUST_LOG: "off" }, ""],
    [[], { RUST_LOG: "rustfs_mcp_server=debug" }, "list_buckets: done"],
  ])("logs at the level of %j and %j", async (args, env, said) => {
    home = createHome({ here: true });
    const { call, stderr, close } = await start(args, { env });
    await call("list_buckets");
    await close();
    if (said === "") expect(stderr()).toBe("");
    else expect(stderr()).toContain(said);
  });
});
