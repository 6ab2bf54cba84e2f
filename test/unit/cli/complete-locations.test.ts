/** Names on services, for completion: kept for a while, and never an error. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";

import { locationsOf } from "../../../src/cli/complete-locations.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { createHome, type Home } from "../../support/run.js";

let patience: MockInstance<typeof AbortSignal.timeout>;
let home: Home;
let context: Context;
let complete: ReturnType<typeof locationsOf>;
const write = async (key: string) => {
  await (await context.bucket("local", "box")).write(key, Buffer.from("x"));
};
beforeEach(async () => {
  // However slow the machine: the wait ends early only in the test about it.
  patience = vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal);
  home = createHome();
  context = createContext(home.env);
  complete = locationsOf(context);
  const service = bucketService(await context.client("local"));
  for (const name of ["box", "other"]) await service.make(name);
  for (const key of ["dir/a", "dir/b", "dim", "bell\u0007"]) await write(key);
});
afterEach(() => {
  vi.restoreAllMocks();
  context.close();
  home.remove();
});
/** The answers that are kept. */
const answers = () => {
  const directory = join(context.directories.state, "completion");
  return readdirSync(directory).map((name) => join(directory, name));
};

describe("a location to complete", () => {
  it("is an alias, then a bucket, then one level of keys", async () => {
    expect(await complete("lo")).toEqual(["local/"]);
    expect(await complete("local/")).toEqual(["local/box/", "local/other/"]);
    expect(await complete("local/o")).toEqual(["local/other/"]);
    expect(await complete("local/box/di")).toEqual(["local/box/dim", "local/box/dir/"]);
    expect(await complete("local/box/dir/")).toEqual(["local/box/dir/a", "local/box/dir/b"]);
  });

  it("is never a name that holds control characters", async () => {
    expect(await complete("local/box/")).toEqual(["local/box/dim", "local/box/dir/"]);
  });

  it("has no completions where no service can be asked, and is no error", async () => {
    for (const word of ["nowhere/", "local/none/", "local/box/none/"]) {
      expect(await complete(word)).toEqual([]);
    }
  });

  it("is waited for only for a limited time, and asked for again later", async () => {
    patience.mockReturnValueOnce(AbortSignal.abort());
    expect(await complete("local/box/d")).toEqual([]);
    expect(patience).toHaveBeenCalledWith(500);
    expect(await complete("local/box/d")).toEqual(["local/box/dim", "local/box/dir/"]);
  });

  it("comes from the kept answers, until they are old or broken", async () => {
    await complete("local/box/dir/");
    await write("dir/c");
    expect(await complete("local/box/dir/a")).toEqual(["local/box/dir/a"]);
    expect(await complete("local/box/dir/c")).toEqual([]);
    const [kept] = answers();
    const old = Date.now() / 1000 - 31;
    utimesSync(kept!, old, old);
    expect(await complete("local/box/dir/c")).toEqual(["local/box/dir/c"]);
    writeFileSync(kept!, "[");
    expect(await complete("local/box/dir/c")).toEqual(["local/box/dir/c"]);
    expect(answers()).toHaveLength(1);
  });
});
