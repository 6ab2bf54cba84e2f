import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { openAudit } from "../../../src/mcp/audit.js";
import { createRedactor } from "../../../src/mcp/redact.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-audit-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("has a line for each call, for its owner alone, without bodies and secrets", () => {
  const path = join(directory, "calls.jsonl");
  const audit = openAudit(path, createRedactor(["hunter2hunter2"]), () => 0);
  const call = { alias: "local", outcome: "done", ms: 5 };
  audit({
    ...call,
    tool: "put_object",
    args: { object_key: "a\nb", content: "private ü", token: "hunter2hunter2" },
    undo: "x-1",
    answers: ["yes"],
  });
  audit({
    ...call,
    tool: "list_objects",
    args: { prefix: "p".repeat(5000) },
    outcome: "NoSuchBucket",
  });
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    {
      at: "1970-01-01T00:00:00.000Z",
      tool: "put_object",
      alias: "local",
      args: { object_key: "a\nb", content: "(10 bytes)", token: "[redacted]" },
      outcome: "done",
      undo: "x-1",
      answers: ["yes"],
      ms: 5,
    },
    expect.objectContaining({
      outcome: "NoSuchBucket",
      args: { prefix: `${"p".repeat(1024)}…` },
    }),
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() =>
    openAudit(
      join(directory, "no/where"),
      (text) => text,
      () => 0,
    ),
  ).toThrow(/ENOENT|no/);
});
