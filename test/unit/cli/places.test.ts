/** Locations of a command line as places to copy from and to, and mistakes among them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hintedAtRecursion, requireParent } from "../../../src/cli/copy-request.js";
import { place, sourcePlaces } from "../../../src/cli/places.js";
import { type Context, createContext } from "../../../src/context.js";
import { AppError } from "../../../src/core/failures/errors.js";
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
  await storage.write("2024/a.jpg", Buffer.from("x"));
});
afterAll(() => {
  context.close();
  home.remove();
});

describe("a source", () => {
  const sources = (text: string, recursive = true) =>
    sourcePlaces(context, text, { recursive, reading: "either", signal });

  it("that is a whole bucket keeps its name unless a slash ends it; an alias stands for all its buckets", async () => {
    expect(await sources("local/photos")).toMatchObject([{ key: "", keeps: "photos/" }]);
    expect(await sources("local/photos/")).toMatchObject([{ key: "", keeps: undefined }]);
    const all = await sources("local");
    expect(all.map((each) => "keeps" in each && each.keeps)).toEqual(["photos/", "videos/"]);
    await expect(sources("local", false)).rejects.toMatchObject({ code: "InvalidLocation" });
  });

  it("has a version only in a bucket", async () => {
    await expect(place(context, "./x", "source", "v")).rejects.toMatchObject({ kind: "usage" });
    expect(await place(context, "local/photos/a", "source", "v")).toMatchObject({ versionId: "v" });
  });
});

describe("a copy that cannot begin", () => {
  it("says how to make the directory, with a stranger's name as one word", () => {
    const parent = join(home.directory, "a b;rm");
    expect(() => requireParent(join(parent, "x"))).toThrow(
      expect.objectContaining({ hint: `mkdir -p '${parent}'` }),
    );
    mkdirSync(parent);
    expect(() => requireParent(join(parent, "x"))).not.toThrow();
  });

  it("says that -r is missing only where something lies below", async () => {
    const error = new AppError({ kind: "not-found", code: "NoSuchKey", message: "none" });
    const ask = async (key: string, recursive?: boolean) => {
      const [source] = await sourcePlaces(context, `local/photos/${key}`, {
        recursive: false,
        reading: "exact",
        signal,
      });
      const request = { sources: [source!], target: source!, recursive };
      return (await hintedAtRecursion(error, request, signal)) as AppError;
    };
    expect((await ask("2024")).hint).toContain("-r");
    expect(await ask("2025")).toBe(error);
    expect(await ask("2024", true)).toBe(error);
  });
});
