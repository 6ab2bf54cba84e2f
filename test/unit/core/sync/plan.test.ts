import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type PlanItem, readPlan, writePlan } from "../../../../src/core/sync/plan.js";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-plan-"));
  path = join(directory, "plan");
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const HEADER = { pail: "plan", version: 1, source: "a", target: "b/c", made: "now" } as const;
const ITEMS: PlanItem[] = [
  { do: "copy", name: "new\nline", reason: "new", source: { size: 1, etag: "x" } },
  { do: "remove", name: "old", reason: "extra", target: { size: 2, etag: "y" } },
];

function write(items: readonly PlanItem[] = ITEMS) {
  const plan = writePlan(path, HEADER);
  for (const item of items) plan.add(item);
  plan.end();
}

describe("a plan", () => {
  it("is read as it was written, and only its owner can read it", () => {
    write();
    const plan = readPlan(path);
    expect(plan.header).toEqual(HEADER);
    expect([...plan.items()]).toEqual(ITEMS);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("does not replace an existing file", () => {
    writeFileSync(path, "mine");
    expect(() => writePlan(path, HEADER)).toThrow("exists already");
    expect(readFileSync(path, "utf8")).toBe("mine");
  });

  it("is refused wherever it was cut off", () => {
    write();
    const whole = readFileSync(path, "utf8");
    for (let length = 0; length < whole.length - 1; length++) {
      writeFileSync(path, whole.slice(0, length));
      expect(() => readPlan(path)).toThrow(expect.objectContaining({ code: "NotAPlan" }));
    }
  });

  it("is refused when a line is damaged, missing or foreign", () => {
    write();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const wrong = [
      lines.toSpliced(1, 1),
      lines.toSpliced(1, 1, "{}"),
      lines.toSpliced(1, 1, '{"do":"remove","name":"x","target":{"size":1}}'),
      lines.toSpliced(0, 1, '{"pail":"plan","version":2}'),
      lines.toSpliced(0, 1, '{"pail":"report"}'),
      [...lines, lines[1]!],
    ];
    for (const one of wrong) {
      writeFileSync(path, `${one.join("\n")}\n`);
      expect(() => readPlan(path)).toThrow(expect.objectContaining({ code: "NotAPlan" }));
    }
  });
});
