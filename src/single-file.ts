/**
 * How the single executable starts: the part of bin/run.js that is not about V8's code cache. It
 * runs on Bun, which compiles ahead of time; scripts/single-file.mjs builds it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import manifest from "../oclif.manifest.json" with { type: "json" };
import description from "../package.json" with { type: "json" };
import { setProgramFolder } from "./cli/program-folder.js";
import { type CommandTable, main } from "./main.js";
import { PROGRAM } from "./version.js";

/** Runs pail to its end, and ends the process. */
export async function start(commands: CommandTable): Promise<void> {
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  process.env["NODE_ENV"] ??= "production";
  // As a link's name is in Node; here it is the name inside the executable.
  process.argv[1] = process.argv0;
  const argv = process.argv.slice(2);
  if (argv[0] === "--version" || argv[0] === "-v") {
    process.stdout.write(`${PROGRAM}\n`);
    return;
  }
  setProgramFolder(layDown);
  await main(argv, commands);
  // Handles still open by then (a kept connection, a stdin nobody reads) are of no more use.
  process.stdout.write("", () => process.exit());
}

/** Help and completion read the manifest from files: for this process they lie in a folder. */
function layDown(): string {
  const folder = mkdtempSync(join(tmpdir(), "pail-manifest-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify(description));
  writeFileSync(join(folder, "oclif.manifest.json"), JSON.stringify(manifest));
  return folder;
}
