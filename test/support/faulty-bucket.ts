/** A bucket of a running store seen through a fault proxy, beside a directory of local files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SignedClient } from "../../src/core/http/client.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { TransferReport } from "../../src/core/engine/report.js";
import type { CopyRequest, Place } from "../../src/core/operations/types.js";
import { readAll } from "../../src/protocol/message.js";
import { pseudoRandom } from "./bucket.js";
import { clientFor } from "./client.js";
import type { RunningStore } from "./store.js";

/** The smallest part there is. */
export const PART = 5 * MIB;

/** The request that a line of the proxies is, for `Fault.on`. */
export const PART_PUT = /^PUT .*partNumber=/;
export const OBJECT_PUT = /^PUT (?!.*partNumber=)/;
export const OBJECT_GET = /^GET \/[^/?]+\/[^/?]/;
export const BEGIN = /^POST .*uploads/;
export const COMPLETE = /^POST .*uploadId/;
export const DELETE_BATCH = /^POST .*delete/;

export interface FaultyBucket {
  readonly name: string;
  /** Through the proxy, and straight to the store. */
  readonly faulty: BucketStorage;
  readonly straight: BucketStorage;
  /** Holds the local files `large` and `small`, and the empty directory `files`. */
  readonly root: string;
  readonly large: Buffer;
  readonly small: Buffer;
  place(key: string, storage?: BucketStorage): Extract<Place, { type: "bucket" }>;
  local(name: string): Extract<Place, { type: "path" }>;
  /** Where resume records go. */
  readonly state: string;
  /** Sends a local file through the proxy, in parts of `PART`. */
  upload(name: string, more?: Partial<CopyRequest>): Promise<TransferReport>;
  /** Brings an object through the proxy to `files/out`, in parts of `PART`. */
  download(key: string, more?: Partial<CopyRequest>): Promise<TransferReport>;
  /** Puts `large` and `small` into the bucket, past the proxy. */
  fill(): Promise<void>;
  get(key: string): Promise<Buffer>;
  keys(): Promise<string[]>;
  uploads(): Promise<string[]>;
  /** The names in `files`, and the content of one of its files. */
  files(): string[];
  read(name: string): Buffer;
  close(): void;
}

let count = 0;

export interface FaultyOptions {
  /** PAIL_TIMEOUT and the like. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes of the file `large`. Default: a little more than three parts. */
  readonly largeSize?: number;
}

/** Makes a bucket of a fresh name on the store; `url` is where the proxy before it listens. */
export async function startFaultyBucket(
  store: RunningStore,
  url: string,
  { env = {}, largeSize = 3 * PART + 12_345 }: FaultyOptions = {},
): Promise<FaultyBucket> {
  count += 1;
  const name = `b${count}-test`;
  const client: SignedClient = clientFor({ endpoint: url, credentials: store, env });
  const direct = clientFor({ endpoint: store.endpoint, credentials: store });
  await direct.request({ method: "PUT", bucket: name });
  const faulty = openBucket(client, name);
  const straight = openBucket(direct, name);
  const root = mkdtempSync(join(tmpdir(), "pail-faults-"));
  const large = pseudoRandom(largeSize);
  const small = pseudoRandom(200_000, 2);
  mkdirSync(join(root, "files"));
  writeFileSync(join(root, "large"), large);
  writeFileSync(join(root, "small"), small);

  const place: FaultyBucket["place"] = (key, storage = faulty) => ({
    type: "bucket",
    storage,
    key,
    alias: "t",
  });
  const local: FaultyBucket["local"] = (file) => ({ type: "path", path: join(root, file) });
  return {
    name,
    faulty,
    straight,
    root,
    large,
    small,
    place,
    local,
    state: join(root, "state"),
    upload: (file, more) =>
      copy({ sources: [local(file)], target: place(file), partSize: PART, ...more }),
    download: (key, more) =>
      copy({ sources: [place(key)], target: local("files/out"), partSize: PART, ...more }),
    fill: async () => {
      await straight.write("small", small);
      await copy({ sources: [local("large")], target: place("large", straight), partSize: PART });
    },
    get: async (key) => readAll((await straight.read(key)).body, 1024 ** 3),
    keys: async () => {
      const found: string[] = [];
      for await (const page of straight.list()) found.push(...page.map(({ key }) => key));
      return found;
    },
    uploads: async () => {
      const found: string[] = [];
      for await (const page of straight.listUploads()) {
        found.push(...page.map(({ uploadId }) => uploadId));
      }
      return found;
    },
    files: () => readdirSync(join(root, "files")).toSorted(),
    read: (file) => readFileSync(join(root, "files", file)),
    close: () => {
      client.close();
      direct.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
