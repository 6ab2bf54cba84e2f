/** Two servers of two assistants on one state directory, at once. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { statOrUndefined } from "../../../src/core/operations/exists.js";
import { readAll } from "../../../src/protocol/message.js";
import { readJournals } from "../../../src/core/journal/file.js";
import { type RunningMcp, factsOf, startMcp, textOf } from "../../support/mcp.js";

let one: RunningMcp;
let other: RunningMcp;
beforeEach(async () => {
  one = await startMcp({ answer: () => "yes" });
  other = await startMcp({ answer: () => "yes", base: one.base });
  await one.service.make("bucket");
});
afterEach(async () => {
  await other.close();
  await one.close();
});

const at = (key: string) => ({ bucket_name: "bucket", object_key: key });

async function put(mcp: RunningMcp, key: string, content: string): Promise<string> {
  const seen = await mcp.call("stat_object", at(key)).then(factsOf);
  const more = typeof seen["etag"] === "string" ? { if_match: seen["etag"] } : {};
  const result = await mcp.call("put_object", { ...at(key), content, ...more });
  return String(factsOf(result)["undo"]);
}

const undo = (mcp: RunningMcp, ...names: string[]) => mcp.call("undo_changes", { undo: names });

async function text(key: string): Promise<string | undefined> {
  const storage = one.bucket("bucket");
  if ((await statOrUndefined(storage, key)) === undefined) return undefined;
  return (await readAll((await storage.read(key)).body, 100)).toString();
}

it("neither sees, undoes nor takes for its own what the other has changed", async () => {
  const mine = await put(one, "k", "a1");
  const theirs = await put(other, "k", "b1");
  expect(textOf(await undo(other, mine))).toContain("NoSuchChange");
  // The other has written over it: it stays.
  expect(factsOf(await undo(one, mine))).toMatchObject({ undone: 0, not_undone: 1 });
  expect(await text("k")).toBe("b1");
  // Undone in turn, both are gone.
  expect(factsOf(await undo(other, theirs))).toMatchObject({ undone: 1 });
  expect(await text("k")).toBe("a1");
  expect(factsOf(await undo(one, mine))).toMatchObject({ undone: 1 });
  expect(await text("k")).toBeUndefined();
});

it("lose no change of either while both write and undo at once", async () => {
  await one.bucket("bucket").write("shared", Buffer.from("first"));
  const rounds = Array.from({ length: 6 }, (_, i) => i);
  const work = async (mcp: RunningMcp, who: string) => {
    for (const i of rounds) {
      const name = await put(mcp, `${who}/${i}`, `${who}${i % 10}`);
      const shared = await put(mcp, "shared", `${who}${i % 10}`);
      if (i % 3 === 0) await undo(mcp, name, ...(shared === "undefined" ? [] : [shared]));
    }
  };
  await Promise.all([work(one, "a"), work(other, "b")]);
  const changes = await readJournals(join(one.base, "state", "mcp"));
  expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
  expect(
    readdirSync(join(one.base, "state", "mcp")).filter((name) => name.endsWith(".jsonl")),
  ).toHaveLength(2);
  for (const who of ["a", "b"]) {
    for (const i of rounds) {
      expect([who, i, await text(`${who}/${i}`)]).toEqual([
        who,
        i,
        i % 3 === 0 ? undefined : `${who}${i % 10}`,
      ]);
    }
  }
  // What nobody has undone is there, and nothing that was.
  const shared = changes.filter(({ key, after }) => key === "shared" && after !== undefined);
  const standing = shared.filter(({ undone }) => undone === undefined).map(({ call }) => call);
  const { etag } = await one.bucket("bucket").stat("shared");
  const last = shared.filter(({ after }) => after?.type === "object" && after.etag === etag);
  expect(
    last.some(({ call }) => standing.includes(call)) || (await text("shared")) === "first",
  ).toBe(true);
});
