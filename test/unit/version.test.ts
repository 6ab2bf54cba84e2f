/** One version: every file that names pail's own names that of package.json. */
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { VERSION } from "../../src/version.js";

test.each([
  ["package-lock.json", /"name": "pail-cli",\s+"version": "([^"]+)"/g, 2],
  ["oclif.manifest.json", /"version": "(\d[^"]+)"/g, 1],
  ["server.json", /"version": "([^"]+)"/g, 2],
  ["docs/engines/kubernetes.yaml", /image: pail:(\S+)/g, 1],
])("%s has the version of package.json", (file, pattern, count) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const versions = Array.from(text.matchAll(pattern), ([, version]) => version);
  expect(versions).toEqual(Array.from({ length: count }, () => VERSION));
});
