/** Things that go along with every object: keys, tags and headers, and the contexts that apply them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { contextsWith, contextWithKey, type ExtrasInput } from "../../../src/cli/extras.js";
import { type Context, createContext } from "../../../src/context.js";
import type { RequestSpec, SignedClient } from "../../../src/core/http/client.js";
import { openBucket } from "../../../src/core/storage/s3.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { createHome, type Home } from "../../support/run.js";
import { readAll } from "../../../src/protocol/message.js";

const key = Buffer.alloc(32, 7);
const other = Buffer.alloc(32, 9);
let home: Home;
let context: Context;
beforeAll(async () => {
  home = createHome();
  context = createContext({
    ...home.env,
    HEX: key.toString("hex"),
    BASE64: `${key.toString("base64")}\n`,
    OTHER: other.toString("base64"),
    SHORT: "a-short-secret",
  });
  await bucketService(await context.client("local")).make("bkt");
});
afterAll(() => {
  context.close();
  home.remove();
});

const contexts = (flags: ExtrasInput, targetIsLocal = false) =>
  contextsWith(context, flags, targetIsLocal);

async function read(from: Context): Promise<string> {
  const { body } = await (await from.bucket("local", "bkt")).read("sealed");
  return (await readAll(body, 100)).toString();
}

describe("contextsWith", () => {
  it("is one context where nothing tells the sides apart", () => {
    expect(contexts({})).toEqual({ source: context, target: context });
    const { source, target } = contexts({
      "sse-c-key": "env:HEX",
      "source-sse-c-key": "env:BASE64",
    });
    expect(source).toBe(target);
    expect(source).not.toBe(context);
  });

  it("gives the key to the side that is in a bucket", async () => {
    const { target, source } = contexts({ "sse-c-key": "env:HEX" });
    await (await target.bucket("local", "bkt")).write("sealed", Buffer.from("text"));
    await expect(read(source)).rejects.toThrow();
    expect(await read(contexts({ "sse-c-key": "env:BASE64" }, true).source)).toBe("text");
    expect(await read(contextWithKey(context, { "sse-c-key": "env:HEX" }))).toBe("text");
    await expect(read(contextWithKey(context, { "sse-c-key": "env:OTHER" }))).rejects.toThrow();
  });

  it("sends tags and headers with what is written", async () => {
    const { target } = contexts({ tag: ["a=1"], header: ["Cache-Control: no-store"] });
    const storage = await target.bucket("local", "bkt");
    await storage.write("told", Buffer.from("x"));
    expect(await storage.getTags("told")).toEqual({ a: "1" });
    expect(await storage.stat("told")).toMatchObject({ cacheControl: "no-store" });
  });
});

it.each([
  [{}, "aws:kms", "mine"],
  [{ sse: "AES256" }, "AES256", undefined],
  [{ "sse-c-key": "env:HEX" }, undefined, undefined],
])(
  "with %j an object's own KMS key is sent with a copy unless flags say otherwise",
  async (flags, how, kmsKey) => {
    let sent: RequestSpec["headers"];
    const client = await context.client("local");
    const recording: SignedClient = {
      ...client,
      rawRequest: (spec) => {
        sent = spec.headers;
        throw new Error("seen");
      },
      request: (spec) => recording.rawRequest(spec),
    };
    const recorded = { ...context, client: () => Promise.resolve(recording) };
    const { target } = contextsWith(recorded, flags, false);
    const storage = openBucket(await target.client("local"), "bkt");
    const copied = storage.copyFrom(
      "k",
      { bucket: "bkt", key: "k" },
      { encryption: { algorithm: "aws:kms", kmsKey: "mine" } },
    );
    await expect(copied).rejects.toThrow("seen");
    expect(sent?.["x-amz-server-side-encryption"]).toBe(how);
    expect(sent?.["x-amz-server-side-encryption-aws-kms-key-id"]).toBe(kmsKey);
  },
);

describe("a refused setting", () => {
  it.each([
    [{ header: ["no header"] }, /"no header" is not a header/],
    [{ header: ["Authorization: x"] }, /cannot set Authorization/],
    [{ header: ["x-amz-copy-source=b/k"] }, /cannot set x-amz-copy-source/],
    [{ sse: "AES256:key" }, /is no encryption/],
    [{ sse: "rot13" }, /is no encryption/],
    [{ "sse-c-key": "/no/such/file" }, /no such file/i],
  ])("%j", (flags, message) => {
    expect(() => contexts(flags)).toThrow(message);
  });

  it("is a key of another length, which stays secret", () => {
    const refused = () => contexts({ "sse-c-key": "env:SHORT" });
    expect(refused).toThrow(/the variable SHORT does not hold a key of 32 bytes/);
    expect(refused).not.toThrow(/a-short-secret/);
  });
});
