#!/usr/bin/env node
"use strict";
// Starts pail: sets process-level policy, then runs dist/main.cjs from V8's code cache.
//
// Compiling the program is most of what a short command costs, so the compiled code is kept in the
// user's cache directory (PAIL_CACHE_DIR overrides; empty turns it off), made by the first run of
// each command. CommonJS, because the module loader for ES modules costs 5 ms by itself.
const fs = require("node:fs");
const path = require("node:path");

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
process.env.NODE_ENV ??= "production";

// What takes longer collects old garbage at twice what is in use, not at four times: a fifth less
// memory at the peak of a long copy, for up to a tenth more CPU.
const EARLY_COLLECTION = "--heap-growing-percent=100";
// Young garbage grows to half of what V8 allows: 20 MiB less for a long listing, in the same time.
const NO_GROWTH = "--semi-space-growth-factor=1";
const YOUNG_BYTES = 15 * 1024 * 1024;
const USUAL_COLLECTION = "--heap-growing-percent=0 --semi-space-growth-factor=2";
let collection = USUAL_COLLECTION;

// Whatever signs a request loads node:crypto anyway, and processors know SHA-1.
const checksumOf = (data) => require("node:crypto").hash("sha1", data, "buffer");
const CHECKSUM_BYTES = 20;
const dist = path.join(__dirname, "..", "dist");
const args = process.argv.slice(2);

if (args[0] === "--version" || args[0] === "-v") {
  const { version } = require("../package.json");
  process.stdout.write(
    `pail/${version} ${process.platform}-${process.arch} node-${process.version}\n`,
  );
} else {
  main(args);
}

function main(argv) {
  setTimeout(collectEarly, 100).unref();
  // A cache holds what its first run compiled, so every command has its own.
  const command = /^[a-z]+$/.exec(argv.find((word) => !word.startsWith("-")) ?? "none")?.[0];
  const run = evaluate("main.cjs", command);
  // Whatever is still open by then (a kept connection, a stdin nobody reads) is of no more use.
  run(argv).then(() => process.stdout.write("", () => process.exit()));
}

/**
 * Sets the flags for a long run: the first now, the second once there is as much young garbage as there may
 * be. V8 takes it as a factor of what there is, so it is looked at, for the ten seconds in which it grows.
 */
function collectEarly() {
  use(EARLY_COLLECTION);
  let looks = 400;
  const looking = setInterval(() => {
    const spaces = require("node:v8").getHeapSpaceStatistics();
    const young = spaces.find((space) => space.space_name === "new_space");
    const isGrown = young.physical_space_size >= YOUNG_BYTES;
    if (isGrown) use(`${EARLY_COLLECTION} ${NO_GROWTH}`);
    looks -= 1;
    if (isGrown || looks === 0) clearInterval(looking);
  }, 25);
  looking.unref();
}

function use(flags) {
  collection = flags;
  setFlag(flags);
}

/** Runs a bundle, from the cache of that name if there is one; its exports. */
function evaluate(name, cacheName) {
  const file = path.join(dist, name);
  // Pure ASCII: read as UTF-8, it would be looked through first.
  const source = fs.readFileSync(file, "latin1");
  // The first line is a comment with the build's hash.
  const cache = cacheFile(cacheName, source.slice(2, 18));
  const cached = cache && readCache(cache);
  // V8 takes a cache only under the flags it was made under.
  setFlag(USUAL_COLLECTION);
  const script = new (require("node:vm").Script)(source, { filename: file, cachedData: cached });
  setFlag(collection);
  if (cache && (!cached || script.cachedDataRejected)) {
    process.once("exit", () => writeCache(cache, script));
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dist, load);
  return module.exports;
}

/** What a bundle's import() becomes: its own files from dist, packages from node_modules. */
async function load(name) {
  if (name.endsWith(".cjs")) return evaluate(name.slice(2), `${name.slice(2, -4)}-part`);
  if (!name.endsWith(".mjs")) return require(name);
  return await import(require("node:url").pathToFileURL(path.join(dist, name)).href);
}

function cacheFile(name, build) {
  const directory = process.env.PAIL_CACHE_DIR ?? defaultCacheDirectory();
  if (directory === "" || name === undefined) return undefined;
  return path.join(directory, `${name}-${process.version}-${process.arch}-${build}.v8`);
}

function defaultCacheDirectory() {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  if (process.platform === "win32")
    return LOCALAPPDATA ? path.join(LOCALAPPDATA, "pail", "cache") : "";
  if (process.platform === "darwin")
    return path.join(require("node:os").homedir(), "Library", "Caches", "pail");
  return path.join(XDG_CACHE_HOME || path.join(require("node:os").homedir(), ".cache"), "pail");
}

function setFlag(flag) {
  require("node:v8").setFlagsFromString(flag);
}

/** V8 runs what the file holds, so it is trusted only when nobody else could have written it. */
function readCache(file) {
  let opened;
  try {
    if (!isOurs(fs.statSync(path.dirname(file)))) return undefined;
    opened = fs.openSync(file, "r");
    return isOurs(fs.fstatSync(opened)) ? intact(fs.readFileSync(opened)) : undefined;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

/** What a cache file holds before its checksum; undefined for one that a disk or a power cut changed. */
function intact(bytes) {
  // V8 believes the code it is given, and crashes on one wrong bit in it.
  const end = bytes.length - CHECKSUM_BYTES;
  if (end <= 0) return undefined;
  const data = bytes.subarray(0, end);
  return checksumOf(data).equals(bytes.subarray(end)) ? data : undefined;
}

/** Whether only this user can change a file, or what is in a directory. */
function isOurs({ uid, mode }) {
  return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** Best effort: without a cache the next start is only slower. Replaces what older builds left. */
function writeCache(file, script) {
  const USAGE = 2; // A mistyped command is not worth a file.
  if (process.exitCode === USAGE) return;
  setFlag(USUAL_COLLECTION);
  const directory = path.dirname(file);
  const name = path.basename(file);
  const sameCommand = name.slice(0, name.lastIndexOf("-") + 1);
  const temporary = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (!isOurs(fs.statSync(directory))) return;
    const data = script.createCachedData();
    try {
      fs.writeFileSync(temporary, Buffer.concat([data, checksumOf(data)]), {
        mode: 0o600,
        flag: "wx",
      });
      fs.renameSync(temporary, file);
    } catch (error) {
      // A full disk keeps no half of it.
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    for (const other of fs.readdirSync(directory)) {
      if (other.startsWith(sameCommand) && other !== name) fs.rmSync(path.join(directory, other));
    }
  } catch {}
}
