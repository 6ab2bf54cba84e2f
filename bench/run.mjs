/**
 * `npm run bench [-- --rounds N --small N --large MiB --keys N --server sink|minio|versitygw --tls
 * --rtt MS --window KiB --only TITLE,… --clients NAME,… --scratch DIR --program FILE
 * --patience SECONDS]`: pail, or
 * the single executable that --program names, beside the other
 * clients on this machine, against the same server (default: one that answers and forgets),
 * interleaved; prints a table of medians and of pail's ratio to each. With a round-trip time the
 * server stands at the end of a line (delay.mjs) whose connections have that window (default 4 MiB).
 * Timings mean something only beside each other.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync } from "node:fs";
import { rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";

import { clients } from "./clients.mjs";
import { measure } from "./measure.mjs";
import { nameOf, rows } from "./rows.mjs";
import { startDelay, startServer, startTls, versionOf } from "./servers.mjs";
import { printHead, printRow } from "./table.mjs";
import { trees, writeTree } from "./trees.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    small: { type: "string", default: "10000" },
    large: { type: "string", default: "2048" },
    keys: { type: "string", default: "1000000" },
    rtt: { type: "string", default: "0" },
    window: { type: "string", default: "4096" },
    tls: { type: "boolean", default: false },
    only: { type: "string" },
    clients: { type: "string" },
    program: { type: "string" },
    patience: { type: "string", default: "120" },
    server: { type: "string", default: "sink" },
    scratch: { type: "string", default: tmpdir() },
  },
});
// Reading more certificates costs every start of Node 20 some 30 ms, used or not.
delete process.env.NODE_EXTRA_CA_CERTS;

const MiB = 1024 * 1024;
/** The bytes that the sink's objects consist of (sink/sink.h). */
const PATTERN = "0123456789abcdef";

const rounds = Number(flags.rounds);
const rtt = Number(flags.rtt);
const isSink = flags.server === "sink";
const scratch = mkdtempSync(join(flags.scratch, "pail-bench-"));
const running = [];
const complaints = [];
try {
  await bench();
} finally {
  await Promise.all(running.map(({ stop }) => stop()));
  rmSync(scratch, { recursive: true, force: true });
}
// After the table, which they would break.
if (complaints.length > 0) {
  console.error(`\n${complaints.join("\n")}`);
  process.exitCode = 1;
}

async function bench() {
  const checksum = writeFiles();
  const forest = plant();
  const bytes = Number(flags.large) * MiB;
  const canned = [
    `/big/large.bin=${bytes},x-amz-checksum-crc32:${checksum}`,
    `/big/plain.bin=${bytes}`,
    ...forest.map(({ bucket }) => `/${bucket}@${listOf(bucket)}`),
  ];
  const servers = { main: await open("main", canned), other: await open("other", []) };
  const endpoint = servers.main.endpoint;
  const otherEndpoint = servers.other.endpoint;
  const trust = trusting(servers.main.certificate);
  const all = clients(endpoint, otherEndpoint, scratch, flags.program);
  const installed = all.filter(({ versionText }) => versionText !== undefined);
  const wanted = flags.clients?.split(",");
  const peers = installed.filter(({ name }) => name === "pail" || (wanted?.includes(name) ?? true));
  printHead({
    rounds,
    servers: [versionOf(flags.server), ...(flags.tls ? [versionOf("nginx")] : []), ...line()],
    secure: flags.tls,
    peers,
    missing: namesIn(all, installed),
    left: namesIn(installed, peers),
  });
  if (!isSink) fillServer(peers[0], trust);
  const sizes = { many: Number(flags.small), large: Number(flags.large), keys: Number(flags.keys) };
  const places = { scratch, endpoint, otherEndpoint };
  for (const row of rows({ ...sizes, trees: forest, isSink, ...places })) {
    if (!isWanted(row.title)) continue;
    printRow(row.title, await measureRow(row, peers, servers, trust));
  }
}

function isWanted(title) {
  return flags.only === undefined || flags.only.split(",").some((word) => title.includes(word));
}

/** Writes the trees that the chosen rows need. */
function plant() {
  const some = isSink ? trees.filter(({ title }) => isWanted(`${title} up down`)) : [];
  return some.map((tree) => {
    const dir = join(scratch, tree.bucket);
    return { ...tree, dir, ...writeTree(tree, dir, listOf(tree.bucket)) };
  });
}

function listOf(bucket) {
  return join(scratch, `${bucket}.keys`);
}

/** A server, with TLS and a long line before it when those were asked for. */
async function open(label, objects) {
  const server = await startServer(flags.server, join(scratch, label), objects);
  running.push(server);
  const tls = flags.tls ? await startTls(join(scratch, "tls"), server.port) : undefined;
  const near = tls ?? server;
  const far = rtt > 0 ? await startDelay(near.port, rtt, Number(flags.window) * 1024) : undefined;
  running.push(...[tls, far].filter((one) => one !== undefined));
  const scheme = new URL(near.endpoint).protocol;
  const endpoint = `${scheme}//127.0.0.1:${(far ?? near).port}`;
  return { ...server, endpoint, certificate: tls?.certificate };
}

/** The line between clients and server, for the head of the report. */
function line() {
  return rtt > 0 ? [`a line of ${rtt} ms and ${flags.window} KiB a connection`] : [];
}

function trusting(certificate) {
  if (certificate === undefined) return {};
  return {
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_CA_BUNDLE: certificate,
    SSL_CERT_FILE: certificate,
    RCLONE_CA_CERT: certificate,
  };
}

/** Writes what goes up; gives the large file's CRC32 in base64, which is that of the sink's, too. */
function writeFiles() {
  const dir = join(scratch, "small");
  mkdirSync(dir);
  const small = Buffer.alloc(4096, PATTERN);
  for (let i = 0; i < Number(flags.small); i += 1) writeFileSync(join(dir, nameOf(i)), small);
  const file = openSync(join(scratch, "large.bin"), "w");
  const block = Buffer.alloc(MiB, PATTERN);
  let crc = 0;
  for (let i = 0; i < Number(flags.large); i += 1) {
    writeSync(file, block);
    crc = crc32(block, crc);
  }
  closeSync(file);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString("base64");
}

/** Gives a real server the objects that the sink only pretends to have. */
function fillServer(pail, trust) {
  const env = { ...process.env, ...pail.env, ...trust };
  const run = (args) => execFileSync(pail.command, args, { env, stdio: "ignore" });
  for (const bucket of ["big", `small-${flags.small}`, "list-10"]) run(pail.makeBucket(bucket));
  run(pail.makeBucket("big", "other"));
  run(pail.up(join(scratch, "large.bin"), "big/large.bin"));
  for (let i = 0; i < 10; i += 1) {
    run(pail.up(join(scratch, "small", nameOf(i)), `list-10/data/${nameOf(i)}`));
  }
}

/** Every client and reference in turn, round after round; one that fails is out of the row. */
async function measureRow(row, peers, servers, trust) {
  const results = new Map();
  const turns = [
    ...peers.map((client) => ({ ...client, args: row.args(client), setup: row.setup?.(client) })),
    ...row.references.map((reference) => ({ ...reference, name: `(${reference.name})` })),
  ].filter(({ args }) => args !== undefined);
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of turns) {
      if (typeof results.get(turn.name) === "string") continue;
      try {
        const figures = await once(row, turn, servers, trust);
        results.set(turn.name, [...(results.get(turn.name) ?? []), figures]);
      } catch (error) {
        const isLate = String(error.message).startsWith("it took over");
        results.set(turn.name, isLate ? `over ${flags.patience}` : "failed");
        complaints.push(`${row.title}, ${turn.name}: ${String(error.message).slice(0, 600)}`);
      }
    }
  }
  row.clear?.();
  return results;
}

async function once(row, { command, args, env, setup, local }, servers, trust) {
  const options = { env: { ...env, ...trust } };
  row.clear?.();
  if (setup !== undefined) await measure(command, setup, options);
  await counted(servers);
  const figures = await measure(command, args, { ...options, patience: Number(flags.patience) });
  if (figures.over !== undefined) throw new Error(`it took over ${figures.over} s`);
  if (row.written !== undefined) requireAll(row.written());
  if (!isSink) return figures;
  const stats = await counted(servers);
  if (row.seen !== undefined && local !== true) requireAll(row.seen(stats));
  return { ...figures, requests: stats.main.requests + stats.other.requests };
}

/** The counts of the sinks since they were last asked. */
async function counted({ main, other }) {
  return isSink ? { main: await main.stats(), other: await other.stats() } : undefined;
}

function requireAll(counts) {
  for (const [what, [is, least]] of Object.entries(counts)) {
    if (!(is >= least)) throw new Error(`it skipped work: ${is} of ${least} ${what}`);
  }
}

function namesIn(all, some) {
  return all.filter((client) => !some.includes(client)).map(({ name }) => name);
}
