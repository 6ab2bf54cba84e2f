/** The store as other projects' tests start it. */
import { createHmac } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";

import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";

import { startStore } from "../../../src/store/start.js";
import { keysOf, textOf } from "../../support/sdk.js";

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("pail-test-"));

describe("a store started for tests", () => {
  it.each([{}, { memory: true }, { port: false as const }])(
    "works with the SDK as it is, and leaves nothing: %j",
    async (options) => {
      const before = left();
      const store = await startStore({ buckets: ["photos"], ...options });
      const s3 = new S3Client(store.client);
      await s3.send(new PutObjectCommand({ Bucket: "photos", Key: "a b/ü", Body: "bytes" }));
      const Body = Readable.from([Buffer.alloc(100_000, 1), Buffer.alloc(200_000, 2)]);
      const put = { Bucket: "photos", Key: "stream", Body, ContentLength: 300_000 };
      await s3.send(new PutObjectCommand(put));
      expect(await textOf(s3, "photos", "a b/ü")).toBe("bytes");
      const got = await s3.send(new GetObjectCommand({ Bucket: "photos", Key: "stream" }));
      expect((await got.Body!.transformToByteArray()).length).toBe(300_000);
      await expect(textOf(s3, "photos", "none")).rejects.toMatchObject({ name: "NoSuchKey" });
      await store.stop();
      expect(left()).toEqual(before);
    },
  );

  it("is empty again after a reset, for the same client", async () => {
    const store = await startStore({ buckets: ["one"] });
    const { requestHandler: _, ...overTheWire } = store.client;
    const s3 = new S3Client(overTheWire);
    for (let round = 0; round < 3; round++) {
      expect(await keysOf(s3, "one")).toEqual([]);
      await s3.send(new PutObjectCommand({ Bucket: "one", Key: `${round}`, Body: "x" }));
      await store.reset();
    }
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(["one"]);
    await store.stop();
    await expect(keysOf(s3, "one")).rejects.toThrow();
  });

  it("answers fetch, without a port too", async () => {
    const credentials = { accessKeyId: "AKID", secretAccessKey: "secret-key" };
    const store = await startStore({ buckets: ["one"], port: false, credentials });
    expect((await store.fetch(`${store.endpoint}/one/k`)).status).toBe(403);
    const expires = Math.floor(Date.now() / 1000) + 60;
    const sign = (method: string) => {
      const text = `${method}\n\n\n${expires}\n/one/k`;
      const signature = createHmac("sha1", "secret-key").update(text).digest("base64");
      return `${store.endpoint}/one/k?AWSAccessKeyId=AKID&Expires=${expires}&Signature=${encodeURIComponent(signature)}`;
    };
    const put = await store.fetch(sign("PUT"), { method: "PUT", body: Buffer.from("x") });
    expect(put.status).toBe(200);
    expect(await (await store.fetch(sign("GET"))).text()).toBe("x");
    await store.stop();
  });

  it("refuses invalid options, and leaves nothing", async () => {
    const before = left();
    await expect(startStore({ buckets: ["Not_A_Bucket"] })).rejects.toThrow(/Not_A_Bucket/);
    const store = await startStore();
    const port = Number(new URL(store.endpoint).port);
    await expect(startStore({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    await store.stop();
    expect(left()).toEqual(before);
    expect(existsSync("/dev/shm") ? readdirSync("/dev/shm").join() : "").not.toContain("pail-test");
  });
});
