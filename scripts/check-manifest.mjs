/** Fails when oclif.manifest.json is not what the commands would generate now. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const before = readFileSync("oclif.manifest.json", "utf8");
execFileSync("npx", ["oclif", "manifest"], { stdio: ["ignore", "ignore", "inherit"] });
const after = readFileSync("oclif.manifest.json", "utf8");
writeFileSync("oclif.manifest.json", before);
if (canonical(before) !== canonical(after)) {
  console.error(
    "oclif.manifest.json is stale: run `npm run build && npm run manifest` and commit it",
  );
  process.exit(1);
}

/** Commands come in the order in which the disk happens to list their files. */
function canonical(text) {
  const { commands, ...rest } = JSON.parse(text);
  const sorted = Object.entries(commands).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([rest, sorted]);
}
