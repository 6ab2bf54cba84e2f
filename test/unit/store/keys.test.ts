import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openKeyring } from "../../../src/store/keys.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-keys-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

describe("openKeyring", () => {
  it("makes one key on first use, readable by its owner alone", async () => {
    const { keys, keyOf } = openKeyring(directory);
    const key = await keys.first();
    expect(key.accessKeyId).toMatch(/^[A-Z2-7]{20}$/);
    expect(key.secretAccessKey).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(await keyOf(key.accessKeyId)).toMatchObject({ secretAccessKey: key.secretAccessKey });
    expect(await openKeyring(directory).keys.first()).toEqual(key);
    if (process.platform !== "win32") {
      expect(statSync(join(directory, "keys.json")).mode & 0o777).toBe(0o600);
    }
  });

  it("makes one key for all that ask first at the same time", async () => {
    const rings = Array.from({ length: 8 }, () => openKeyring(directory));
    const made = await Promise.all(rings.map(({ keys }) => keys.first()));
    expect(new Set(made.map(({ accessKeyId }) => accessKeyId)).size).toBe(1);
    expect(await rings[0]!.keys.list()).toHaveLength(1);
  });

  it("keeps every one of the keys made at the same time", async () => {
    const rings = Array.from({ length: 4 }, () => openKeyring(directory));
    await Promise.all(rings.map(({ keys }, index) => keys.create({ description: `key ${index}` })));
    const listed = await openKeyring(directory).keys.list();
    expect(listed.map(({ description }) => description ?? "").sort()).toEqual(
      rings.map((_, index) => `key ${index}`),
    );
  });

  it("lists keys without their secrets", async () => {
    const { keys } = openKeyring(directory);
    const { secretAccessKey } = await keys.create({ description: "for backups" });
    const listed = await keys.list();
    expect(listed).toMatchObject([
      { description: "for backups", created: expect.any(Date) as Date },
    ]);
    expect(JSON.stringify(listed)).not.toContain(secretAccessKey);
  });

  it("forgets a removed key at once", async () => {
    const { keys, keyOf } = openKeyring(directory);
    const { accessKeyId } = await keys.create();
    expect(await keyOf(accessKeyId)).toBeDefined();
    await keys.remove(accessKeyId);
    expect(await keyOf(accessKeyId)).toBeUndefined();
    await expect(keys.remove(accessKeyId)).rejects.toMatchObject({ code: "InvalidAccessKeyId" });
  });

  it("knows a key another process has just made", async () => {
    const one = openKeyring(directory);
    await one.keys.first();
    const { accessKeyId, secretAccessKey } = await openKeyring(directory).keys.create();
    expect(await one.keyOf(accessKeyId)).toMatchObject({ secretAccessKey });
  });

  it("neither uses nor replaces a file it cannot read", async () => {
    const file = join(directory, "keys.json");
    const key = { accessKeyId: "a", secretAccessKey: "b", created: "2026-01-01" };
    for (const text of [
      "{ torn",
      "null",
      '{"version":2,"keys":[]}',
      '{"version":1}',
      JSON.stringify({ version: 1, keys: [{ ...key, created: "some day" }] }),
      JSON.stringify({ version: 1, keys: [{ ...key, secretAccessKey: undefined }] }),
    ]) {
      writeFileSync(file, text);
      const { keys } = openKeyring(directory);
      for (const ask of [() => keys.first(), () => keys.list(), () => keys.create()]) {
        await expect(ask()).rejects.toMatchObject({ code: "KeysCorrupt", path: file });
      }
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });
});
