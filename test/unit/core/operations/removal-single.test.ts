import { linkSync, symlinkSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  removeFile,
  removeObject,
  settledObject,
  settledState,
} from "../../../../src/core/operations/removal.js";
import type { HttpHandler } from "../../../../src/protocol/message.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

const { signal } = new AbortController();
let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
  await bucket.put("k", "old");
});
afterEach(() => bucket.close());

const ref = { type: "object", alias: "local", bucket: "bucket", key: "k" } as const;

describe("the removal of an object", () => {
  it("removes an object that has not changed, and succeeds when it is gone", async () => {
    const state = await bucket.storage.stat("k");
    await removeObject({ storage: bucket.storage, ref }, state, signal);
    expect(await bucket.keys()).toEqual([]);
    await removeObject({ storage: bucket.storage, ref }, state, signal);
  });

  it("leaves an object with other bytes, with another time, or with nothing to tell versions apart", async () => {
    const { etag, lastModified, versionId } = await bucket.storage.stat("k");
    const remove = (state: object) =>
      removeObject({ storage: bucket.storage, ref }, state, signal).catch(
        ({ code }: { code: string }) => code,
      );
    expect(await remove({ etag: "0".repeat(32), lastModified })).toBe("Drifted");
    expect(await remove({ etag, lastModified: lastModified! - 1000 })).toBe("Drifted");
    expect(await remove({ etag, versionId: `${versionId}x` })).toBe(
      versionId === undefined ? undefined : "Drifted",
    );
    expect(await remove({ lastModified })).toBe("Drifted");
  });

  /** Requests go through, and the answer of the first DELETE is lost; `meanwhile` runs then. */
  const losing =
    (meanwhile: () => Promise<unknown>) =>
    (inner: HttpHandler): HttpHandler => {
      let lost = false;
      return async (request) => {
        const answer = await inner(request);
        if (request.method !== "DELETE" || lost) return answer;
        lost = true;
        await meanwhile();
        throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      };
    };

  it("whose answer was lost counts as done, not as drifted", async () => {
    const storage = await bucket.through(losing(async () => undefined));
    await removeObject({ storage, ref }, await storage.stat("k"), signal);
    expect(await bucket.keys()).toEqual([]);
  });

  it("is not sent again to an object that took the name meanwhile", async () => {
    const state = await bucket.storage.stat("k");
    const storage = await bucket.through(losing(() => bucket.put("k", "new")));
    const removal = removeObject({ storage, ref }, state, signal);
    await expect(removal).rejects.toMatchObject({ code: "Drifted" });
    expect((await bucket.get("k")).toString()).toBe("new");
  });

  it("says why the service refused", async () => {
    const storage = {
      ...bucket.storage,
      remove: async () => [{ key: "k", error: { code: "AccessDenied", message: "locked" } }],
    };
    const removal = removeObject({ storage, ref }, await storage.stat("k"), signal);
    await expect(removal).rejects.toMatchObject({
      kind: "denied",
      message: "cannot remove local/bucket/k: locked",
    });
  });
});

describe("the state of an object", () => {
  it("is noted a second after its last write, so that every later write shows", async () => {
    const young = await startBucket({ ahead: 0 });
    await young.put("k", "bytes");
    const info = await settledObject({ storage: young.storage, ref }, signal);
    expect(info.toldAt! - info.lastModified!).toBeGreaterThanOrEqual(1000);
    await young.put("k", "bytes");
    const removal = removeObject({ storage: young.storage, ref }, info, signal);
    await expect(removal).rejects.toMatchObject({ code: "Drifted" });
    young.close();
  });

  it("is noted at once where the service's clock is unknown", async () => {
    const { lastModified } = await bucket.storage.stat("k");
    for (const toldAt of [undefined, lastModified! - 60_000]) {
      const stat = async () => ({ ...(await bucket.storage.stat("k")), toldAt });
      const info = await settledObject({ storage: { ...bucket.storage, stat }, ref }, signal);
      expect(info.toldAt).toBe(toldAt);
    }
  });
});

describe("the removal of a file", () => {
  const path = () => bucket.file("f", "old");
  const file = (name: string) => ({ type: "file", path: name }) as const;

  it("removes a file that has not changed, and of a link only the link", async () => {
    const target = path();
    const link = `${target}-link`;
    symlinkSync(target, link);
    removeFile(file(link), await settledState(link, signal));
    const state = await settledState(target, signal);
    removeFile(file(target), state);
    removeFile(file(target), state);
  });

  it("leaves a file that was written to, and a link that leads elsewhere now", async () => {
    const target = path();
    const state = await settledState(target, signal);
    writeFileSync(target, "new");
    expect(() => removeFile(file(target), state)).toThrow(/no longer|changed/);
    const again = await settledState(target, signal);
    linkSync(target, `${target}-other`);
    expect(() => removeFile(file(target), again)).toThrow(/no longer|changed/);
  });
});
