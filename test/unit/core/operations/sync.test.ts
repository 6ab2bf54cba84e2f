/**
 * The safety matrix of docs/sync.md: each case is named after the fault, and after the issue that
 * reported it of some tool.
 */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { removeFile } from "../../../../src/core/sync/keep.js";
import { MIB } from "../../../../src/core/transfer/sizes.js";
import type { Side } from "../../../../src/core/sync/sides.js";
import { pseudoRandom, startBucket, type TestBucket } from "../../../support/bucket.js";
import {
  mountCaseBlindDisk,
  mountSmallDisk,
  NO_CASE_BLIND_DISK,
  NO_SMALL_DISK,
} from "../../../support/small-disk.js";
import { filesIn, meddled, objectsIn, refusal, runSync } from "../../../support/sync.js";

let bucket: TestBucket;
let local: Extract<Side, { type: "path" }>;
let remote: Extract<Side, { type: "bucket" }>;
beforeEach(async () => {
  bucket = await startBucket();
  local = { type: "path", path: bucket.directory };
  remote = bucket.at("");
});
afterEach(() => {
  bucket.close();
});

const old = (path: string, seconds = 1_500_000_000) => utimesSync(path, seconds, seconds);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: { code?: string }) => error.code,
  );

describe("nothing is removed", () => {
  beforeEach(async () => {
    await bucket.put("keep", "1");
    await bucket.put("extra", "2");
  });
  const untouched = async () => expect((await bucket.keys()).includes("extra")).toBe(true);

  it("when the source is empty (rclone#1032, aws-cli#1564, s5cmd#695)", async () => {
    const { withheld } = await runSync(local, remote);
    expect(withheld).toMatchObject({ code: "DeletionWithheld", exitCode: 5 });
    expect(await bucket.keys()).toEqual(["extra", "keep"]);
  });

  it("when the filters take nothing from the source", async () => {
    bucket.file("a.txt", "a");
    await bucket.put("a.jpg", "x");
    const { withheld } = await runSync(local, remote, { filter: { include: ["*.jpg"] } });
    expect(withheld?.message).toContain("the source is empty");
    expect(await bucket.keys()).toContain("a.jpg");
  });

  it("when the source is not there: a directory (DietPi#2606)", async () => {
    expect(await codeOf(runSync({ type: "path", path: "/no/such" }, remote))).toBe("ENOENT");
    await untouched();
  });

  it("when the source is not there: a prefix", async () => {
    const target: Side = { type: "path", path: join(bucket.directory, "down") };
    bucket.file("down/mine", "m");
    expect(await codeOf(runSync(bucket.at("typo"), target))).toBe("NoSuchKey");
    expect(filesIn(target.path)).toEqual({ mine: "m" });
  });

  it("when the source is not there: a bucket", async () => {
    const sibling = await bucket.sibling("gone");
    await sibling.client.request({ method: "DELETE", bucket: "gone" });
    const source = { ...remote, storage: sibling };
    expect(await codeOf(runSync(source, remote))).toBe("NoSuchBucket");
    await untouched();
  });

  it("when the source is a file", async () => {
    const path = bucket.file("f", "f");
    expect(await codeOf(runSync({ type: "path", path }, remote))).toBe("NotADirectory");
    await untouched();
  });

  it("when the source is unmounted, or replaced, while it is read (rclone#1186)", async () => {
    bucket.file("keep", "1");
    const { withheld } = await runSync(local, remote, {
      onEvent: ({ type }) => {
        if (type !== "counted") return;
        renameSync(local.path, `${local.path}.away`);
        mkdirSync(local.path);
      },
    });
    expect(withheld?.message).toContain("could not be read");
    await untouched();
  });

  it("when a link in the source leads nowhere (s5cmd deletes the target's copy)", async () => {
    bucket.file("keep", "1");
    symlinkSync("/no/such/place", join(local.path, "extra"));
    const { withheld, failed } = await runSync(local, remote);
    expect(failed).toEqual(["DanglingLink extra"]);
    expect(withheld).toMatchObject({ exitCode: 5 });
    await untouched();
  });

  it("when links of the source run in a circle", async () => {
    bucket.file("keep", "1");
    symlinkSync(".", join(local.path, "loop"));
    const { withheld } = await runSync(local, remote);
    expect(withheld?.message).toContain("one thing could not be read");
    await untouched();
  });

  it("when the source has a named pipe (s5cmd#498 hangs)", async () => {
    bucket.file("keep", "1");
    execFileSync("mkfifo", [join(local.path, "extra")]);
    const { failed } = await runSync(local, remote);
    expect(failed).toEqual(["NotRegularFile extra"]);
    await untouched();
  });

  it("when the source has a name that is not UTF-8", async () => {
    bucket.file("keep", "1");
    writeFileSync(Buffer.concat([Buffer.from(`${local.path}/`), Buffer.from([0xff])]), "x");
    const { withheld } = await runSync(local, remote);
    expect(withheld).toMatchObject({ exitCode: 5 });
    await untouched();
  });

  it.each(["source", "target"])(
    "when the listing of the %s breaks off in the middle",
    async (side) => {
      for (let i = 0; i < 3; i++) await bucket.put(`n${i}`, "x");
      let pages = 0;
      const broken = await meddled(bucket, ({ method, query }, pass) => {
        if (method !== "GET" || !query.includes("list-type")) return undefined;
        pages += 1;
        if (pages > 1) return Promise.resolve(refusal(403, "AccessDenied"));
        return pass().then(async (response) => {
          const text = (await readText(response)).replace(
            /<IsTruncated>false<\/IsTruncated>/,
            "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>",
          );
          return answer(response, text);
        });
      });
      bucket.file("keep", "1");
      const run = side === "target" ? runSync(local, broken) : runSync(broken, local);
      expect(await codeOf(run)).toBe("AccessDenied");
      await untouched();
      expect(filesIn(local.path)["keep"]).toBe("1");
    },
  );

  it("when a listing is out of order, as of S3 Express directory buckets", async () => {
    const odd = await meddled(bucket, ({ method, query }, pass) => {
      if (method !== "GET" || !query.includes("list-type")) return undefined;
      return pass().then(async (response) => {
        const text = await readText(response);
        const entries = text.match(/<Contents>.*?<\/Contents>/gs) ?? [];
        const swapped = entries.reduceRight((all, one) => all + one, "");
        return answer(response, text.replace(/<Contents>.*<\/Contents>/s, swapped));
      });
    });
    bucket.file("keep", "1");
    expect(await codeOf(runSync(local, odd))).toBe("UnorderedListing");
    await untouched();
  });

  it("when most of the source vanished while it was listed", async () => {
    for (let i = 0; i < 150; i++) await bucket.put(`many/${i}`, "x");
    bucket.file("keep", "1");
    const { withheld } = await runSync(local, remote);
    expect(withheld?.message).toContain("99% of what the target has");
    expect(await bucket.keys()).toHaveLength(152);
  });

  it("beyond --delete-limit", async () => {
    bucket.file("keep", "1");
    const { withheld } = await runSync(local, remote, { deleteLimit: { items: 0 } });
    expect(withheld?.message).toContain("--delete-limit allows 0");
    await untouched();
  });

  it("when one copy is denied", async () => {
    bucket.file("keep", "1");
    bucket.file("new", "n");
    const denying = await meddled(bucket, ({ method, path }) =>
      method === "PUT" && path.endsWith("/new")
        ? Promise.resolve(refusal(403, "AccessDenied"))
        : undefined,
    );
    const { withheld, failed } = await runSync(local, denying);
    expect(failed).toEqual(["AccessDenied new"]);
    expect(withheld).toMatchObject({ code: "DeletionWithheld", exitCode: 7 });
    await untouched();
  });

  it("when the target may only be read", async () => {
    for (const name of ["keep", "a", "b"]) bucket.file(name, name);
    const denying = await meddled(bucket, ({ method }) =>
      method === "PUT" ? Promise.resolve(refusal(403, "AccessDenied")) : undefined,
    );
    const { failed } = await runSync(local, denying);
    expect(failed).toHaveLength(3);
    await untouched();
  });

  it("when the run is interrupted", async () => {
    bucket.file("keep", "1");
    bucket.file("new", "n");
    const controller = new AbortController();
    const run = runSync(local, remote, {
      signal: controller.signal,
      onEvent: ({ type }) => type === "started" && controller.abort(),
    });
    await expect(run).rejects.toMatchObject({ kind: "interrupted" });
    await untouched();
  });

  it("when a seemingly extra object has come to the source meanwhile", async () => {
    bucket.file("keep", "1");
    const { failed } = await runSync(local, remote, {
      onEvent: ({ type }) => type === "counted" && bucket.file("extra", "2"),
    });
    expect(failed).toEqual(["Drifted extra"]);
    await untouched();
  });

  it("that was written to meanwhile", async () => {
    bucket.file("keep", "1");
    let rewritten: Promise<void> | undefined;
    const racing = await meddled(bucket, ({ method, path }, pass) => {
      if (method !== "HEAD" || !path.endsWith("/extra")) return undefined;
      rewritten ??= bucket.put("extra", "somebody else's");
      return rewritten.then(pass);
    });
    const { failed } = await runSync(local, racing);
    expect(failed).toEqual(["Drifted extra"]);
    expect((await bucket.get("extra")).toString()).toBe("somebody else's");
  });

  it("that a filter leaves out, on either side", async () => {
    bucket.file("keep", "1");
    await bucket.put("logs/x.log", "l");
    const { withheld } = await runSync(local, remote, { filter: { exclude: ["*.log"] } });
    expect(withheld).toBeUndefined();
    expect(await bucket.keys()).toEqual(["keep", "logs/x.log"]);
  });

  it("that a size filter leaves out, although the source lacks it", async () => {
    bucket.file("keep", "1");
    await runSync(local, remote, { filter: { minSize: 100 }, allowEmptySource: true });
    await untouched();
  });

  it("that stands for a directory, where the other side has real ones", async () => {
    bucket.file("keep", "1");
    bucket.file("extra", "2");
    bucket.file("dir/x", "x");
    await bucket.put("dir/", "");
    await runSync(local, remote);
    expect(await bucket.keys()).toEqual(["dir/", "dir/x", "extra", "keep"]);
  });

  it("in a dry run", async () => {
    bucket.file("keep", "other");
    const asked: string[] = [];
    const watched = await meddled(bucket, ({ method }) => {
      asked.push(method);
      return undefined;
    });
    const { plan } = await runSync(local, watched, { dryRun: true });
    expect(plan).toEqual(["keep: size", "extra: extra"]);
    expect(asked.filter((method) => !["GET", "HEAD"].includes(method))).toEqual([]);
    await untouched();
  });
});

describe("nothing is replaced", () => {
  it("that was written to meanwhile", async () => {
    await bucket.put("a", "old");
    bucket.file("a", "newer");
    const racing = await meddled(bucket, ({ method, path }, pass) => {
      if (method !== "PUT" || !path.endsWith("/a")) return undefined;
      return bucket.put("a", "somebody else's").then(pass);
    });
    const { failed } = await runSync(local, racing);
    expect(failed).toEqual(["Drifted a"]);
    expect((await bucket.get("a")).toString()).toBe("somebody else's");
  });

  it("that appeared meanwhile", async () => {
    bucket.file("a", "mine");
    const racing = await meddled(bucket, ({ method, path }, pass) => {
      if (method !== "PUT" || !path.endsWith("/a")) return undefined;
      return bucket.put("a", "theirs").then(pass);
    });
    const { failed } = await runSync(local, racing);
    expect(failed).toEqual(["Drifted a"]);
    expect((await bucket.get("a")).toString()).toBe("theirs");
  });

  it.each([3, 20 * MIB])(
    "of local files that were written to meanwhile (%i bytes)",
    async (size) => {
      await bucket.put("a", pseudoRandom(size));
      const path = bucket.file("a", "old");
      const racing = await meddled(bucket, ({ method, path: asked }, pass) => {
        if (method !== "GET" || !asked.endsWith("/a")) return undefined;
        return pass().then((response) => {
          writeFileSync(path, "mine!");
          return response;
        });
      });
      const { failed } = await runSync(racing, local);
      expect(failed).toEqual(["Drifted a"]);
      expect(filesIn(local.path)).toEqual({ a: "mine!" });
    },
  );

  it("by a second writer of a large object (two multipart uploads)", async () => {
    await bucket.put("a", "old");
    bucket.file("a", pseudoRandom(20 * MIB));
    const racing = await meddled(bucket, ({ method, query }, pass) => {
      if (method !== "POST" || !query.includes("uploadId")) return undefined;
      return bucket.put("a", "theirs").then(pass);
    });
    const { failed } = await runSync(local, racing);
    expect(failed).toEqual(["Drifted a"]);
    expect((await bucket.get("a")).toString()).toBe("theirs");
  });

  it("that is newer, with --update", async () => {
    await bucket.put("a", "newer");
    old(bucket.file("a", "older one"));
    const { summary } = await runSync(local, remote, { update: true });
    expect(summary.total.left.items).toBe(1);
    expect((await bucket.get("a")).toString()).toBe("newer");
  });

  it("unless --overwrite is given, as in mc mirror", async () => {
    await bucket.put("a", "theirs");
    bucket.file("a", "mine");
    await runSync(local, remote, { keepDiffering: true });
    expect((await bucket.get("a")).toString()).toBe("theirs");
  });

  it("outside the target: a key that climbs out (s5cmd#872)", async () => {
    await bucket.put("../escaped", "x");
    await bucket.put("fine", "f");
    const target: Side = { type: "path", path: join(bucket.directory, "down") };
    const { failed } = await runSync(remote, target);
    expect(failed).toEqual(["UnsafeKey ../escaped"]);
    expect(readdirSync(bucket.directory)).toEqual(["down"]);
  });

  it("behind a link that leads out of the target", async () => {
    const outside = bucket.file("outside/x", "mine");
    mkdirSync(join(bucket.directory, "down"));
    symlinkSync(join(bucket.directory, "outside"), join(bucket.directory, "down", "d"));
    await bucket.put("d/x", "theirs");
    const { failed } = await runSync(remote, {
      type: "path",
      path: join(bucket.directory, "down"),
    });
    expect(failed).toEqual(["UnsafeKey d/x"]);
    expect(filesIn(join(outside, "..")).x).toBe("mine");
  });

  it("when the target does not tell upper case from lower", async (context) => {
    const disk = join(bucket.directory, "disk");
    const unmount = mountCaseBlindDisk(disk);
    if (unmount === undefined) return context.skip(NO_CASE_BLIND_DISK);
    try {
      for (const key of ["Abc", "Dir/Twin", "Dir/twin"]) await bucket.put(key, key);
      const once = await runSync(remote, { type: "path", path: disk });
      const there = filesIn(disk);
      // One of the twins is there, whole, and the other one is named.
      expect(once.failed).toHaveLength(1);
      expect(Object.keys(there)).toEqual(["abc", "dir/twin"]);
      expect([there["abc"], ["Dir/Twin", "Dir/twin"].includes(there["dir/twin"]!)]).toEqual([
        "Abc",
        true,
      ]);
      // An object that the disk has under another name is neither replaced nor removed.
      const again = await runSync(remote, { type: "path", path: disk });
      expect(again.failed).toEqual(["Drifted Abc", "Drifted Dir/Twin", "Drifted Dir/twin"]);
      expect([again.withheld === undefined, filesIn(disk)]).toEqual([false, there]);
    } finally {
      unmount();
    }
  });

  it("when the disk is full", async (context) => {
    const disk = join(bucket.directory, "disk");
    const unmount = mountSmallDisk(disk, 64);
    if (unmount === undefined) return context.skip(NO_SMALL_DISK);
    try {
      writeFileSync(join(disk, "a"), "old");
      writeFileSync(join(disk, "extra"), "e");
      await bucket.put("a", pseudoRandom(200_000));
      expect(await codeOf(runSync(remote, { type: "path", path: disk }))).toBe("ENOSPC");
      expect(filesIn(disk)).toEqual({ a: "old", extra: "e" });
    } finally {
      unmount();
    }
  });
});

describe("places that overlap", () => {
  it.each([
    ["the same", "p", "p"],
    ["the target in the source", "p", "p/q"],
    ["the source in the target", "p/q", "p/"],
    ["the whole bucket", "", "p"],
  ])("are refused: %s", async (_, source, target) => {
    await bucket.put("p/q/x", "x");
    expect(await codeOf(runSync(bucket.at(source), bucket.at(target)))).toBe("CopyIntoItself");
    expect(await bucket.keys()).toEqual(["p/q/x"]);
  });

  it("are refused when the backup lies inside the target or the source", async () => {
    bucket.file("a", "a");
    const inside: Side = { type: "path", path: join(local.path, "old") };
    expect(await codeOf(runSync(local, bucket.at("p"), { backup: bucket.at("p/old") }))).toBe(
      "BackupInside",
    );
    expect(await codeOf(runSync(local, bucket.at("p"), { backup: inside }))).toBe("BackupInside");
    expect(await bucket.keys()).toEqual([]);
  });

  it("do not include neighbours whose names only begin alike", async () => {
    await bucket.put("p/x", "x");
    await runSync(bucket.at("p"), bucket.at("p2"));
    expect(await bucket.keys()).toEqual(["p/x", "p2/x"]);
  });
});

describe("a backup", () => {
  it("has the replaced and the removed objects, and is never extra itself", async () => {
    await bucket.put("p/a", "old a");
    await bucket.put("p/gone", "old gone");
    bucket.file("a", "a");
    for (const content of ["a", "a2"]) {
      bucket.file("a", content);
      const { kept } = await runSync(local, bucket.at("p"), { backup: bucket.at("old") });
      expect(kept).toMatchObject({ key: expect.stringMatching(/^old\/\d{8}T\d{9}Z\/$/) as string });
    }
    const found = Object.values(await objectsIn(bucket.storage, "old/")).sort();
    expect(found).toEqual(["a", "old a", "old gone"]);
    expect(await objectsIn(bucket.storage, "p/")).toEqual({ a: "a2" });
  });

  it("that fails keeps the original where it is", async () => {
    await bucket.put("p/a", "old");
    await bucket.put("p/gone", "old");
    bucket.file("a", "newer");
    const denying = await meddled(bucket, ({ method, path }) =>
      method === "PUT" && path.includes("/old/")
        ? Promise.resolve(refusal(403, "AccessDenied"))
        : undefined,
    );
    const target = { ...denying, key: "p" };
    const { failed } = await runSync(local, target, { backup: { ...denying, key: "old" } });
    expect(failed).toEqual(["AccessDenied a"]);
    expect(await objectsIn(bucket.storage)).toEqual({ "p/a": "old", "p/gone": "old" });
  });

  it("of a local target is a directory beside it", async () => {
    await bucket.put("a", "new a");
    const target: Side = { type: "path", path: join(bucket.directory, "down") };
    bucket.file("down/a", "old");
    bucket.file("down/sub/gone", "old gone");
    const backup: Side = { type: "path", path: join(bucket.directory, "kept") };
    await runSync(remote, target, { backup });
    expect(filesIn(target.path)).toEqual({ a: "new a" });
    expect(readdirSync(target.path)).toEqual(["a"]);
    const [stamp] = readdirSync(backup.path);
    expect(filesIn(join(backup.path, stamp!))).toEqual({ a: "old", "sub/gone": "old gone" });
  });
});

describe("equality", () => {
  const again = async (source: Side, target: Side, options = {}) =>
    (await runSync(source, target, options)).plan;

  it("is not assumed from the same size and an older time (aws-cli#3273, #1074)", async () => {
    await bucket.put("a", "one");
    old(bucket.file("a", "two"));
    expect(await again(local, remote)).toEqual(["a: checksum"]);
    expect((await bucket.get("a")).toString()).toBe("two");
  });

  it("is found for a file that was only touched (aws-cli#599, s5cmd#152)", async () => {
    bucket.file("a", "one");
    await runSync(local, remote);
    old(join(local.path, "a"));
    expect(await again(local, remote)).toEqual([]);
  });

  it.each([5, 8, 17])(
    "is found for a multipart object of parts of %i MiB, both ways (rc#342, rclone#523)",
    async (mib) => {
      const partSize = mib * MIB;
      bucket.file("a", pseudoRandom(20 * MIB + 3));
      await runSync(local, remote, { partSize });
      expect((await bucket.storage.stat("a")).etag).toMatch(/-\d+$/);
      expect(await again(local, remote)).toEqual([]);
      const down: Side = { type: "path", path: `${local.path}.down` };
      await runSync(remote, down);
      expect(await again(remote, down)).toEqual([]);
      rmSync(down.path, { recursive: true });
    },
  );

  it("is found for a multipart object and its copy", async () => {
    bucket.file("a", pseudoRandom(20 * MIB));
    await runSync(local, remote);
    const other: Side = { ...remote, storage: await bucket.sibling("other") };
    await runSync(remote, other);
    expect(await again(remote, other)).toEqual([]);
  });

  it("is decided by the stored time where the ETag is no MD5 (SSE-KMS, SSE-C)", async () => {
    const encrypted = await meddled(bucket, ({ method, query }, pass) => {
      if (method === "HEAD") {
        return pass().then((response) => ({
          ...response,
          headers: Object.fromEntries(
            Object.entries({
              ...response.headers,
              etag: `"${"f".repeat(32)}"`,
              "x-amz-server-side-encryption": "aws:kms",
            }).filter(([name]) => !name.startsWith("x-amz-checksum")),
          ),
        }));
      }
      if (method !== "GET" || !query.includes("list-type")) return undefined;
      return pass().then(async (response) =>
        answer(response, (await readText(response)).replaceAll(/[0-9a-f]{32}/g, "f".repeat(32))),
      );
    });
    bucket.file("a", "one");
    await runSync(local, remote);
    expect(await again(local, encrypted, { dryRun: true })).toEqual([]);
    old(join(local.path, "a"));
    expect(await again(local, encrypted, { dryRun: true })).toEqual(["a: time"]);
  });

  it("does not depend on the clock of the service", async () => {
    const skewed = await meddled(bucket, ({ method, query }, pass) =>
      method === "GET" && query.includes("list-type")
        ? pass().then(async (response) =>
            answer(
              response,
              (await readText(response)).replaceAll(/<LastModified>\d{4}/g, "<LastModified>2099"),
            ),
          )
        : undefined,
    );
    bucket.file("a", "one");
    await runSync(local, skewed);
    expect(await again(local, skewed)).toEqual([]);
    bucket.file("a", "two");
    expect(await again(local, skewed)).toEqual(["a: checksum"]);
  });

  it("is found for every empty file", async () => {
    bucket.file("empty", "");
    await runSync(local, remote);
    old(join(local.path, "empty"));
    expect(await again(local, remote)).toEqual([]);
  });

  it("costs the second run one listing of each side, and no other request", async () => {
    const { stateDir } = bucket;
    for (let i = 0; i < 20; i++) old(bucket.file(`d/${i}`, `content ${i}`));
    await waitForClock(join(local.path, "d/19"));
    await runSync(local, remote, { stateDir });
    const asked: string[] = [];
    const storage = remote.storage;
    const counted = await meddled(bucket, ({ method, query }) => {
      asked.push(`${method} ${query.includes("list-type") ? "list" : ""}`);
      return undefined;
    });
    expect(storage.client.endpoint.href).toBe(counted.storage.client.endpoint.href);
    expect(await again(local, counted, { stateDir })).toEqual([]);
    expect(asked).toEqual(["GET list"]);
  });

  it("is checked again when the fingerprints are lost, damaged or of another state", async () => {
    const { stateDir } = bucket;
    const path = bucket.file("a", "one");
    await waitForClock(path);
    await runSync(local, remote, { stateDir });
    const directory = join(stateDir, "sync");
    const damage = [
      () => rmSync(directory, { recursive: true }),
      () => {
        for (const name of readdirSync(directory)) writeFileSync(join(directory, name), '["a",');
      },
      () => undefined,
    ];
    for (const hurt of damage) {
      hurt();
      expect(await again(local, remote, { stateDir })).toEqual([]);
    }
    // Same size, same modification time: only the change time tells.
    const { mtimeMs } = statSync(path);
    writeFileSync(path, "two");
    old(path, mtimeMs / 1000);
    expect(await again(local, remote, { stateDir })).toEqual(["a: checksum"]);
    await bucket.put("a", "six");
    expect(await again(local, remote, { stateDir })).toEqual(["a: checksum"]);
  });

  it("is that of size alone, of time or of content alone, when asked", async () => {
    await bucket.put("a", "one");
    const path = bucket.file("a", "two");
    expect(await again(local, remote, { compare: "size" })).toEqual([]);
    expect(await again(local, remote, { compare: "time" })).toEqual(["a: time"]);
    old(path);
    expect(await again(local, remote, { compare: "checksum" })).toEqual([]);
    expect(await again(local, remote, { compare: "time" })).toEqual(["a: time"]);
  });
});

describe("a plan", () => {
  it("does what the run would have done, but leaves what has drifted since", async () => {
    await bucket.put("drifted target", "1");
    await bucket.put("extra", "e");
    bucket.file("drifted target", "one");
    bucket.file("drifted source", "two");
    bucket.file("fine", "three");
    const { items } = await runSync(local, remote, { dryRun: true });
    await bucket.put("drifted target", "theirs");
    bucket.file("drifted source", "changed");
    bucket.file("later", "not planned");
    const { failed, withheld } = await runSync(local, remote, { plan: () => items });
    expect([...failed].sort()).toEqual(["Drifted drifted source", "Drifted drifted target"]);
    expect(withheld).toMatchObject({ exitCode: 7 });
    expect(await objectsIn(bucket.storage)).toEqual({
      "drifted target": "theirs",
      extra: "e",
      fine: "three",
    });
  });

  it("that has not drifted is carried out whole, and a second time not at all", async () => {
    await bucket.put("extra", "e");
    bucket.file("a", "a");
    const { items } = await runSync(local, remote, { dryRun: true });
    const first = await runSync(local, remote, { plan: () => items });
    expect(first.failed).toEqual([]);
    expect(await objectsIn(bucket.storage)).toEqual({ a: "a" });
    const second = await runSync(local, remote, { plan: () => items });
    expect(second.failed).toEqual(["Drifted a"]);
  });

  it("for a download is refused when the object has changed", async () => {
    await bucket.put("a", "one");
    const down: Side = { type: "path", path: join(bucket.directory, "down") };
    const { items } = await runSync(remote, down, { dryRun: true });
    await bucket.put("a", "six");
    const { failed } = await runSync(remote, down, { plan: () => items });
    expect(failed).toEqual(["SourceChanged a"]);
    expect(filesIn(down.path)).toEqual({});
  });
});

describe("other hazards", () => {
  it("an object whose name no file can have is removed, wherever its path would lead", async () => {
    const hostile = [
      "/a",
      "./a",
      "b//a",
      "b/../a",
      `../${basename(local.path)}/a`,
      "n".repeat(300),
    ];
    bucket.file("a", "1");
    bucket.file("b/c", "2");
    for (const name of hostile) await bucket.put(`up/${name}`, "extra");
    const { failed, withheld } = await runSync(local, bucket.at("up/"));
    expect([failed, withheld]).toEqual([[], undefined]);
    expect(await objectsIn(bucket.storage, "up/")).toEqual({ a: "1", "b/c": "2" });
  });

  it("a name that is a file here and a directory there (mc#5230) fails, and removes nothing", async () => {
    await bucket.put("a", "file");
    await bucket.put("a/b", "below");
    const down: Side = { type: "path", path: join(bucket.directory, "down") };
    bucket.file("down/extra", "e");
    const { failed, withheld } = await runSync(remote, down);
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/^KeyCollision a/);
    expect(withheld).toMatchObject({ exitCode: 7 });
    expect(filesIn(down.path)["extra"]).toBe("e");
  });

  it("names with glob characters are taken literally (s5cmd#235, #503)", async () => {
    for (const name of ["*", "[a]", "?", "{a,b}", "\\", "a b", "é", "\u{1F600}", "\uFFFD"]) {
      bucket.file(name, name);
    }
    await runSync(local, remote);
    expect(await runSync(local, remote).then(({ plan }) => plan)).toEqual([]);
    expect(await bucket.keys()).toHaveLength(9);
  });

  it("two syncs at once leave the target like the source", async () => {
    for (let i = 0; i < 40; i++) bucket.file(`${i}`, `${i}`);
    await Promise.all([runSync(local, remote), runSync(local, remote)]);
    const { plan } = await runSync(local, remote);
    expect(plan).toEqual([]);
    expect(await objectsIn(bucket.storage)).toEqual(filesIn(local.path));
  });

  it("a half download of another run is neither extra nor uploaded", async () => {
    const partial = bucket.file(".pail-1234-abc-1.partial", "half");
    bucket.file("a", "a");
    await runSync(local, remote);
    expect(await bucket.keys()).toEqual(["a"]);
    await runSync(remote, local);
    expect(statSync(partial).size).toBe(4);
  });

  it("a directory is removed with its last file, and a link without its target", async () => {
    bucket.file("outside/x", "x");
    const root = join(bucket.directory, "down");
    bucket.file("down/sub/deep/gone", "g");
    bucket.file("down/sub/stays", "s");
    await bucket.put("sub/stays", "s");
    await runSync(remote, { type: "path", path: root });
    expect(readdirSync(join(root, "sub"))).toEqual(["stays"]);
    expect(() => removeFile(root, { name: "../outside/x", etag: "any" })).toThrow(
      expect.objectContaining({ code: "UnsafeKey" }),
    );
  });

  it.each([true, false])(
    "the plan says how many requests the changes take, removals in batches: %s",
    async (inBatches) => {
      for (let i = 0; i < 12; i++) await bucket.put(`gone/${i}`, "g");
      await bucket.put("changed", "before");
      for (const name of ["changed", "new/1", "new/2"]) bucket.file(name, name);
      let asked = 0;
      const counted = await meddled(bucket, ({ method, query }) => {
        if (!query.includes("list-type")) asked += 1;
        return method === "POST" && !inBatches
          ? Promise.resolve(answer(refusal(200, ""), UNPINNED))
          : undefined;
      });
      const options = { deleteLimit: { percent: 100 } };
      const { summary } = await runSync(local, counted, { ...options, dryRun: true });
      expect(asked).toBe(0);
      expect((await runSync(local, counted, options)).failed).toEqual([]);
      // A service that cannot pin removals in a batch was asked and tried first.
      if (inBatches) expect(asked).toBe(summary.requests);
      else expect(asked - 2).toBe(summary.requestsAtMost);
    },
  );

  it("a listing in many pages is compared whole", async () => {
    for (let i = 0; i < 300; i++) bucket.file(`${i % 7}/${i}`, "");
    const first = await runSync(local, remote);
    expect(first.summary.total.new.items).toBe(300);
    const second = await runSync(local, remote);
    expect(second.summary.total.same.items).toBe(300);
    expect(second.plan).toEqual([]);
  });
});

/** The answer of a service that ignores ETags in DeleteObjects. */
const UNPINNED =
  "<DeleteResult><Error><Key>gone/0</Key><Code>NotImplemented</Code><Message/></Error></DeleteResult>";

async function readText({ body }: { body: AsyncIterable<Uint8Array> }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function answer<T extends { headers: Readonly<Record<string, string>> }>(
  response: T,
  text: string,
) {
  const bytes = Buffer.from(text);
  const headers = { ...response.headers, "content-length": String(bytes.length) };
  const body = (async function* () {
    await Promise.resolve();
    yield bytes;
  })();
  return { ...response, headers, body, bytes };
}

/** Waits until a file is old enough for its times to tell every later change. */
async function waitForClock(path: string): Promise<void> {
  const step = statSync(path).mtimeMs % 1000 === 0 ? 2_000 : 100;
  while (Date.now() - statSync(path).ctimeMs <= step) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

describe("a run without valid credentials", () => {
  it("ends when the credentials expire in its middle, removes nothing, and later sends nothing twice", async () => {
    for (let i = 0; i < 40; i++) bucket.file(`f${i}`, `${i}`);
    await bucket.put("extra", "x");
    let puts = 0;
    const expiring = await meddled(bucket, ({ method }) => {
      if (method !== "PUT") return undefined;
      puts += 1;
      return puts > 15 ? Promise.resolve(refusal(400, "ExpiredToken")) : undefined;
    });
    await expect(runSync(local, expiring, { concurrency: 4 })).rejects.toMatchObject({
      kind: "denied",
      code: "ExpiredToken",
    });
    const there = await bucket.keys();
    expect(there).toContain("extra");
    expect(there.length).toBeGreaterThanOrEqual(16);
    // It did not go on to try the rest.
    expect(puts).toBeLessThan(25);
    const { plan } = await runSync(local, remote);
    expect(plan).toHaveLength(40 + 1 - (there.length - 1));
  });

  it("goes on with credentials that were renewed meanwhile", async () => {
    for (let i = 0; i < 10; i++) bucket.file(`f${i}`, `${i}`);
    let refused = 0;
    const renewed = await meddled(bucket, ({ method }) => {
      if (method !== "PUT" || refused > 0) return undefined;
      refused += 1;
      return Promise.resolve(refusal(400, "ExpiredToken"));
    });
    const ran = await runSync(local, renewed, { concurrency: 1 });
    expect([ran.failed, (await bucket.keys()).length]).toEqual([[], 10]);
    expect(refused).toBe(1);
  });
});
