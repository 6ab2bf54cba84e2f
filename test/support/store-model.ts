/**
 * Random operations on one store directory through several `pail serve`, beside each other, against
 * a model in memory. Each lane changes keys of its own and expects exactly what its model says,
 * whichever server it asks; a server may be killed at any time, and then a request under way has
 * happened or has not.
 */
import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { expect } from "vitest";
import { type Home, createHome } from "./run.js";
import { type Serve, startServe } from "./serve.js";

interface Version {
  readonly id: string;
  /** Undefined for a delete marker. */
  readonly etag: string | undefined;
}

export interface ModelOptions {
  readonly seed: number;
  readonly servers: number;
  readonly lanes: number;
  /** Of each lane. */
  readonly operations: number;
  /** Servers killed with SIGKILL, and started again, while all that goes on. */
  readonly kills: number;
}

const NAMES = ["a", "a/b", "a/b/c", "B", "b", "ü/1", "x".repeat(90), "a.txt", "a/", "d/e/f"];
const SIZES = [0, 1, 4096, 70_000, 300_000];
const PLAIN = "plain";
const VERSIONED = "versioned";

/** Numbers that look random, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex");
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const bare = (etag: string | undefined): string => etag!.replaceAll('"', "");

/** A server that is started again after it was killed. */
class Server {
  #serve!: Serve;
  #up: Promise<void> = Promise.resolve();
  client!: S3Client;

  constructor(readonly home: Home) {}

  async start(): Promise<void> {
    this.#serve = await startServe(this.home);
    this.client?.destroy();
    this.client = new S3Client({
      endpoint: this.#serve.endpoint,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: this.#serve,
      maxAttempts: 1,
    });
  }

  async kill(): Promise<void> {
    await this.#serve.stop("SIGKILL");
    this.#up = this.start();
    await this.#up;
  }

  up(): Promise<void> {
    return this.#up;
  }

  async stop(): Promise<void> {
    this.client.destroy();
    await this.#serve.stop();
  }
}

/** Plays it; throws where the store is not what the model is. */
export async function playModel(options: ModelOptions): Promise<{ inDoubt: number }> {
  const { seed, lanes, operations } = options;
  const home = createHome();
  const next = numbers(seed);
  const servers = Array.from({ length: options.servers }, () => new Server(home));
  const play = { ended: false };
  let inDoubt = 0;
  try {
    for (const server of servers) await server.start();
    const [first] = servers;
    for (const Bucket of [PLAIN, VERSIONED]) {
      await first!.client.send(new CreateBucketCommand({ Bucket }));
    }
    const VersioningConfiguration = { Status: "Enabled" as const };
    await first!.client.send(
      new PutBucketVersioningCommand({ Bucket: VERSIONED, VersioningConfiguration }),
    );
    const killing = (async () => {
      for (let count = 0; count < options.kills && !play.ended; count += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100 + next() * 400));
        await servers[Math.floor(next() * servers.length)]!.kill();
      }
    })();
    const playing = Array.from({ length: lanes }, (_, lane) =>
      playLane(servers, lane, numbers(seed * 31 + lane), operations),
    );
    inDoubt = (await Promise.all(playing)).reduce((sum, count) => sum + count, 0);
    play.ended = true;
    await killing;
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
    home.remove();
  }
  return { inDoubt };
}

async function playLane(
  servers: readonly Server[],
  lane: number,
  next: () => number,
  operations: number,
): Promise<number> {
  const objects = new Map<string, string>();
  const versions = new Map<string, readonly Version[]>();
  let inDoubt = 0;
  let written = 0;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const anyKey = (): string => `lane${lane}/${pick(NAMES)}`;
  const bytes = (): Buffer => Buffer.alloc(pick(SIZES), `${lane} ${(written += 1)} `);
  const S3 = (): S3Client => pick(servers).client;

  /** Asks again until a running server answers. */
  const ask = async <T>(question: (s3: S3Client) => Promise<T>): Promise<T> => {
    for (;;) {
      const server = pick(servers);
      try {
        return await question(server.client);
      } catch (error) {
        if (!isBroken(error)) throw error;
        await server.up();
      }
    }
  };

  /** The ETag of the object at a key, its bytes checked; undefined where there is none. */
  const etagOf = (Key: string): Promise<string | undefined> =>
    ask(async (s3) => {
      try {
        const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket: PLAIN, Key }));
        const body = await Body!.transformToByteArray();
        if (!bare(ETag).includes("-")) expect(md5(body), `bytes of ${Key}`).toBe(bare(ETag));
        return bare(ETag);
      } catch (error) {
        if (error instanceof S3ServiceException && error.name === "NoSuchKey") return undefined;
        throw error;
      }
    });
  const versionsOf = (Prefix: string, MaxKeys: number): Promise<Map<string, Version[]>> =>
    ask(async (s3) => {
      const found = new Map<string, Version[]>();
      let after: { KeyMarker?: string; VersionIdMarker?: string } = {};
      for (;;) {
        const text = { Bucket: VERSIONED, Prefix, MaxKeys, ...after };
        const page = await s3.send(new ListObjectVersionsCommand(text));
        const all = [
          ...(page.Versions ?? []).map((each) => ({ ...each, etag: bare(each.ETag) })),
          ...(page.DeleteMarkers ?? []).map((each) => ({ ...each, etag: undefined })),
        ].sort((a, b) => byBytes(a.Key!, b.Key!) || byBytes(a.VersionId!, b.VersionId!));
        for (const { Key, VersionId, etag, IsLatest } of all) {
          const list = found.get(Key!) ?? [];
          expect(IsLatest, `${Key} ${VersionId}`).toBe(list.length === 0);
          found.set(Key!, [...list, { id: VersionId!, etag }]);
        }
        if (page.IsTruncated !== true) return found;
        after = { KeyMarker: page.NextKeyMarker!, VersionIdMarker: page.NextVersionIdMarker! };
      }
    });

  /** Does something to keys; where its server dies, either result is allowed. */
  const change = async (
    expected: ReadonlyMap<string, string | undefined>,
    work: (s3: S3Client) => Promise<unknown>,
  ): Promise<void> => {
    let broken = false;
    try {
      await work(S3());
    } catch (error) {
      if (!isBroken(error)) throw error;
      broken = true;
      inDoubt += 1;
    }
    for (const [key, etag] of expected) {
      let now = etag;
      if (broken) {
        now = await etagOf(key);
        expect([etag, objects.get(key)], `${key} after its server died`).toContain(now);
      }
      if (now === undefined) objects.delete(key);
      else objects.set(key, now);
    }
  };

  const put = async (): Promise<void> => {
    const [Key, Body] = [anyKey(), bytes()];
    const before = objects.get(Key);
    const condition = pick([
      {},
      {},
      { IfNoneMatch: "*" },
      { IfMatch: `"${before ?? "0".repeat(32)}"` },
    ]);
    const passes =
      "IfNoneMatch" in condition ? before === undefined : !("IfMatch" in condition) || before;
    const work = (s3: S3Client) =>
      s3.send(new PutObjectCommand({ Bucket: PLAIN, Key, Body, ...condition }));
    if (passes) return change(new Map([[Key, md5(Body)]]), work);
    const refused = work(S3()).catch((error: unknown) => error);
    const error = await refused;
    if (isBroken(error)) return;
    expect((error as Error).name).toMatch(/^(?:PreconditionFailed|NoSuchKey)$/);
  };
  const PLAYS: Record<string, () => Promise<unknown>> = {
    put,
    again: put,
    remove: () => {
      const Key = anyKey();
      return change(new Map([[Key, undefined]]), (s3) =>
        s3.send(new DeleteObjectCommand({ Bucket: PLAIN, Key })),
      );
    },
    "remove some": () => {
      const keys = [...new Set([anyKey(), anyKey(), anyKey()])];
      const Objects = keys.map((Key) => ({ Key }));
      return change(new Map(keys.map((key) => [key, undefined])), async (s3) => {
        const command = new DeleteObjectsCommand({ Bucket: PLAIN, Delete: { Objects } });
        expect((await s3.send(command)).Errors ?? []).toEqual([]);
      });
    },
    copy: async () => {
      const [from, Key] = [anyKey(), anyKey()];
      const etag = objects.get(from);
      if (etag === undefined || etag.includes("-") || from === Key) return;
      const CopySource = `${PLAIN}/${from.split("/").map(encodeURIComponent).join("/")}`;
      await change(new Map([[Key, etag]]), (s3) =>
        s3.send(new CopyObjectCommand({ Bucket: PLAIN, Key, CopySource })),
      );
    },
    upload: async () => {
      const [Key, Body] = [anyKey(), bytes()];
      const place = { Bucket: PLAIN, Key };
      const etag = `${createHash("md5")
        .update(Buffer.from(md5(Body), "hex"))
        .digest("hex")}-1`;
      const given = next() < 0.2;
      await change(new Map(given ? [] : [[Key, etag]]), async (s3) => {
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place));
        const part = { ...place, UploadId, PartNumber: 1 };
        const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body }));
        if (given) return s3.send(new AbortMultipartUploadCommand({ ...place, UploadId }));
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
        return s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload }));
      });
    },
    tag: async () => {
      const Key = anyKey();
      if (!objects.has(Key)) return;
      const TagSet = [{ Key: "count", Value: String((written += 1)) }];
      const place = { Bucket: PLAIN, Key };
      await ask((s3) => s3.send(new PutObjectTaggingCommand({ ...place, Tagging: { TagSet } })));
      expect((await ask((s3) => s3.send(new GetObjectTaggingCommand(place)))).TagSet).toEqual(
        TagSet,
      );
    },
    read: async () => {
      const key = anyKey();
      expect(await etagOf(key), key).toBe(objects.get(key));
    },
    list: async () => {
      const Prefix = `lane${lane}/${pick(["", "", "a", "a/", "a/b", "b", "x", "none"])}`;
      const Delimiter = pick([undefined, "/", "b"]);
      const MaxKeys = pick([1, 2, 3, 1000]);
      const wanted = new Set<string>();
      for (const key of [...objects.keys()].sort(byBytes)) {
        if (!key.startsWith(Prefix)) continue;
        const at = Delimiter === undefined ? -1 : key.indexOf(Delimiter, Prefix.length);
        wanted.add(at < 0 ? `${key} ${objects.get(key)}` : key.slice(0, at + 1));
      }
      const found = await ask(async (s3) => {
        const all: string[] = [];
        for (let token: string | undefined, more = true; more;) {
          const page = await s3.send(
            new ListObjectsV2Command({
              Bucket: PLAIN,
              Prefix,
              Delimiter,
              MaxKeys,
              ContinuationToken: token,
            }),
          );
          const entries = [
            ...(page.Contents ?? []).map(({ Key, ETag }) => `${Key} ${bare(ETag)}`),
            ...(page.CommonPrefixes ?? []).map((group) => group.Prefix!),
          ];
          all.push(...entries.sort(byBytes));
          token = page.NextContinuationToken;
          more = page.IsTruncated === true;
        }
        return all;
      });
      expect(found, `${Prefix} by ${Delimiter}`).toEqual([...wanted].sort(byBytes));
    },
    "put a version": async () => {
      const [Key, Body] = [anyKey(), bytes()];
      await newVersion(Key, md5(Body), (s3) =>
        s3.send(new PutObjectCommand({ Bucket: VERSIONED, Key, Body })),
      );
    },
    "hide a key": async () => {
      const Key = anyKey();
      await newVersion(Key, undefined, (s3) =>
        s3.send(new DeleteObjectCommand({ Bucket: VERSIONED, Key })),
      );
    },
    "remove a version": async () => {
      const Key = anyKey();
      const before = versions.get(Key) ?? [];
      if (before.length === 0) return;
      const gone = pick(before);
      const command = new DeleteObjectCommand({ Bucket: VERSIONED, Key, VersionId: gone.id });
      const after = before.filter(({ id }) => id !== gone.id);
      try {
        await S3().send(command);
        versions.set(Key, after);
      } catch (error) {
        if (!isBroken(error)) throw error;
        inDoubt += 1;
        const now = (await versionsOf(Key, 1000)).get(Key) ?? [];
        expect([before, after], `${Key} after its server died`).toContainEqual(now);
        versions.set(Key, now);
      }
    },
    "list versions": async () => {
      const Prefix = `lane${lane}/${pick(["", "a", "a/", "b", "none"])}`;
      const found = await versionsOf(Prefix, pick([1, 2, 5, 1000]));
      const wanted = [...versions].filter(([key, all]) => key.startsWith(Prefix) && all.length > 0);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
    },
  };

  async function newVersion(
    Key: string,
    etag: string | undefined,
    work: (s3: S3Client) => Promise<{ readonly VersionId?: string | undefined }>,
  ): Promise<void> {
    const before = versions.get(Key) ?? [];
    try {
      const { VersionId } = await work(S3());
      versions.set(Key, [{ id: VersionId!, etag }, ...before]);
    } catch (error) {
      if (!isBroken(error)) throw error;
      inDoubt += 1;
      const now = (await versionsOf(Key, 1000)).get(Key) ?? [];
      if (now.length > before.length) expect(now[0]!.etag).toBe(etag);
      const rest = now.slice(now.length - before.length);
      expect(rest, `${Key} after its server died`).toEqual(before);
      expect(now.length - before.length).toBeLessThanOrEqual(1);
      versions.set(Key, now);
    }
  }

  for (let count = 0; count < operations; count += 1) {
    await PLAYS[pick(Object.keys(PLAYS))]!();
  }
  for (const key of NAMES.map((name) => `lane${lane}/${name}`)) {
    expect(await etagOf(key), key).toBe(objects.get(key));
  }
  await PLAYS["list"]!();
  await PLAYS["list versions"]!();
  return inDoubt;
}

/** Whether the server went away under a request: then nobody knows what became of it. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(code ?? "") || error.name === "TimeoutError"
  );
}
