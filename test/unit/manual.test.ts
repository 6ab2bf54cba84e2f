/** The manual page is whole, and roff takes it. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

const manifest = JSON.parse(
  readFileSync(new URL("../../oclif.manifest.json", import.meta.url), "utf8"),
) as { commands: Record<string, { id: string; hidden?: boolean; flags: Record<string, object> }> };

/** The build's own. */
const page = readFileSync(new URL("../../dist/pail.1", import.meta.url), "utf8");

test("has every command and exit code", () => {
  for (const { id, hidden } of Object.values(manifest.commands)) {
    if (hidden !== true) expect(page).toContain(`.SS "pail ${id.replaceAll(":", " ")}`);
  }
  for (const heading of ["EXIT STATUS", "ENVIRONMENT", "SEE ALSO"]) {
    expect(page).toContain(`.SH ${heading}\n`);
  }
});

const has = existsSync("/usr/bin/groff");
if (!has) console.warn("skipped: there is no groff to read the manual page with");
test.skipIf(!has)("is read by groff without a warning", () => {
  const options = { input: page, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync("groff", ["-man", "-ww", "-Tascii"], options);
  expect(stderr).toBe("");
  expect(stdout).toContain("pail find");
});
