/**
 * How each client spells the same work. A missing verb means that the client has none. Every client
 * signs with the same key against the same endpoints; nothing is read from the user's own
 * configuration. Each has its defaults, except where a comment says why not.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const KEY = "benchmarkkey";
export const SECRET = "benchmarksecret";
const OBSTORE = fileURLToPath(new URL("rust-library.py", import.meta.url));
const PAIL = fileURLToPath(new URL("../bin/run.js", import.meta.url));

/**
 * All clients, pail first, each with its version unless it is not installed. The endpoints are
 * `http://host:port`; `relay` copies from the first to the other. With `program`, the single
 * executable, that is pail, and the one on Node is another client.
 */
export function clients(endpoint, otherEndpoint, scratch, program) {
  const aws = {
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  };
  const places = { endpoint, otherEndpoint, scratch };
  const onNode = (name) => pail(name, process.execPath, [PAIL], places);
  const all = [
    ...(program === undefined
      ? [onNode("pail")]
      : [pail("pail", resolve(program), [], places), onNode("pail on Node")]),
    s5cmd(endpoint, aws),
    rclone(endpoint, otherEndpoint),
    rcloneAsItIs(endpoint, otherEndpoint),
    awsCli(endpoint, aws),
    mc(endpoint, otherEndpoint, scratch),
    juicefs(endpoint),
    obstore(endpoint),
  ];
  return all.map((client) => ({ ...client, versionText: versionOf(client) }));
}

/** `command` and `first` start it: Node and the program, or the executable alone. */
function pail(name, command, first, { endpoint, otherEndpoint, scratch }) {
  return {
    name,
    command,
    version: [...first, "--version"],
    env: {
      PAIL_HOST_bench: withKey(endpoint),
      PAIL_HOST_other: withKey(otherEndpoint),
      PAIL_CONFIG_DIR: `${scratch}/pail-config`,
      PAIL_STATE_DIR: `${scratch}/pail-state`,
      PAIL_STORE_DIR: `${scratch}/pail-store`,
    },
    makeBucket: (b, alias = "bench") => [...first, "mb", `${alias}/${b}`],
    ls: (b) => [...first, "ls", `bench/${b}`],
    lsr: (b) => [...first, "ls", "-r", `bench/${b}`],
    up: (from, b) => [...first, "cp", "-q", from, `bench/${b}`],
    down: (b, to) => [...first, "cp", "-q", `bench/${b}`, to],
    upAll: (dir, b) => [...first, "cp", "-q", "-r", `${dir}/`, `bench/${b}`],
    downAll: (b, dir) => [...first, "cp", "-q", "-r", `bench/${b}/`, dir],
    removeAll: (b) => [...first, "rm", "-q", "-r", "--force", `bench/${b}`],
    copy: (from, to) => [...first, "cp", "-q", `bench/${from}`, `bench/${to}`],
    relay: (from, to) => [...first, "cp", "-q", `bench/${from}`, `other/${to}`],
    syncUp: (dir, b, ...more) => [...first, "sync", "-q", ...more, dir, `bench/${b}`],
    syncDown: (b, dir, ...more) => [...first, "sync", "-q", ...more, `bench/${b}`, dir],
    syncWithin: (from, to) => [...first, "sync", "-q", `bench/${from}`, `bench/${to}`],
    removes: ["--delete"],
  };
}

function s5cmd(endpoint, aws) {
  return {
    name: "s5cmd",
    command: "s5cmd",
    version: ["version"],
    env: { ...aws, S3_ENDPOINT_URL: endpoint },
    ls: (b) => ["ls", `s3://${b}`],
    lsr: (b) => ["ls", `s3://${b}/*`],
    up: (from, b) => ["cp", from, `s3://${b}`],
    down: (b, to) => ["cp", `s3://${b}`, to],
    upAll: (dir, b) => ["cp", `${dir}/`, `s3://${b}/`],
    downAll: (b, dir) => ["cp", `s3://${b}/*`, `${dir}/`],
    removeAll: (b) => ["rm", `s3://${b}/*`],
    copy: (from, to) => ["cp", `s3://${from}`, `s3://${to}`],
    syncUp: (dir, b, ...more) => ["sync", ...more, `${dir}/`, `s3://${b}/`],
    syncDown: (b, dir, ...more) => ["sync", ...more, `s3://${b}/*`, `${dir}/`],
    syncWithin: (from, to) => ["sync", `s3://${from}/*`, `s3://${to}/`],
    removes: ["--delete"],
  };
}

// These numbers suit many small objects best: with the default, 4, it is slower.
const MANY = ["--transfers", "64", "--checkers", "64"];

function rclone(endpoint, otherEndpoint) {
  const remote = (name, url) => ({
    [`RCLONE_CONFIG_${name}_TYPE`]: "s3",
    [`RCLONE_CONFIG_${name}_PROVIDER`]: "Other",
    [`RCLONE_CONFIG_${name}_ENDPOINT`]: url,
    [`RCLONE_CONFIG_${name}_ACCESS_KEY_ID`]: KEY,
    [`RCLONE_CONFIG_${name}_SECRET_ACCESS_KEY`]: SECRET,
    [`RCLONE_CONFIG_${name}_REGION`]: "us-east-1",
  });
  // It must write over existing objects, as all others do, and not ask for them first.
  const always = "--no-check-dest";
  return {
    name: "rclone",
    command: "rclone",
    version: ["version"],
    env: {
      RCLONE_CONFIG: "/dev/null",
      ...remote("BENCH", endpoint),
      ...remote("OTHER", otherEndpoint),
      // Nobody else makes sure that the bucket is there.
      RCLONE_S3_NO_CHECK_BUCKET: "true",
    },
    ls: (b) => ["lsf", `bench:${b}`],
    lsr: (b) => ["lsf", "-R", "--files-only", `bench:${b}`],
    up: (from, b) => ["copyto", always, from, `bench:${b}`],
    down: (b, to) => ["copyto", always, `bench:${b}`, to],
    upAll: (dir, b) => ["copy", always, ...MANY, dir, `bench:${b}`],
    downAll: (b, dir) => ["copy", always, ...MANY, `bench:${b}`, dir],
    removeAll: (b) => ["delete", ...MANY, `bench:${b}`],
    copy: (from, to) => ["copyto", always, `bench:${from}`, `bench:${to}`],
    relay: (from, to) => ["copyto", always, `bench:${from}`, `other:${to}`],
    // Without removals it has another word for a sync.
    syncUp: (dir, b, ...more) => [more.length > 0 ? "sync" : "copy", ...MANY, dir, `bench:${b}`],
    syncDown: (b, dir, ...more) => [more.length > 0 ? "sync" : "copy", ...MANY, `bench:${b}`, dir],
    syncWithin: (from, to) => ["copy", ...MANY, `bench:${from}`, `bench:${to}`],
    removes: ["sync"],
  };
}

/** Four transfers at a time, where that makes a difference. */
function rcloneAsItIs(endpoint, otherEndpoint) {
  const { upAll, downAll, ...rest } = rclone(endpoint, otherEndpoint);
  const { command, version, env } = rest;
  const plain = (args) => args.filter((word) => !MANY.includes(word));
  return {
    name: "rclone, 4 at a time",
    command,
    version,
    env,
    upAll: (...words) => plain(upAll(...words)),
    downAll: (...words) => plain(downAll(...words)),
  };
}

function awsCli(endpoint, aws) {
  const s3 = (verb, ...rest) => ["--endpoint-url", endpoint, "s3", verb, ...rest];
  const cp = (...rest) => s3("cp", "--quiet", ...rest);
  return {
    name: "aws",
    command: "aws",
    version: ["--version"],
    env: aws,
    ls: (b) => s3("ls", `s3://${b}`),
    lsr: (b) => s3("ls", "--recursive", `s3://${b}/`),
    up: (from, b) => cp(from, `s3://${b}`),
    down: (b, to) => cp(`s3://${b}`, to),
    upAll: (dir, b) => cp("--recursive", dir, `s3://${b}`),
    downAll: (b, dir) => cp("--recursive", `s3://${b}`, dir),
    removeAll: (b) => s3("rm", "--quiet", "--recursive", `s3://${b}`),
    copy: (from, to) => cp(`s3://${from}`, `s3://${to}`),
    syncUp: (dir, b, ...more) => s3("sync", "--quiet", ...more, dir, `s3://${b}`),
    syncDown: (b, dir, ...more) => s3("sync", "--quiet", ...more, `s3://${b}`, dir),
    syncWithin: (from, to) => s3("sync", "--quiet", `s3://${from}`, `s3://${to}`),
    removes: ["--delete"],
  };
}

/** Only its sync; the rest of it is a file system. */
function juicefs(endpoint) {
  const place = (b) => `minio://${new URL(withKey(endpoint)).href.slice(7)}${b}/`;
  return {
    name: "juicefs",
    command: "juicefs",
    version: ["version"],
    env: {},
    syncUp: (dir, b, ...more) => ["sync", ...more, `${dir}/`, place(b)],
    syncDown: (b, dir, ...more) => ["sync", ...more, place(b), `${dir}/`],
    syncWithin: (from, to) => ["sync", place(from), place(to)],
    removes: ["--delete-dst"],
  };
}

/** A library in Rust, driven by a few lines of Python, as a floor. */
function obstore(endpoint) {
  const call = (...words) => [OBSTORE, endpoint, KEY, SECRET, ...words];
  return {
    name: "obstore (library)",
    command: "python3",
    version: ["-c", "import obstore; print('obstore', obstore.__version__)"],
    env: {},
    up: (from, b) => call("up", from, b),
    down: (b, to) => call("down", b, to),
    upAll: (dir, b) => call("up-all", dir, b),
    downAll: (b, dir) => call("down-all", b, dir),
  };
}

function mc(endpoint, otherEndpoint, scratch) {
  return {
    name: "mc",
    command: "mc",
    version: ["--version"],
    env: {
      MC_HOST_bench: withKey(endpoint),
      MC_HOST_other: withKey(otherEndpoint),
      MC_CONFIG_DIR: `${scratch}/mc`,
    },
    ls: (b) => ["ls", `bench/${b}`],
    lsr: (b) => ["ls", "-r", `bench/${b}`],
    up: (from, b) => ["cp", "-q", from, `bench/${b}`],
    down: (b, to) => ["cp", "-q", `bench/${b}`, to],
    upAll: (dir, b) => ["cp", "-q", "-r", `${dir}/`, `bench/${b}`],
    downAll: (b, dir) => ["cp", "-q", "-r", `bench/${b}/`, dir],
    removeAll: (b) => ["rm", "-q", "-r", "--force", `bench/${b}`],
    copy: (from, to) => ["cp", "-q", `bench/${from}`, `bench/${to}`],
    syncUp: (dir, b, ...more) => ["mirror", "-q", "--overwrite", ...more, dir, `bench/${b}`],
    syncDown: (b, dir, ...more) => ["mirror", "-q", "--overwrite", ...more, `bench/${b}`, dir],
    syncWithin: (from, to) => ["mirror", "-q", "--overwrite", `bench/${from}`, `bench/${to}`],
    removes: ["--remove"],
    relay: (from, to) => ["cp", "-q", `bench/${from}`, `other/${to}`],
  };
}

function withKey(endpoint) {
  return endpoint.replace("://", `://${KEY}:${SECRET}@`);
}

/** The first line of a client's version; undefined when it is not installed. */
function versionOf({ command, version, env }) {
  try {
    const text = execFileSync(command, version, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    return String(text).trim().split("\n")[0];
  } catch {
    return undefined;
  }
}
