/**
 * `node bench/sync.mjs [-- --files N --keys N --server pail|minio|versitygw --only WORD,… --clients
 * NAME,… --patience SECONDS --scratch DIR]`: a sync beside those of the other clients. Each has a
 * bucket of its own, filled by somebody else (without any client's own metadata), and goes through the
 * same runs: the first, which finds nothing changed; the second; one after 1 % changed; then two
 * buckets of N canned keys at the null server, where nothing is to be done (`--keys 10000000` is the
 * row of peak memory). A client that takes longer than the patience is ended, and its row says so.
 * `--only` takes `local` and `canned`.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { clients } from "./clients.mjs";
import { measure } from "./measure.mjs";
import { startServer, versionOf } from "./servers.mjs";
import { printHead, printRow } from "./table.mjs";

const { values: flags } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    files: { type: "string", default: "100000" },
    keys: { type: "string", default: "1000000" },
    server: { type: "string", default: "pail" },
    only: { type: "string" },
    clients: { type: "string" },
    patience: { type: "string", default: "240" },
    scratch: { type: "string", default: tmpdir() },
  },
});
delete process.env.NODE_EXTRA_CA_CERTS;
const [files, keys, patience] = [flags.files, flags.keys, flags.patience].map(Number);
const A_FOLDER = 1_000;
const WARM_UP = 64;
const scratch = mkdtempSync(join(flags.scratch, "pail-bench-sync-"));
const running = [];
const complaints = [];
try {
  await bench();
} finally {
  await Promise.all(running.map(({ stop }) => stop()));
  rmSync(scratch, { recursive: true, force: true });
}
if (complaints.length > 0) {
  console.error(`\n${complaints.join("\n")}`);
  process.exitCode = 1;
}

async function bench() {
  const wanted = flags.clients?.split(",");
  const chosen = ({ name }) => name === "pail" || (wanted?.includes(name) ?? true);
  const store = await started(flags.server, "store");
  const sink = await started("sink", "sink");
  const all = clients(store.endpoint, store.endpoint, scratch);
  const installed = all.filter(({ versionText }) => versionText !== undefined);
  const peers = installed.filter(chosen);
  const names = (some) => all.filter((one) => some.includes(one)).map(({ name }) => name);
  printHead({
    rounds: 1,
    servers: [versionOf(flags.server), versionOf("sink")],
    secure: false,
    peers,
    missing: names(all.filter((one) => !installed.includes(one))),
    left: names(installed.filter((one) => !peers.includes(one))),
  });
  const [pail] = all;
  const warm = join(scratch, "warm");
  plant(warm, WARM_UP, 0, 1);
  for (const client of peers) {
    await run(pail, pail.makeBucket(`warm-${client.name}`));
    await run(client, client.syncUp(warm, `warm-${client.name}`));
  }
  if (takes("local")) {
    const dir = join(scratch, "tree");
    plant(dir, files, 0, 1);
    for (const { name } of peers) {
      console.error(`filling the bucket of ${name}`);
      await run(pail, pail.makeBucket(bucketOf(name)));
      // Somebody else's upload: it keeps no time.
      const up = pail.upAll(dir, bucketOf(name));
      await run(pail, [...up, "--no-preserve-time"], Infinity);
    }
    const up = (title) => row(title, peers, (c) => c.syncUp(dir, bucketOf(c.name)));
    await up(`${files} local files, nothing changed, first run`);
    await up(`${files} local files, nothing changed, second run`);
    plant(dir, files, 1, 100);
    await up(`${files} local files, 1 % changed`);
  }
  if (takes("canned")) {
    const canned = clients(sink.endpoint, sink.endpoint, join(scratch, "canned")).filter(
      (one) => one.versionText !== undefined && chosen(one),
    );
    await row(`${keys} canned keys on both sides`, canned, (c) =>
      c.syncWithin(`list-${keys}`, `copy-${keys}`),
    );
  }
}

function takes(word) {
  return flags.only === undefined || flags.only.split(",").includes(word);
}

async function started(name, label) {
  const server = await startServer(name, join(scratch, label), []);
  running.push(server);
  return server;
}

function bucketOf(name) {
  return `tree-${name}`;
}

/**
 * Writes every `step`th of `count` files; `round` changes the content and not the size. The times are
 * old.
 */
function plant(dir, count, round, step) {
  for (let i = 0; i < count; i += step) {
    const folder = join(dir, `d${Math.floor(i / A_FOLDER)}`);
    if (i % A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const path = join(folder, `f${i}`);
    writeFileSync(path, `${round} ${i}`.padEnd(1_024, "x"));
    const seconds = Date.now() / 1000 - (round === 0 ? 86_400 : 0);
    utimesSync(path, seconds, seconds);
  }
}

async function row(title, peers, args) {
  const results = new Map();
  for (const client of peers) {
    try {
      const result = await run(client, args(client));
      results.set(client.name, result.over === undefined ? [result] : `over ${result.over}`);
    } catch (error) {
      results.set(client.name, "failed");
      complaints.push(`${title}, ${client.name}: ${String(error.message).slice(0, 600)}`);
    }
  }
  printRow(title, results);
}

/** The checksum is what rclone compares best by without asking for each object. */
function run({ command, env }, args, limit = patience) {
  return measure(command, args, { env: { ...env, RCLONE_CHECKSUM: "true" }, patience: limit });
}
