import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { claimRecord } from "../../../../src/core/transfer/resume.js";

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "pail-resume-"));
});
afterEach(() => {
  chmodSync(state, 0o700);
  rmSync(state, { recursive: true, force: true, maxRetries: 5 });
});

const identity = ["upload", "/a", "http://h/", "b", "k"];
const files = () => readdirSync(join(state, "transfers"));

/** As if the process that made the records had been killed. */
function orphanRecords() {
  const dead = Number(execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }));
  for (const file of files()) {
    const path = join(state, "transfers", file);
    renameSync(path, path.replace(/\d+$/, String(dead)));
  }
}

describe("a resume record", () => {
  it("tells a later run what an earlier one had begun and done", async () => {
    const first = await claimRecord(state, identity);
    first?.begin({ uploadId: "u" });
    first?.add("1 2");
    first?.add("3 4");
    first?.keep();
    orphanRecords();
    const second = await claimRecord(state, identity);
    expect(second?.left).toEqual({ head: { uploadId: "u" }, lines: ["1 2", "3 4"] });
  });

  it("is for one transfer: another source or target has its own", async () => {
    const first = await claimRecord(state, identity);
    first?.begin({ uploadId: "u" });
    first?.keep();
    const other = await claimRecord(state, [...identity.slice(0, -1), "other"]);
    expect(other?.left).toBeUndefined();
  });

  it("is not shared by two transfers at once", async () => {
    const first = await claimRecord(state, identity);
    expect(await claimRecord(state, identity)).toBeUndefined();
    first?.keep();
    expect(await claimRecord(state, identity)).toBeDefined();
  });

  it("is left alone while the process that made it lives", async () => {
    const first = await claimRecord(state, identity);
    first?.begin({ uploadId: "u" });
    first?.keep();
    for (const file of files()) {
      const path = join(state, "transfers", file);
      renameSync(path, path.replace(/\d+$/, String(process.ppid)));
    }
    expect(await claimRecord(state, identity)).toBeUndefined();
  });

  it("leaves nothing when the transfer is over", async () => {
    const record = await claimRecord(state, identity);
    record?.begin({});
    await record?.remove();
    expect(files()).toEqual([]);
  });

  it("can be read only by its owner", async () => {
    const record = await claimRecord(state, identity);
    record?.begin({});
    const [file] = files();
    expect(statSync(join(state, "transfers", file!)).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, "transfers")).mode & 0o777).toBe(0o700);
    record?.keep();
  });

  it("ignores a line that was cut off, and a head that is no JSON", async () => {
    const record = await claimRecord(state, identity);
    record?.begin({ a: 1 });
    record?.add("1 2");
    const path = join(state, "transfers", files()[0]!);
    const { appendFileSync, writeFileSync } = await import("node:fs");
    appendFileSync(path, "3 4");
    record?.keep();
    orphanRecords();
    const again = await claimRecord(state, identity);
    expect(again?.left?.lines).toEqual(["1 2"]);
    writeFileSync(path, "{ nonsense\n");
    again?.keep();
    orphanRecords();
    expect((await claimRecord(state, identity))?.left).toBeUndefined();
  });

  it("is not written where no state is kept", async () => {
    expect(await claimRecord(undefined, identity)).toBeUndefined();
  });
});
