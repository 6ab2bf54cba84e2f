/** `serve check` and `serve repair` on a store whose files were changed on the disk. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
let store: string;

beforeEach(async () => {
  home = createHome({ here: true });
  store = join(home.directory, "store");
  home.env["PAIL_STORE_DIR"] = store;
  await home.pail(["mb", "local/bucket"]);
  writeFileSync(join(home.directory, "large"), Buffer.alloc(200_000, "large "));
  writeFileSync(join(home.directory, "parts"), Buffer.alloc(6 * 1024 * 1024, "parts "));
  writeFileSync(join(home.directory, "small"), "small");
  writeFileSync(join(home.directory, "empty"), "");
  for (const name of ["large", "small", "empty"]) {
    expect(await home.pail(["cp", name, "local/bucket"])).toMatchObject({ code: 0 });
  }
  const tuning = ["--part-size", "5MiB"];
  expect(await home.pail(["cp", ...tuning, "parts", "local/bucket"])).toMatchObject({ code: 0 });
});
afterEach(() => home.remove());

/** The files of the blobs, by their size. */
function blobs(): Map<number, string> {
  const root = join(store, "blobs");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) =>
    join(root, name),
  );
  return new Map(found.map((path) => [statSync(path).size, path]));
}

const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[bytes.length - 1]! ^= 1;
  rmSync(path);
  writeFileSync(path, bytes);
};

it("finds nothing in a sound store", async () => {
  const { code, stdout } = await home.pail(["serve", "check"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^4 objects, .*: all as they were stored/);
});

it("finds bytes that were changed, wherever they are, and leaves them", async () => {
  flip(blobs().get(200_000)!);
  flip(blobs().get(1024 * 1024)!);
  flip(join(store, "buckets/bucket+/objects/small="));
  for (const command of ["check", "repair"]) {
    const { code, stdout } = await home.pail(["serve", command]);
    expect(code).toBe(7);
    expect(stdout.split("\n").filter((line) => line.endsWith(": bytes changed"))).toEqual([
      "local/bucket/large: bytes changed",
      "local/bucket/parts: bytes changed",
      "local/bucket/small: bytes changed",
    ]);
  }
});

it("finds missing bytes, and repair removes their objects so that the rest is sound", async () => {
  rmSync(blobs().get(200_000)!);
  writeFileSync(join(store, "buckets/bucket+/objects/small="), "garbage");
  const checked = await home.pail(["serve", "check", "--json"]);
  expect(checked.code).toBe(7);
  const faults = checked.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; key?: string; fault?: string })
    .filter(({ type }) => type === "fault");
  expect(faults.map(({ key, fault }) => [key, fault])).toEqual([
    ["large", "bytes missing"],
    ["small", "record damaged"],
  ]);
  expect(await home.pail(["serve", "repair", "--bucket", "bucket"])).toMatchObject({ code: 0 });
  expect(await home.pail(["serve", "check"])).toMatchObject({ code: 0 });
  expect(readdirSync(join(store, "damaged"))).toHaveLength(1);
  const { stdout } = await home.pail(["ls", "local/bucket"]);
  expect(stdout).toContain("parts");
  expect(stdout).not.toContain("large");
});
