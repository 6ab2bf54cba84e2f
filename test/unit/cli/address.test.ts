/** Locations that may be patterns, as commands take them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { forEachPlace, objectNames, readingOf } from "../../../src/cli/address.js";
import type { Output } from "../../../src/cli/output.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { createHome, type Home } from "../../support/run.js";

const { signal } = new AbortController();
let home: Home;
let context: Context;
beforeAll(async () => {
  home = createHome();
  context = createContext(home.env);
  const service = bucketService(await context.client("local"));
  for (const name of ["photos", "videos"]) await service.make(name);
  const storage = await context.bucket("local", "photos");
  for (const key of ["a1", "a2", "b", "dir/c", "[b]"]) await storage.write(key, Buffer.from("x"));
});
afterAll(() => {
  context.close();
  home.remove();
});

it("a name is exact with --exact, with a version and from a list", () => {
  expect(readingOf({})).toBe("either");
  expect(readingOf({ pattern: true })).toBe("pattern");
  for (const flags of [{ literal: true }, { "version-id": "v" }, { "files-from": "names" }]) {
    expect(readingOf({ pattern: true, ...flags })).toBe("exact");
  }
});

describe("forEachPlace", () => {
  const visited = async (...targets: string[]) => {
    const places: string[] = [];
    const failed: object[] = [];
    const output = { itemError: (about: object) => failed.push(about) } as unknown as Output;
    const work = forEachPlace({ context, signal, output }, targets, {}, async (place) => {
      places.push(`${place.bucket}:${place.key}`);
    });
    return { ended: await work.catch((error: unknown) => error), places, failed };
  };

  it("visits each argument's place, and for an alias every bucket", async () => {
    const { ended, places } = await visited("local/photos/dir", "local");
    expect(ended).toBeUndefined();
    expect(places).toEqual(["photos:dir", "photos:", "videos:"]);
  });

  it("goes on after a place that cannot be opened, and names it", async () => {
    const { ended, places, failed } = await visited("nosuch/b", "local/videos");
    expect(ended).toMatchObject({ kind: "partial" });
    expect(places).toEqual(["videos:"]);
    expect(failed).toEqual([{ type: "failed", target: "nosuch/b" }]);
  });
});

describe("objectNames", () => {
  const names = (texts: readonly string[], flags: Parameters<typeof objectNames>[2] = {}) =>
    objectNames({ context, signal }, texts, flags);

  it("replaces a pattern by its objects, and leaves an exact name alone", async () => {
    expect(await names(["local/photos/a?", "local/photos/none"])).toEqual([
      "local/photos/a1",
      "local/photos/a2",
      "local/photos/none",
    ]);
    expect(await names(["local/photos/[b]"])).toEqual(["local/photos/[b]"]);
    expect(await names(["local/photos/[b]"], { pattern: true })).toEqual(["local/photos/b"]);
    expect(await names(["local/photos/dir"], { recursive: true })).toEqual(["local/photos/dir/c"]);
  });

  it("keeps the failure of one among several, and throws that of the only one", async () => {
    const wrong = "local/photos/z*";
    expect(await names([wrong, "local/photos/b"])).toEqual([wrong, "local/photos/b"]);
    await expect(names([wrong])).rejects.toMatchObject({ code: "NoSuchKey" });
    // A prefix is no object.
    await expect(names(["local/photos/d*"])).rejects.toMatchObject({
      hint: expect.stringContaining("-r"),
    });
  });
});
