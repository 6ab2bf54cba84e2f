/**
 * S3 clients of other projects on `pail serve`, over HTTP and over HTTPS (the AWS ones send
 * unsigned trailers only there). Runs with PAIL_TEST_CLIENTS=1, for the clients that are on the
 * machine.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get as httpGet, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { readAll } from "../../src/protocol/message.js";
import { HOSTILE, NOT_FILES, NOT_XML } from "../contract/keys.js";
import { pseudoRandom } from "../support/bucket.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";
import { aws } from "./clients/aws.js";
import { boto3, callBoto3 } from "./clients/boto3.js";
import type { Client, Driver, Target } from "./clients/client.js";
import { mc } from "./clients/mc.js";
import { rclone } from "./clients/rclone.js";
import { s5cmd } from "./clients/s5cmd.js";

const ASKED = process.env["PAIL_TEST_CLIENTS"] === "1";
const CLIENTS = [aws, boto3, rclone, s5cmd, mc];
const here = CLIENTS.filter(({ probe: [program, ...args] }) => {
  return ASKED && spawnSync(program, args, { stdio: "ignore" }).status === 0;
});
const MANY = 1_050;
const LARGE = pseudoRandom(21 * 1024 * 1024 + 7);

let home: Home;
let caFile: string;
const serves: Record<string, Serve> = {};
const clients: SignedClient[] = [];

beforeAll(async () => {
  if (here.length === 0) return;
  home = createHome();
  const { cert, key } = selfSigned();
  caFile = join(home.directory, "cert.pem");
  const keyFile = join(home.directory, "key.pem");
  writeFileSync(caFile, cert);
  writeFileSync(keyFile, key);
  serves["http"] = await startServe(home);
  serves["https"] = await startServe(home, ["--tls-cert", caFile, "--tls-key", keyFile]);
  const pail = pailOn("http");
  await pail.request({ method: "PUT", bucket: "many" });
  const storage = openBucket(pail, "many");
  for (let start = 0; start < MANY; start += 50) {
    const names = Array.from({ length: Math.min(50, MANY - start) }, (_, at) => `n${start + at}`);
    await Promise.all(names.map((name) => storage.write(name, Buffer.from(name))));
  }
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const serve of Object.values(serves)) expect(await serve.stop()).toBe(0);
  home?.remove();
});

/** pail's own view of a server, to check the other's by. */
function pailOn(transport: string): SignedClient {
  const serve = serves[transport]!;
  const client = clientFor({
    endpoint: serve.endpoint,
    credentials: serve,
    caFile: transport === "https" ? caFile : undefined,
  });
  clients.push(client);
  return client;
}

async function keysOf(pail: SignedClient, bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of openBucket(pail, bucket).list({ prefix: "" })) {
    keys.push(...page.map(({ key }) => key));
  }
  return keys;
}

test.runIf(ASKED)("there is a client to test with", () => {
  expect(here.map(({ name }) => name)).not.toEqual([]);
});

for (const client of CLIENTS) {
  const present = here.includes(client);
  const missing = ASKED ? " (not on this machine)" : " (PAIL_TEST_CLIENTS=1 runs it)";
  for (const transport of ["http", "https"]) {
    const title = `${client.name} on pail over ${transport}${present ? "" : missing}`;
    describe.skipIf(!present)(title, () => interop(client, transport));
  }
}

function interop(client: Client, transport: string): void {
  const bucket = `${client.name}-${transport}`;
  let directory: string;
  let target: Target;
  let driver: Driver;
  let pail: SignedClient;
  const at = (...names: string[]) => join(directory, ...names);
  const sorted = (names: readonly string[]) => names.toSorted();

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "pail-interop-"));
    target = {
      ...serves[transport]!,
      caFile: transport === "https" ? caFile : undefined,
      directory: join(directory, "home"),
    };
    mkdirSync(target.directory);
    driver = client.open(target);
    pail = pailOn(transport);
    await driver.makeBucket(bucket);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("lists the bucket it made", async () => {
    expect(await driver.buckets()).toEqual(expect.arrayContaining([bucket, "many"]));
  });

  test.each([
    ["empty.txt", Buffer.alloc(0)],
    ["small.txt", Buffer.from("Hello, bucket")],
    ["a dir/größe +1.bin", pseudoRandom(300_000)],
  ])("uploads %s, and it comes back", async (key, bytes) => {
    writeFileSync(at("up"), bytes);
    await driver.put(at("up"), bucket, key);
    const stored = await openBucket(pail, bucket).read(key);
    expect((await readAll(stored.body, LARGE.length)).equals(bytes)).toBe(true);
    await driver.get(bucket, key, at("down"));
    expect(readFileSync(at("down")).equals(bytes)).toBe(true);
  });

  test("uploads a large file in parts, and it comes back", async () => {
    writeFileSync(at("large"), LARGE);
    await driver.put(at("large"), bucket, "large.bin");
    const head = await openBucket(pail, bucket).stat("large.bin");
    expect(head).toMatchObject({ size: LARGE.length, etag: expect.stringMatching(/-\d+$/) });
    await driver.get(bucket, "large.bin", at("large-back"));
    expect(readFileSync(at("large-back")).equals(LARGE)).toBe(true);
  });

  test("copies on the server, the large one too", async () => {
    await driver.copy(bucket, "small.txt", "copy of small.txt");
    await driver.copy(bucket, "large.bin", "large-copy.bin");
    const storage = openBucket(pail, bucket);
    const small = await storage.read("copy of small.txt");
    expect((await readAll(small.body, 100)).toString()).toBe("Hello, bucket");
    const large = await readAll((await storage.read("large-copy.bin")).body, LARGE.length);
    expect(large.equals(LARGE)).toBe(true);
  });

  test("signs a URL that reads the object", async () => {
    const url = await driver.presign(bucket, "a dir/größe +1.bin");
    expect((await fetchBytes(url)).equals(pseudoRandom(300_000))).toBe(true);
    await expect(fetchBytes(url.replace(/(.)$/, (last) => (last === "0" ? "1" : "0"))))
      .rejects // tampered
      .toThrow("403");
  });

  test("lists every key of a long listing once", async () => {
    const names = Array.from({ length: MANY }, (_, index) => `n${index}`);
    expect(sorted(await driver.keys("many"))).toEqual(sorted(names));
  });

  test("refuses to remove a bucket with objects, and removes them all", async () => {
    await expect(driver.removeBucket(bucket)).rejects.toThrow(/not empty|BucketNotEmpty/);
    const keys = await keysOf(pail, bucket);
    expect(sorted(await driver.keys(bucket))).toEqual(sorted(keys));
    await driver.removeTree(bucket);
    expect(await keysOf(pail, bucket)).toEqual([]);
  });

  test("takes a tree of hostile names there and back", async () => {
    const names = HOSTILE.filter((name) => !client.cannot.includes(name));
    for (const name of names) {
      mkdirSync(dirname(at("tree", name)), { recursive: true });
      writeFileSync(at("tree", name), name);
    }
    await driver.putTree(at("tree"), bucket);
    expect(sorted(await keysOf(pail, bucket))).toEqual(sorted(names));
    expect(sorted(await driver.keys(bucket))).toEqual(sorted(names));
    mkdirSync(at("back"));
    await driver.getTree(bucket, at("back"));
    const files = readdirSync(at("back"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at("back").length + 1));
    expect(sorted(files)).toEqual(sorted(names));
    for (const name of names) expect(readFileSync(at("back", name), "utf8")).toBe(name);
    await driver.removeTree(bucket);
    expect(await keysOf(pail, bucket)).toEqual([]);
  });

  test("keeps versions, and reads an old one", async () => {
    await driver.enableVersioning(bucket);
    for (const text of ["one", "two"]) {
      writeFileSync(at("version"), text);
      await driver.put(at("version"), bucket, "v.txt");
    }
    const versions = await driver.versions(bucket, "v.txt");
    expect(versions).toHaveLength(2);
    await driver.getVersion(bucket, "v.txt", versions[1]!, at("old"));
    expect(readFileSync(at("old"), "utf8")).toBe("one");
    await driver.get(bucket, "v.txt", at("new"));
    expect(readFileSync(at("new"), "utf8")).toBe("two");
  });

  test("removes an empty bucket", async () => {
    await driver.makeBucket(`${bucket}-2`);
    await driver.removeBucket(`${bucket}-2`);
    expect(await driver.buckets()).not.toContain(`${bucket}-2`);
  });

  if (client !== boto3) return;
  // Requests that only a library can make.
  describe("works through the client's own calls", () => {
    const own = `${bucket}-own`;
    beforeAll(() => driver.makeBucket(own));

    test("accepts keys that no file can have", async () => {
      const keys = [...HOSTILE, ...NOT_FILES, ...NOT_XML];
      const ordered = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const [listed, left] = await callBoto3<string[][]>(
        target,
        "exact",
        own,
        JSON.stringify([...HOSTILE, ...NOT_FILES]),
        JSON.stringify(NOT_XML),
      );
      expect(listed).toEqual(ordered);
      expect(left).toEqual([]);
    });

    test("agrees on checksums, of requests and of parts", async () => {
      const done = await callBoto3<string[]>(target, "checksums", own);
      expect(done).toEqual(expect.arrayContaining(["CRC32", "SHA1", "SHA256"]));
      await driver.removeTree(own);
    });

    test("agrees on conditions, ranges, metadata, tags and refusals", async () => {
      const url = await callBoto3<string>(target, "conditions", own);
      expect(url).toContain("by-url");
    });
  });
}

/** Reads a URL without credentials, with Node alone, as anybody could. */
function fetchBytes(url: string): Promise<Buffer> {
  const secure = url.startsWith("https:");
  const options: RequestOptions & { ca?: Buffer } = secure ? { ca: readFileSync(caFile) } : {};
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpGet)(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks));
        else reject(new Error(`${response.statusCode} ${Buffer.concat(chunks).toString()}`));
      });
    });
    request.on("error", reject);
    request.end();
  });
}
