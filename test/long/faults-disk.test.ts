/** A disk that fills up under a download. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, type TestContext } from "vitest";

import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom } from "../support/bucket.js";
import { useFaults } from "../support/faults.js";
import { mountSmallDisk, NO_SMALL_DISK } from "../support/small-disk.js";

const faults = useFaults();
const DISK_KIB = 20 * 1024;
const MIDDLE = pseudoRandom(3 * MIB, 4);

let disk: string;
let unmount: (() => void) | undefined;
beforeEach(async () => {
  disk = join(mkdtempSync(join(tmpdir(), "pail-disk-")), "disk");
  unmount = mountSmallDisk(disk, DISK_KIB);
  if (unmount === undefined) return;
  await faults.bucket.fill();
  await faults.bucket.straight.write("middle", MIDDLE);
});
afterEach(() => {
  unmount?.();
  rmSync(dirname(disk), { recursive: true });
});

/** Fills the disk, except for so many KiB. */
function occupy(context: TestContext, leaving: number): void {
  if (unmount === undefined) return context.skip(NO_SMALL_DISK);
  writeFileSync(join(disk, "filler"), Buffer.alloc((DISK_KIB - leaving) * 1024));
}

describe("a full disk", () => {
  it.for([
    ["small", 100, []],
    ["middle", 1_000, []],
    ["large", 9_000, ["--part-size", "5MiB"]],
  ] as const)("under %s is reported, and nothing is left", async ([key, room, flags], context) => {
    occupy(context, room);
    const { bucket, pail } = faults;
    const target = join(disk, key);
    const args = ["cp", `t/${bucket.name}/${key}`, target, ...flags];
    const result = await pail(args);
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).toContain(`cannot write ${target}: no space left on the disk`);
    expect(readdirSync(disk)).toEqual(["filler"]);

    rmSync(join(disk, "filler"));
    expect(await pail(args)).toMatchObject({ code: 0 });
    expect(readFileSync(target).equals(await bucket.get(key))).toBe(true);
    expect(readdirSync(disk)).toEqual([key]);
  });

  it("under one of many ends the run, which keeps what it has", async (context) => {
    occupy(context, 1_000);
    const { bucket, pail } = faults;
    for (let i = 0; i < 9; i += 1) await bucket.straight.write(`many/${i}`, bucket.small);
    const args = ["cp", "-r", `t/${bucket.name}/many`, `${disk}/`, "--concurrency", "1"];
    const result = await pail(args);
    expect(result).toMatchObject({ code: 6 });
    expect(result.stderr).toMatch(/cannot write .*disk\/many\/\d: no space left on the disk/);
    const came = readdirSync(join(disk, "many"));
    expect(came.length).toBeGreaterThan(0);
    for (const name of came) {
      expect(readFileSync(join(disk, "many", name)).equals(bucket.small)).toBe(true);
    }
    rmSync(join(disk, "filler"));
    expect(await pail(args)).toMatchObject({ code: 0 });
    expect(readdirSync(join(disk, "many"))).toHaveLength(9);
  });

  it("under the records of a run prevents resuming, but not the transfer", async (context) => {
    occupy(context, 0);
    const { bucket, pail, home } = faults;
    const args = ["cp", `t/${bucket.name}/large`, join(home.directory, "out"), "--part-size=5MiB"];
    expect(await pail(args, { PAIL_STATE_DIR: disk })).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.directory, "out")).equals(bucket.large)).toBe(true);
  });
});
