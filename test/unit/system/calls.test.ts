import { join } from "node:path";
import { tmpdir } from "node:os";
import { beforeEach, describe, expect, it } from "vitest";
import { pool, quick, rename, unlink } from "../../../src/system/calls.js";

beforeEach(() => {
  pool.until = 0;
});

describe("calls that change a name", () => {
  it("are made directly while they are quick, and in the thread pool for a while after a slow one", async () => {
    let takes = 0;
    const call = quick(
      () => {
        const end = performance.now() + takes;
        while (performance.now() < end);
        return "at once";
      },
      () => Promise.resolve("waited"),
    );
    expect([await call(), await call()]).toEqual(["at once", "at once"]);
    takes = 60;
    const began = performance.now();
    expect(await call()).toBe("at once");
    // Not less than fifty times what the slow one took.
    expect(pool.until - began).toBeGreaterThan(50 * takes);
    expect(await call()).toBe("waited");
    pool.until = performance.now();
    takes = 0;
    expect(await call()).toBe("at once");
  });

  it("fail the same either way", async () => {
    const missing = join(tmpdir(), "pail-missing");
    for (const until of [0, Infinity]) {
      for (const call of [() => unlink(missing), () => rename(missing, missing)]) {
        pool.until = until;
        await expect(call()).rejects.toMatchObject({ code: "ENOENT", path: missing });
      }
    }
  });
});
