/**
 * The main job, for real, on a fresh clone: `npm run quickstart`. Makes a bucket on the embedded
 * store, copies files in, lists them, reads them back, compares every byte, removes everything.
 * Prints each command as it would be typed, and its output. Works only in a temporary directory,
 * which it removes.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "pail-quickstart-"));
const env = {
  ...process.env,
  PAIL_CONFIG_DIR: join(scratch, ".config"),
  PAIL_STORE_DIR: join(scratch, ".store"),
  PAIL_STATE_DIR: join(scratch, ".state"),
};

class Failure extends Error {}

try {
  prepare();
  pail("mb local/demo");
  pail("cp README.md local/demo");
  pail("cp -r docs local/demo");
  pail("ls -r --summarize local/demo");
  pail("stat local/demo/README.md");
  pail("cp local/demo/README.md copy.md");
  pail("cp -r local/demo/docs/ docs-copy");
  compare("README.md", "copy.md");
  compareTrees("docs", "docs-copy");
  pail("rm -r --force local/demo/docs");
  pail("rb --force local/demo");
  pail("ls local");
  console.log("\nquickstart: everything that went in came back, byte for byte");
} catch (error) {
  console.error(`\nquickstart FAILED: ${error instanceof Failure ? error.message : error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Real files to work on: this package's own. */
function prepare() {
  writeFileSync(join(scratch, "README.md"), readFileSync(join(root, "README.md")));
  mkdirSync(join(scratch, "docs"));
  const files = readdirSync(join(root, "docs"), { withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    writeFileSync(join(scratch, "docs", file.name), readFileSync(join(root, "docs", file.name)));
  }
}

function pail(line) {
  console.log(`\n$ pail ${line}`);
  const { status, signal } = spawnSync(
    process.execPath,
    [join(root, "bin", "run.js"), ...line.split(" ")],
    { cwd: scratch, env, stdio: ["ignore", "inherit", "inherit"] },
  );
  if (status !== 0) throw new Failure(`pail ${line} ended with ${signal ?? status}`);
}

function compare(one, other) {
  const [before, after] = [one, other].map((name) => readFileSync(join(scratch, name)));
  if (!before.equals(after)) throw new Failure(`${other} differs from ${one}`);
  console.log(`\n${one} and ${other} are the same ${before.length} bytes`);
}

function compareTrees(one, other) {
  const [before, after] = [one, other].map((name) => namesBelow(join(scratch, name)));
  if (before.join() !== after.join()) throw new Failure(`${other} has not the files of ${one}`);
  for (const name of before) compare(`${one}/${name}`, `${other}/${name}`);
}

function namesBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}
