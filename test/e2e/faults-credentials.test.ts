/** Credentials that end in the middle: the run stops, says what is left, and can be continued. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { useFaults } from "../support/faults.js";
import { DELETE_BATCH } from "../support/faulty-bucket.js";

const faults = useFaults();
const EXPIRED = { type: "refuse", status: 400, code: "ExpiredToken" } as const;

it("an upload in parts", async () => {
  const { proxy, bucket, pail } = faults;
  proxy.inject({ on: /partNumber=4/, does: EXPIRED });
  const target = `t/${bucket.name}/large`;
  const args = ["cp", join(bucket.root, "large"), target, "--part-size", "5MiB"];
  const result = await pail(args);
  expect(result).toMatchObject({ code: 4, stdout: "" });
  const [left] = await bucket.uploads();
  expect(result.stderr).toContain(`an unfinished upload was left: ${target} (${left})`);
  expect(result.stderr).toContain(`pail uploads abort ${target}`);
  expect(await bucket.keys()).toEqual([]);

  proxy.heal();
  const again = await pail(args);
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(/resumed .*large after /);
  expect((await bucket.get("large")).equals(bucket.large)).toBe(true);
  expect(await bucket.uploads()).toEqual([]);
});

it("a download in ranges", async () => {
  const { proxy, bucket, home, pail } = faults;
  await bucket.fill();
  proxy.inject({ on: /bytes=15728640-/, does: EXPIRED });
  const files = join(home.directory, "files");
  mkdirSync(files);
  const args = ["cp", `t/${bucket.name}/large`, `${files}/`, "--part-size", "5MiB"];
  const result = await pail(args);
  expect(result).toMatchObject({ code: 4, stdout: "" });
  const [left, ...more] = readdirSync(files);
  expect(more).toEqual([]);
  expect(left).toMatch(/^\.pail-.*\.partial$/);
  expect(result.stderr).toContain(`a partial file was left: ${join(files, left!)}`);

  proxy.heal();
  const again = await pail(args);
  expect(again.code).toBe(0);
  expect(again.stderr).toMatch(/resumed .*large after /);
  expect(readFileSync(join(files, "large")).equals(bucket.large)).toBe(true);
  expect(readdirSync(files)).toEqual(["large"]);
});

it("a download of one piece", async () => {
  const { proxy, bucket } = faults;
  await bucket.fill();
  // The body breaks off, and the rest of it is refused.
  proxy.inject({ on: /small $/, times: 1, does: { type: "reset-response", bytes: 50_000 } });
  proxy.inject({ on: /small bytes=/, does: EXPIRED });
  await expect(bucket.download("small")).rejects.toMatchObject({ code: "ExpiredToken" });
  expect(bucket.files()).toEqual([]);
  proxy.heal();
  expect((await bucket.download("small")).failures).toEqual([]);
  expect(bucket.read("out").equals(bucket.small)).toBe(true);
});

it("a removal", async () => {
  const { proxy, bucket, pail } = faults;
  for (const key of ["k/1", "k/2"]) await bucket.straight.write(key, Buffer.from("x"));
  proxy.inject({ on: DELETE_BATCH, does: EXPIRED });
  const args = ["rm", "-r", "--force", `t/${bucket.name}/k/`];
  expect(await pail(args)).toMatchObject({ code: 4, stdout: "" });
  expect(await bucket.keys()).toEqual(["k/1", "k/2"]);
  proxy.heal();
  expect(await pail(args)).toMatchObject({ code: 0 });
  expect(await bucket.keys()).toEqual([]);
});
