import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the quickstart does the main job and leaves nothing behind", () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("pail-quickstart-"));
  const before = left();
  const output = execFileSync(process.execPath, ["scripts/quickstart.mjs"], {
    cwd: root,
    stdio: "pipe",
  }).toString();
  for (const step of ["mb", "cp", "cp -r", "ls -r", "rm -r", "rb"]) {
    expect(output).toContain(`$ pail ${step} `);
  }
  expect(output).toMatch(/README\.md and copy\.md are the same \d+ bytes/);
  expect(output).toMatch(/everything that went in came back, byte for byte\n$/);
  expect(left()).toEqual(before);
});
