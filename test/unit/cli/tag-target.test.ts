/** The targets of `tag`: a bucket, an object or one of its versions. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openTagTarget } from "../../../src/cli/tag-target.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { type Commands, createCommands } from "../../support/command.js";

const { signal } = new AbortController();
let commands: Commands;
let context: Context;
beforeAll(async () => {
  commands = createCommands();
  context = createContext(commands.env);
  await bucketService(await context.client("local")).make("bkt");
  await commands.put("bkt/dir/a", "x");
});
afterAll(() => {
  context.close();
  commands.close();
});
const open = (text: string, versionId?: string) =>
  openTagTarget({ context, signal }, text, versionId);

describe("the target of tags", () => {
  it("is the bucket or the object, each with tags of its own", async () => {
    const [bucket, object] = [await open("local/bkt"), await open("local/bkt/dir/a")];
    expect([bucket.location, object.location]).toEqual(["local/bkt", "local/bkt/dir/a"]);
    expect([await bucket.get(), await object.get()]).toEqual([{}, {}]);
    await bucket.set({ team: "web" });
    await object.set({ stage: "raw" });
    expect(await (await open("local/bkt/")).get()).toEqual({ team: "web" });
    expect(await object.get()).toEqual({ stage: "raw" });
  });

  it("is one version when one is named, but never of a bucket", async () => {
    await commands.run("version enable", "local/bkt");
    await commands.put("bkt/v", "1");
    const { records } = await commands.run("stat", "--json", "local/bkt/v");
    await commands.put("bkt/v", "2");
    const first = await open("local/bkt/v", String(records[0]!["versionId"]));
    await first.set({ old: "yes" });
    expect([await first.get(), await (await open("local/bkt/v")).get()]).toEqual([
      { old: "yes" },
      {},
    ]);
    await expect(open("local/bkt", "v1")).rejects.toMatchObject({ kind: "usage" });
    await expect(open("local")).rejects.toMatchObject({ kind: "usage" });
  });

  it("is waited for only until the signal fires", async () => {
    const stopped = { context, signal: AbortSignal.abort(new Error("stopped")) };
    const target = await openTagTarget(stopped, "local/bkt", undefined);
    await expect(target.get()).rejects.toThrow("stopped");
  });

  it("is shown with its tags, as lines or as one record", async () => {
    await commands.run("tag set", "local/bkt/dir/a", "--replace", "b=2", "a=1");
    const list = (await commands.run("tag list", "local/bkt/dir/a")).stdout;
    expect(list.split("\n").filter(Boolean).toSorted()).toEqual(["a=1", "b=2"]);
    const { records } = await commands.run("tag list", "--json", "local/bkt/dir/a");
    expect(records).toEqual([
      { type: "tags", location: "local/bkt/dir/a", tags: { a: "1", b: "2" } },
    ]);
  });
});
