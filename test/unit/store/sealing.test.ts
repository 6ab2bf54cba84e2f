/** Encryption with keys that customers keep: over the wire, and what is on the disk. */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createStore } from "../../../src/store/index.js";
import { seal, sealedSize, unseal } from "../../../src/store/sealing/stream.js";
import { makeBucket, sdkFor } from "../../support/sdk.js";
import { answerOf, signed } from "../../support/signed-request.js";
import { type RunningStore, startStore } from "../../support/store.js";

const Bucket = "sealed";
const CHUNK = 65_536;
let store: RunningStore;
let s3: S3Client;

beforeAll(async () => {
  store = await startStore();
  s3 = sdkFor(store);
  await makeBucket(s3, Bucket);
});
afterAll(() => store.close());

const keyOf = (fill: number) => {
  const key = Buffer.alloc(32, fill);
  return {
    SSECustomerAlgorithm: "AES256",
    SSECustomerKey: key.toString("base64"),
    SSECustomerKeyMD5: createHash("md5").update(key).digest("base64"),
  };
};
const sourceKeyOf = (fill: number) =>
  Object.fromEntries(
    Object.entries(keyOf(fill)).map(([name, value]) => [`CopySource${name}`, value]),
  );
const KEY = keyOf(1);
const OTHER = keyOf(2);
const get = async (Key: string, more: object = KEY) => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return Buffer.from(await Body!.transformToByteArray());
};
const put = (Key: string, Body: Buffer, more: object = KEY) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));

/** Every file of the store. */
/** Path and bytes of every file. The store removes some behind its answers: those are gone. */
const files = () =>
  readdirSync(store.directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      try {
        return [{ path, bytes: readFileSync(path) }];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    });

describe("an object with a customer's key", () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5])(
    "of %d bytes comes back with its key, whole and in ranges",
    async (size) => {
      const bytes = randomBytes(size);
      const done = await put("object", bytes);
      expect(done).toMatchObject({ SSECustomerKeyMD5: KEY.SSECustomerKeyMD5 });
      expect((await get("object")).equals(bytes)).toBe(true);
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "object", ...KEY }));
      expect(head).toMatchObject({ ContentLength: size, SSECustomerAlgorithm: "AES256" });
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: "object" }));
      expect(Contents).toMatchObject([{ Size: size, ETag: head.ETag }]);
      for (const [start, end] of [
        [0, 0],
        [CHUNK - 1, CHUNK],
        [CHUNK, 2 * CHUNK],
        [size - 1, size - 1],
      ] as const) {
        if (start < 0 || start >= size) continue;
        const got = await get("object", { ...KEY, Range: `bytes=${start}-${end}` });
        expect(got.equals(bytes.subarray(start, end + 1))).toBe(true);
      }
    },
  );

  it("cannot be recognised on the disk", async () => {
    const secret = Buffer.alloc(400, "a secret that is easily found ");
    await put("small", secret);
    await put("large", Buffer.concat([secret, randomBytes(200_000), secret]));
    const md5 = createHash("md5").update(secret).digest("hex");
    for (const { bytes } of files()) {
      for (const told of ["easily found", md5, KEY.SSECustomerKey]) {
        expect(bytes.includes(told)).toBe(false);
      }
    }
  });

  it("cannot be read without a key, with another key, or with half of one", async () => {
    await put("kept", Buffer.from("x"));
    await expect(get("kept", OTHER)).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(get("kept", {})).rejects.toMatchObject({ name: "InvalidRequest" });
    // The SDK computes the hash itself, so this is signed by hand.
    const prefix = "x-amz-server-side-encryption-customer-";
    const headers = {
      [`${prefix}algorithm`]: "AES256",
      [`${prefix}key`]: KEY.SSECustomerKey,
      [`${prefix}key-md5`]: OTHER.SSECustomerKeyMD5,
    };
    const request = await signed({ credentials: store, target: `/${Bucket}/kept`, headers });
    const answer = await createStore({ directory: store.directory }).handler(request);
    expect(await answerOf(answer)).toMatchObject({ status: 400, code: "InvalidArgument" });
    await put("plain", Buffer.from("x"), {});
    await expect(get("plain")).rejects.toMatchObject({ name: "InvalidRequest" });
    const head = new HeadObjectCommand({ Bucket, Key: "kept", ...OTHER });
    await expect(s3.send(head)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    const ask = { Bucket, Key: "kept", ObjectAttributes: ["ETag" as const] };
    await expect(s3.send(new GetObjectAttributesCommand(ask))).rejects.toThrow();
  });

  it("is copied with the keys of both, from and to any form", async () => {
    const bytes = randomBytes(2 * CHUNK + 9);
    await put("from", bytes);
    const copy = (Key: string, more: object, CopySource = `${Bucket}/from`) =>
      s3.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }));
    await copy("to", { ...sourceKeyOf(1), ...OTHER });
    expect((await get("to", OTHER)).equals(bytes)).toBe(true);
    await copy("opened", sourceKeyOf(1));
    expect((await get("opened", {})).equals(bytes)).toBe(true);
    await copy("again", KEY, `${Bucket}/opened`);
    expect((await get("again")).equals(bytes)).toBe(true);
    await expect(copy("stolen", sourceKeyOf(2))).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(copy("stolen", {})).rejects.toMatchObject({ name: "InvalidRequest" });
  });

  it("is made of parts, and read across them", async () => {
    const Key = "parts";
    const MiB = 1024 * 1024;
    const pieces = [randomBytes(5 * MiB + 7), randomBytes(5 * MiB), randomBytes(1000)];
    await put("from", pieces[1]!);
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...KEY }));
    const part = (PartNumber: number) => ({ Bucket, Key, UploadId, PartNumber });
    await expect(
      s3.send(new UploadPartCommand({ ...part(1), Body: pieces[0]!, ...OTHER })),
    ).rejects.toMatchObject({ name: "AccessDenied" });
    const first = await s3.send(new UploadPartCommand({ ...part(1), Body: pieces[0]!, ...KEY }));
    const CopySource = `${Bucket}/from`;
    const second = await s3.send(
      new UploadPartCopyCommand({ ...part(2), CopySource, ...KEY, ...sourceKeyOf(1) }),
    );
    const third = await s3.send(new UploadPartCommand({ ...part(3), Body: pieces[2]!, ...KEY }));
    const etags = [first.ETag, second.CopyPartResult!.ETag, third.ETag];
    const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await s3.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
    );
    const whole = Buffer.concat(pieces);
    expect((await get(Key)).equals(whole)).toBe(true);
    expect((await get(Key, { ...KEY, PartNumber: 2 })).equals(pieces[1]!)).toBe(true);
    const end = whole.length - 1;
    for (const start of [5 * MiB, 10 * MiB, end - 2000]) {
      const got = await get(Key, { ...KEY, Range: `bytes=${start}-${end}` });
      expect(got.equals(whole.subarray(start))).toBe(true);
    }
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: "flat",
        CopySource: `${Bucket}/${Key}`,
        ...sourceKeyOf(1),
      }),
    );
    expect((await get("flat", {})).equals(whole)).toBe(true);
  });

  it("is found sound by a check, and broken when its bytes were changed", async () => {
    const local = createStore({ directory: store.directory });
    const faults = async () => {
      const found: string[] = [];
      for await (const { key, fault } of local.check()) if (fault !== undefined) found.push(key);
      return found;
    };
    expect(await faults()).toEqual([]);
    await put("broken", Buffer.alloc(300_000, 7));
    const { path, bytes } = files().find((file) => file.bytes.length === sealedSize(300_000))!;
    bytes[CHUNK * 2]! ^= 1;
    writeFileSync(path, bytes);
    expect(await faults()).toEqual(["broken"]);
    expect((await get("broken", { ...KEY, Range: "bytes=0-9" })).length).toBe(10);
    await expect(get("broken")).rejects.toThrow();
  });
});

describe("sealed bytes", () => {
  const key = Buffer.alloc(32, 9);
  const salt = Buffer.alloc(32, 3).toString("base64");
  const one = async function* (bytes: Buffer) {
    yield bytes;
  };
  const gather = async (chunks: AsyncIterable<Uint8Array>) => {
    const pieces: Buffer[] = [];
    for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
    return Buffer.concat(pieces);
  };
  const open = (bytes: Buffer, size: number) =>
    gather(
      unseal((from, to) => one(bytes.subarray(from, to + 1)), key, [{ size, salt }], 0, size - 1),
    );

  it("can be neither cut off, nor put in another order, nor lengthened", async () => {
    const plain = randomBytes(3 * CHUNK);
    const sealed = await gather(seal(one(plain), key, salt).chunks);
    expect(sealed.length).toBe(sealedSize(plain.length));
    expect((await open(sealed, plain.length)).equals(plain)).toBe(true);
    const unit = CHUNK + 16;
    await expect(open(sealed.subarray(0, 2 * unit), 2 * CHUNK)).rejects.toThrow();
    await expect(open(sealed.subarray(0, 2 * unit), 3 * CHUNK)).rejects.toThrow("missing");
    const [a, b, c] = [0, 1, 2].map((index) => sealed.subarray(index * unit, (index + 1) * unit));
    await expect(open(Buffer.concat([b!, a!, c!]), plain.length)).rejects.toThrow();
    await expect(open(Buffer.concat([a!, b!, c!, c!]), 4 * CHUNK)).rejects.toThrow();
  });
});
