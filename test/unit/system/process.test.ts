import { spawnSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import { fateOfProcess, isAlive, ownIdentity } from "../../../src/system/process.js";

const ended = spawnSync(process.execPath, ["-e", "0"]).pid;

describe("the fate of a process", () => {
  const own = ownIdentity();

  it("is alive while it runs, and dead once it has ended", () => {
    expect(fateOfProcess({ ...own, pid: ended })).toBe("dead");
    expect(fateOfProcess(own)).toBe(own.start === "" ? "unknown" : "alive");
    expect([isAlive(process.pid), isAlive(ended)]).toEqual([true, false]);
  });

  it.skipIf(own.start === "")("is dead when another process has its number now", () => {
    expect(fateOfProcess({ ...own, start: "boot 1" })).toBe("dead");
  });

  it("is unknown on another machine, and where the start time is unknown", () => {
    expect(fateOfProcess({ ...own, pid: ended, place: "elsewhere" })).toBe("unknown");
    expect(fateOfProcess({ ...own, start: "" })).toBe("unknown");
  });
});
