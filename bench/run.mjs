/**
 * `npm run bench [-- --rounds N --small N --large MiB --keys N --server sink|minio|versitygw --tls
 * --only ROW,… --clients NAME,… --scratch DIR]`: pail beside the other clients on this machine,
 * against the same server (default: one that answers and forgets), interleaved; prints a table of
 * medians and of pail's ratio to each. Timings mean something only beside each other.
 */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { clients } from "./clients.mjs";
import { measure, median } from "./measure.mjs";
import { startReal, startSink, startTls } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    small: { type: "string", default: "10000" },
    large: { type: "string", default: "2048" },
    keys: { type: "string", default: "1000000" },
    tls: { type: "boolean", default: false },
    only: { type: "string" },
    clients: { type: "string" },
    server: { type: "string", default: "sink" },
    scratch: { type: "string", default: tmpdir() },
  },
});
// Reading more certificates costs every start of Node 20 some 30 ms, used or not.
delete process.env.NODE_EXTRA_CA_CERTS;

const rounds = Number(flags.rounds);
const scratch = mkdtempSync(join(flags.scratch, "pail-bench-"));
const MiB = 1024 * 1024;
const largeBytes = Number(flags.large) * MiB;

const isSink = flags.server === "sink";
const server = isSink
  ? await startSink(scratch, [`/big/large.bin=${largeBytes}`])
  : await startReal(flags.server, scratch);
if (server === undefined) {
  throw new Error(isSink ? "the null sink needs cc and Linux" : `${flags.server} is not installed`);
}
const tls = flags.tls ? await startTls(scratch, server.port) : undefined;
if (flags.tls && tls === undefined) throw new Error("--tls needs nginx and openssl");
const endpoint = tls?.endpoint ?? server.endpoint;
const trust = tls === undefined ? {} : trusting(tls.certificate);

const peers = clients(endpoint, scratch).filter(
  ({ name }) => name === "pail" || !flags.clients || flags.clients.split(",").includes(name),
);
try {
  prepare();
  await report();
} finally {
  server.stop();
  tls?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

function trusting(certificate) {
  return {
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_CA_BUNDLE: certificate,
    SSL_CERT_FILE: certificate,
    RCLONE_CA_CERT: certificate,
  };
}

function prepare() {
  const dir = join(scratch, "small");
  mkdirSync(dir);
  const bytes = Buffer.alloc(4096, "pail");
  for (let i = 0; i < Number(flags.small); i += 1) {
    writeFileSync(join(dir, nameOf(i)), bytes);
  }
  const file = openSync(join(scratch, "large.bin"), "w");
  const block = Buffer.alloc(8 * MiB, "0123456789abcdef");
  for (let done = 0; done < largeBytes; done += block.length) writeSync(file, block);
  closeSync(file);
  if (isSink) return;
  const [pail] = peers;
  const run = (...args) =>
    execFileSync(pail.command, [pail.script, ...args], {
      env: { ...process.env, ...pail.env, ...trust },
      stdio: "ignore",
    });
  for (const bucket of ["big", `small-${flags.small}`, "list-10"]) run("mb", `bench/${bucket}`);
  run("cp", join(scratch, "large.bin"), "bench/big/large.bin");
  for (let i = 0; i < 10; i += 1)
    run("cp", join(scratch, "small", nameOf(i)), "bench/list-10/data/");
}

/** The names the sink's canned listing gives, so that what goes up can be listed and removed. */
function nameOf(i) {
  return `events-2025-01-01-${String(i).padStart(9, "0")}`;
}

function rows() {
  const small = `small-${flags.small}`;
  const fresh = (client) => join(scratch, `down-${client.name}`);
  return {
    "--version": { args: (c) => c.version, reference: ["node", ["-e", "0"]] },
    "ls, 10 keys": { args: (c) => c.ls("list-10/data/"), reference: ["node", ["-e", "0"]] },
    [`${flags.small} × 4 KiB up`]: {
      args: (c) => c.upAll(join(scratch, "small"), `${small}/data`),
    },
    [`${flags.small} × 4 KiB down`]: {
      args: (c) => c.downAll(`${small}/data`, fresh(c)),
      before: (c) => mkdirSync(fresh(c), { recursive: true }),
      after: (c) => rmSync(fresh(c), { recursive: true, force: true }),
    },
    [`${flags.small} deletes`]: {
      args: (c) => c.removeAll(`${small}/data`),
      // A real server has to be given back what the client before this one removed.
      setup: isSink ? undefined : (c) => c.upAll(join(scratch, "small"), `${small}/data`),
    },
    [`${flags.large} MiB up`]: {
      args: (c) => c.up(join(scratch, "large.bin"), "big/up.bin"),
      reference: ["sha256sum", [join(scratch, "large.bin")]],
    },
    [`${flags.large} MiB down`]: {
      args: (c) => c.down("big/large.bin", join(scratch, "down.bin")),
      after: () => rmSync(join(scratch, "down.bin"), { force: true }),
      reference: ["cp", [join(scratch, "large.bin"), join(scratch, "copy.bin")]],
    },
    "server-side copy": { args: (c) => c.copy("big/large.bin", "big/copy.bin") },
    ...(isSink && { [`ls -r, ${flags.keys} keys`]: { args: (c) => c.lsr(`list-${flags.keys}`) } }),
  };
}

async function report() {
  console.log(
    `# pail bench\n\n${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${rounds} rounds, ${flags.server} over ${endpoint.split(":")[0]}\n`,
  );
  for (const { name, versionText } of peers) console.log(`- ${name}: ${versionText}`);
  console.log(
    "\n| work | client | wall s | cpu s | peak MiB | pail's wall ÷ this |\n|---|---|---|---|---|---|",
  );
  for (const [title, row] of Object.entries(rows())) {
    if (flags.only && !flags.only.split(",").some((word) => title.includes(word))) continue;
    const results = new Map();
    for (let round = 0; round < rounds; round += 1) {
      for (const client of peers) await once(client, row, results);
      if (row.reference) keep(results, `(${row.reference[0]})`, await measure(...row.reference));
    }
    print(title, results);
  }
}

async function once(client, row, results) {
  if (results.get(client.name) === "failed") return;
  row.before?.(client);
  const options = { env: { ...client.env, ...trust } };
  try {
    if (row.setup) await measure(client.command, row.setup(client), options);
    keep(results, client.name, await measure(client.command, row.args(client), options));
  } catch (error) {
    results.set(client.name, "failed");
    console.error(String(error.message).slice(0, 400));
  }
  row.after?.(client);
}

function keep(results, name, figures) {
  results.set(name, [...(results.get(name) ?? []), figures]);
}

function print(title, results) {
  const wallOf = (name) => {
    const runs = results.get(name);
    return Array.isArray(runs) ? median(runs.map(({ wall }) => wall)) : undefined;
  };
  for (const [name, runs] of results) {
    if (runs === "failed") {
      console.log(`| ${title} | ${name} | failed | | | |`);
      continue;
    }
    const number = (value, digits) => (value === undefined ? "" : value.toFixed(digits));
    const ratio = wallOf("pail") === undefined ? undefined : wallOf("pail") / wallOf(name);
    console.log(
      `| ${title} | ${name} | ${number(wallOf(name), 3)} | ${number(median(runs.map(({ cpu }) => cpu)), 2)} | ${number(median(runs.map(({ peak }) => peak)), 0)} | ${name === "pail" ? "" : number(ratio, 2)} |`,
    );
  }
}
