/** Fails when oclif.manifest.json is not what the commands would generate now. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const before = readFileSync("oclif.manifest.json", "utf8");
execFileSync("npx", ["oclif", "manifest"], { stdio: ["ignore", "ignore", "inherit"] });
const after = readFileSync("oclif.manifest.json", "utf8");
// oclif writes the commands in the order it happens to find them.
writeFileSync("oclif.manifest.json", before);
if (!isDeepStrictEqual(JSON.parse(before), JSON.parse(after))) {
  console.error(
    "oclif.manifest.json is stale: run `npm run build && npm run manifest` and commit it",
  );
  process.exit(1);
}
