/** `pail serve` as it is started for development and in CI: one command, then it is ready. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import {
  CopyObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHome, firstRecord, type Home } from "../support/run.js";
import { keysOf, sdkFor, textOf } from "../support/sdk.js";
import { startServe } from "../support/serve.js";
import { openTerminal } from "../support/terminal.js";

const ROOT = { PAIL_ROOT_USER: "dev", PAIL_ROOT_PASSWORD: "dev-secret" };

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

/** Starts with `--json`; resolves with its first line. */
async function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = home.start(["serve", "--address", "127.0.0.1:0", "--json", ...args], { env });
  const lines: string[] = [];
  createInterface({ input: child.stderr! }).on("line", (line) => lines.push(line));
  const first = await firstRecord<
    Record<"endpoint" | "accessKeyId" | "directory", string> & { secretAccessKey?: string }
  >(child);
  const closed = once(child, "close");
  return {
    ...first,
    lines,
    stop: async () => {
      child.kill("SIGTERM");
      return (await closed)[0] as number | null;
    },
  };
}

const client = (endpoint: string, accessKeyId: string, secretAccessKey: string) =>
  new S3Client({
    endpoint,
    region: "eu-central-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });

describe("a server started for tests", () => {
  it("has known credentials, buckets and objects, and leaves nothing", async () => {
    const folder = join(home.directory, "fixtures");
    mkdirSync(join(folder, "seeded/deep"), { recursive: true });
    writeFileSync(join(folder, "seeded/deep/page.html"), "<p>");
    writeFileSync(join(folder, "beside.txt"), "no bucket");
    const args = ["--temp", "--bucket", "one,two", "--public", "open", "--seed", folder];
    const domain = ["--domain", "s3.test,s3.example"];
    const server = await serve([...args, ...domain, "--log", "requests"], ROOT);
    const s3 = client(server.endpoint, "dev", "dev-secret");
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(["one", "open", "seeded", "two"]);
    const page = await s3.send(new GetObjectCommand({ Bucket: "seeded", Key: "deep/page.html" }));
    expect(page.ContentType).toBe("text/html");
    await s3.send(new PutObjectCommand({ Bucket: "open", Key: "k", Body: "x" }));
    expect(await (await fetch(`${server.endpoint}/open/k`)).text()).toBe("x");
    for (const host of ["open.s3.test", "open.s3.example:9000", "open.localhost"]) {
      const asked = get(`${server.endpoint}/k`, { headers: { host } });
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      expect(await text(answer)).toBe("x");
    }
    for (const path of ["_health", "_ready"]) {
      expect((await fetch(`${server.endpoint}/${path}`)).status).toBe(200);
    }
    await fetch(`${server.endpoint}/one/k?X-Amz-Signature=abc&AWSAccessKeyId=a&Signature=def`);
    expect(existsSync(server.directory)).toBe(true);
    expect(await server.stop()).toBe(0);
    expect(existsSync(server.directory)).toBe(false);
    const log = server.lines.flatMap((line) =>
      line.includes('"request"') ? [JSON.parse(line) as Record<string, unknown>] : [],
    );
    expect(log.find(({ method }) => method === "PUT")).toMatchObject({
      method: "PUT",
      status: 200,
      accessKeyId: "dev",
      peer: "127.0.0.1",
    });
    expect(log.at(-1)).toMatchObject({ status: 403, code: expect.any(String) as string });
    expect(server.lines.join("\n")).not.toMatch(/abc|def&|dev-secret/);
    expect(server.lines.join("\n")).toContain("skipped beside.txt");
  });

  it("shows the secret of a temporary store, since nothing else could tell it", async () => {
    const server = await serve(["--temp"]);
    const { endpoint, accessKeyId, secretAccessKey } = server;
    const s3 = client(endpoint, accessKeyId, secretAccessKey!);
    expect((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
    await server.stop();
  });

  it("shows a secret on a terminal once, when its key is made, and never a given one", async () => {
    const secretsOf = () =>
      (
        JSON.parse(readFileSync(join(home.env["PAIL_STORE_DIR"]!, "keys.json"), "utf8")) as {
          keys: { secretAccessKey: string }[];
        }
      ).keys.map(({ secretAccessKey }) => secretAccessKey);
    const serving = async () => {
      const terminal = openTerminal({ home, args: ["serve", "--address", "127.0.0.1:0"] });
      await terminal.see("Ctrl-C to stop");
      terminal.press("<ctrl-c>");
      await terminal.exit();
      return terminal.output();
    };
    expect(await serving()).toContain(secretsOf()[0]);
    expect(await serving()).not.toContain(secretsOf()[0]);

    const making = openTerminal({ home, args: ["serve", "key", "create"] });
    expect((await making.exit()).code).toBe(0);
    expect(making.output()).toContain(secretsOf()[1]);
    expect(making.output()).toContain("not shown again");
    const given = openTerminal({
      home,
      args: ["serve", "key", "create", "--access-key", "given", "--secret-key-stdin"],
    });
    await given.see("Secret key:");
    given.send("typed-by-hand\r");
    expect((await given.exit()).code).toBe(0);
    expect(secretsOf()[2]).toBe("typed-by-hand");
    expect(given.output()).not.toContain("typed-by-hand");
    const listing = openTerminal({ home, args: ["serve", "key", "list"] });
    await listing.exit();
    for (const secret of secretsOf()) expect(listing.output()).not.toContain(secret);
  });

  it.each([
    [{ PAIL_ROOT_USER: "dev" }, "PAIL_ROOT_PASSWORD"],
    [{ PAIL_ROOT_USER: "dev", PAIL_ROOT_PASSWORD: "short" }, "secret key"],
  ])("refuses half of a credential: %j", async (env, named) => {
    const ended = await home.pail(["serve", "--temp", "--address", "127.0.0.1:0"], { env });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(named);
  });

  it("names the address that is in use", async () => {
    const server = await serve(["--temp"]);
    const address = new URL(server.endpoint).host;
    const ended = await home.pail(["serve", "--temp", "--address", address]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain(address);
    await server.stop();
  });

  it("ends although an upload has stalled", async () => {
    const server = await serve(["--temp", "--bucket", "bucket", "--stop-timeout", "1"], ROOT);
    const { hostname, port } = new URL(server.endpoint);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      "POST /bucket HTTP/1.1\r\nhost: h\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n",
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toContain("100 Continue");
    expect(await server.stop()).toBe(0);
  });
});

describe("an access key", () => {
  it("may only read, or only use its buckets, when it was made so", async () => {
    const server = await startServe(home);
    const owner = sdkFor({ ...server, directory: "", close: async () => undefined });
    const make = async (args: readonly string[], stdin?: string) => {
      const made = await home.pail(["serve", "key", "create", "--json", ...args], { stdin });
      return JSON.parse(made.stdout) as { accessKeyId: string; secretAccessKey?: string };
    };
    for (const bucket of ["mine", "other"]) await home.pail(["mb", `local/${bucket}`]);
    await owner.send(new PutObjectCommand({ Bucket: "mine", Key: "k", Body: "x" }));
    await owner.send(new PutObjectCommand({ Bucket: "other", Key: "k", Body: "y" }));

    const reader = await make(
      ["--read-only", "--access-key", "reader", "--secret-key-stdin"],
      "reader-secret\n",
    );
    expect(reader).toMatchObject({ accessKeyId: "reader" });
    expect(reader.secretAccessKey).toBeUndefined();
    const read = client(server.endpoint, "reader", "reader-secret");
    expect(await textOf(read, "mine", "k")).toBe("x");
    const denied = { name: "AccessDenied" };
    const put = (Bucket: string) => new PutObjectCommand({ Bucket, Key: "new", Body: "x" });
    await expect(read.send(put("mine"))).rejects.toMatchObject(denied);

    const { accessKeyId, secretAccessKey } = await make(["--bucket", "mine"]);
    const limited = client(server.endpoint, accessKeyId, secretAccessKey!);
    await limited.send(put("mine"));
    expect(await keysOf(limited, "mine")).toEqual(["k", "new"]);
    await expect(limited.send(put("other"))).rejects.toMatchObject(denied);
    await expect(textOf(limited, "other", "k")).rejects.toMatchObject(denied);
    const copy = { Bucket: "mine", Key: "stolen", CopySource: "other/k" };
    await expect(limited.send(new CopyObjectCommand(copy))).rejects.toMatchObject(denied);
    const { Buckets } = await limited.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(["mine"]);

    const again = await home.pail(["serve", "key", "create", "--access-key", "reader"]);
    expect(again.code).toBe(5);
    await server.stop();
  });
});
