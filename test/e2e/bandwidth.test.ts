/**
 * Bandwidth limits. A machine may be slower than a limit, but never faster: only that is asserted.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import type { CopyRequest } from "../../src/core/operations/types.js";
import { pseudoRandom } from "../support/bucket.js";
import { useFaults } from "../support/faults.js";

/**
 * Less than the second that each copy here must take: bursts, and timers that are a little early.
 */
const SURELY = 900;

const faults = useFaults();
beforeEach(async () => {
  const { bucket } = faults;
  mkdirSync(join(bucket.root, "many"));
  for (let i = 0; i < 8; i += 1) {
    const content = pseudoRandom(MIB / 8, i);
    writeFileSync(join(bucket.root, "many", `${i}`), content);
    await bucket.straight.write(`many/${i}`, content);
  }
  await bucket.fill();
});

async function elapsed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

it("are kept by one object, by its parts together, and by many objects together", async () => {
  const { bucket } = faults;
  const run = async (request: CopyRequest) => {
    expect((await copy(request)).failures).toEqual([]);
  };
  const many = { recursive: true, concurrency: 8 };
  const [limitUpload, limitDownload] = [MIB, MIB];
  const large = bucket.large.length;
  const times = await Promise.all(
    [
      bucket.upload("small", { limitUpload: bucket.small.length }),
      bucket.upload("large", { limitUpload: large }),
      run({ sources: [bucket.local("many")], target: bucket.place("up/"), ...many, limitUpload }),
      bucket.download("small", {
        target: bucket.local("files/small"),
        limitDownload: bucket.small.length,
      }),
      bucket.download("large", { target: bucket.local("files/large"), limitDownload: large }),
      run({
        sources: [bucket.place("many")],
        target: bucket.local("files/"),
        ...many,
        limitDownload,
      }),
    ].map(elapsed),
  );
  for (const time of times) expect(time).toBeGreaterThan(SURELY);
  expect(bucket.read("large").equals(bucket.large)).toBe(true);
  expect((await bucket.get("large")).equals(bucket.large)).toBe(true);
});

it("are kept at every moment of an upload", async () => {
  const { bucket } = faults;
  const rate = bucket.large.length;
  const start = performance.now();
  let sent = 0;
  let most = 0;
  const { failures } = await bucket.upload("large", {
    limitUpload: rate,
    onEvent: (event) => {
      if (event.type !== "bytes") return;
      sent += event.count;
      const seconds = (performance.now() - start) / 1000;
      most = Math.max(most, sent - seconds * rate);
    },
  });
  expect(failures).toEqual([]);
  // A burst of a twentieth of a second, and timers that are a little early.
  expect(most).toBeLessThan(rate * 0.06);
});

it("are taken from the command line", async () => {
  const { bucket, pail, home } = faults;
  const from = join(bucket.root, "many");
  const [up, down] = await Promise.all([
    elapsed(pail(["cp", "-r", from, `t/${bucket.name}/cli/`, "--limit-upload", "1MiB"])),
    elapsed(
      pail(["cp", "-r", `t/${bucket.name}/many`, home.directory, "--limit-download", "1MiB"]),
    ),
  ]);
  expect(up).toBeGreaterThan(SURELY);
  expect(down).toBeGreaterThan(SURELY);
  expect((await bucket.keys()).filter((key) => key.startsWith("cli/many/"))).toHaveLength(8);
});
