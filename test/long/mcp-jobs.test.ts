/**
 * Jobs that people give agents, each done with the tools that are offered by default and what their
 * descriptions say: how many calls, and how many tokens of answers, it takes. The last column is what
 * a model reads, text or structured content, whichever is longer.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { afterAll, beforeAll, expect, it } from "vitest";

import { type RunningMcp, factsOf, startMcp, textOf } from "../support/mcp.js";

const MOST_CALLS = 6;
const MOST_TOKENS = 5_000;
const KEYS = 2_500;
const FOLDER = 500;

const tokens = new Tiktoken(o200k);
const rows: { job: string; calls: number; tokens: number }[] = [];
const questions: string[] = [];
let mcp: RunningMcp;

beforeAll(async () => {
  mcp = await startMcp({
    toolsets: [],
    undoBudget: 64 * 1024 * 1024,
    answer: (question) => {
      questions.push(question);
      return "yes";
    },
  });
  for (const bucket of ["data", "other", "kept"]) await mcp.service.make(bucket);
  await mcp.service.setVersioning("kept", "Enabled");
  const data = mcp.bucket("data");
  const put = (key: string, body: string | Buffer) => data.write(key, Buffer.from(body));
  for (let at = 0; at < KEYS; at += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => put(`many/${n % 7}/object-${at + n}.json`, `${at + n}`)),
    );
  }
  await put("many/newest.json", "the newest");
  const lines = Array.from({ length: 200_000 }, (_, at) =>
    at === 123_456 ? "ERROR disk is full" : `info request ${at} took ${at % 90} ms`,
  );
  await put("logs/big.log", `${lines.join("\n")}\n`);
  await put("logs/old.log.gz", gzipSync("ok\nERROR of long ago\n"));
  for (let at = 0; at < FOLDER; at += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => put(`folder/${at + n}.txt`, `file ${at + n}`)),
    );
  }
  await mcp.bucket("kept").write("report.txt", Buffer.from("the report"));
  await mcp.bucket("kept").remove([{ key: "report.txt" }]);
  await put("table.csv", `a;b\n${"1;2\n".repeat(10_000)}`);
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(3000)]);
  await data.write("p.png", png, { contentType: "image/png" });
  await put("doc.txt.gz", gzipSync("packed text"));
}, 300_000);

afterAll(async () => {
  console.table(rows);
  await mcp.close();
});

type Call = (tool: string, args: Record<string, unknown>) => Promise<CallToolResult>;

function job(name: string, work: (call: Call) => Promise<void>): void {
  it(name, { timeout: 120_000 }, async () => {
    const row = { job: name, calls: 0, tokens: 0 };
    rows.push(row);
    await work(async (tool, args) => {
      const result = await mcp.call(tool, args);
      row.calls += 1;
      const cost = (text: string) => tokens.encode(text).length;
      row.tokens += Math.max(
        cost(textOf(result)),
        cost(JSON.stringify(result.structuredContent ?? {})),
      );
      expect(result.isError, textOf(result)).not.toBe(true);
      return result;
    });
    expect(row.calls).toBeLessThanOrEqual(MOST_CALLS);
    expect(row.tokens).toBeLessThanOrEqual(MOST_TOKENS);
  });
}

const bucket_name = "data";

job("find the newest of many keys", async (call) => {
  const found = await call("search_objects", {
    bucket_name,
    prefix: "many/",
    sort: "newest",
    max_keys: 1,
  });
  expect(factsOf(found)["objects"]).toMatchObject([{ key: "many/newest.json" }]);
});

job("read the end of a big log", async (call) => {
  const read = await call("get_object", { bucket_name, object_key: "logs/big.log", lines: "-20" });
  expect(textOf(read)).toContain("info request 199999 ");
});

job("find the errors in the logs", async (call) => {
  const found = await call("grep_objects", { bucket_name, prefix: "logs/", pattern: "ERROR" });
  expect(factsOf(found)["lines"]).toMatchObject([
    { key: "logs/big.log", line: 123_457, text: "ERROR disk is full" },
    { key: "logs/old.log.gz", line: 2 },
  ]);
});

job("copy a folder of 500 to another bucket", async (call) => {
  const args = {
    source_bucket: "data",
    prefix: "folder/",
    bucket_name: "other",
    to_prefix: "copy/",
  };
  expect(factsOf(await call("copy_objects", args))).toMatchObject({ copied: FOLDER });
});

job("store a CSV that was made", async (call) => {
  await call("put_object", { bucket_name, object_key: "made.csv", content: "a,b\n1,2\n" });
});

job("compare two folders", async (call) => {
  await mcp.bucket("other").write("copy/7.txt", Buffer.from("changed"));
  await mcp.bucket("other").remove([{ key: "copy/8.txt" }]);
  const compared = await call("compare", {
    source_bucket: "data",
    source_prefix: "folder/",
    bucket_name: "other",
    prefix: "copy/",
  });
  expect(factsOf(compared)).toMatchObject({ only_source: 1, different: 1, same: FOLDER - 2 });
});

job("make a link to share", async (call) => {
  const shared = await call("presign_url", {
    bucket_name,
    object_key: "made.csv",
    expires_in: 600,
  });
  expect(factsOf(shared)["url"]).toMatch(/^http/);
});

job("bring back what was deleted", async (call) => {
  await call("undelete_object", { bucket_name: "kept", object_key: "report.txt" });
  const read = await call("get_object", { bucket_name: "kept", object_key: "report.txt" });
  expect(textOf(read)).toContain("the report");
});

job("tell the sizes of the folders", async (call) => {
  const info = await call("bucket_info", { bucket_name, prefix: "many/", group_by: "/" });
  expect(factsOf(info)["groups"]).toHaveLength(8);
});

job("move 500 objects, with one question", async (call) => {
  questions.length = 0;
  const moved = await call("copy_objects", {
    source_bucket: "data",
    prefix: "folder/",
    bucket_name: "data",
    to_prefix: "archive/2026/",
    move: true,
  });
  expect(factsOf(moved)).toMatchObject({ moved: FOLDER });
  expect(questions).toHaveLength(1);
});

job("download a folder", async (call) => {
  const args = { direction: "down", local_dir: "got", bucket_name, prefix: "archive/2026/" };
  expect(factsOf(await call("transfer_folder", args))).toMatchObject({ downloaded: FOLDER });
  expect(readFileSync(join(mcp.directory, "got/499.txt"), "utf8")).toBe("file 499");
});

job("tell what has changed since yesterday", async (call) => {
  const args = { bucket_name, prefix: "logs/", modified_after: "1d" };
  expect(factsOf(await call("search_objects", args))).toMatchObject({ found: 2 });
});

job("look at a table, a picture and packed text", async (call) => {
  const head = await call("get_object", { bucket_name, object_key: "table.csv", lines: "1-10" });
  expect(textOf(head)).toContain("a;b\n1;2");
  const picture = await call("get_object", { bucket_name, object_key: "p.png" });
  expect(picture.content[1]).toMatchObject({ type: "image" });
  const packed = await call("get_object", { bucket_name, object_key: "doc.txt.gz" });
  expect(textOf(packed)).toContain("packed text");
});

job("upload a folder and undo it", async (call) => {
  writeFileSync(join(mcp.directory, "note.txt"), "note");
  const up = await call("transfer_folder", {
    direction: "up",
    local_dir: "got",
    bucket_name: "other",
  });
  expect(factsOf(up)).toMatchObject({ uploaded: FOLDER });
  const undone = await call("undo_changes", { undo: [factsOf(up)["undo"]] });
  expect(factsOf(undone)).toMatchObject({ undone: FOLDER, not_undone: 0 });
});
