/**
 * `node bench/sync.mjs [-- --files N --keys N --server sink|pail|minio|versitygw --only WORD,…
 * --clients NAME,… --patience SECONDS --scratch DIR]`: a sync beside those of the other clients. A tree
 * of N local files is held against a bucket that somebody else filled (without any client's own
 * metadata): the first run, which finds nothing changed; the second; one after 1 % changed. At the
 * null server, whose listings are canned, that measures the clients; a real server is filled first,
 * and how fast it lists is then a part of what is measured. At last come two buckets of N canned
 * keys, where nothing is to be done (`--keys 10000000` is the row of peak memory). A client that
 * takes longer than `--patience` is ended, and its row says so. `--only` takes `local` and
 * `canned`.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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
    server: { type: "string", default: "sink" },
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
/** Very recent files may change again unseen: pail keeps no fingerprint of them. */
const SETTLING_MS = 2_500;
/** The content of the null server's objects. */
const PATTERN = "0123456789abcdef".repeat(64);
/** Before anything was uploaded, for clients that compare times. */
const LONG_AGO = new Date("2024-01-01");
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
  const sink = await started("sink", "sink");
  const isReal = flags.server !== "sink";
  const store = isReal ? await started(flags.server, "store") : sink;
  const all = clients(store.endpoint, store.endpoint, scratch);
  const installed = all.filter(({ versionText }) => versionText !== undefined);
  const peers = installed.filter(chosen);
  const names = (some) => all.filter((one) => some.includes(one)).map(({ name }) => name);
  printHead({
    rounds: 1,
    servers: [...new Set([versionOf(flags.server), versionOf("sink")])],
    secure: false,
    peers,
    missing: names(all.filter((one) => !installed.includes(one))),
    left: names(installed.filter((one) => !peers.includes(one))),
  });
  const [pail] = all;
  /** A tree, and the bucket that has the same: the null server has it already. */
  const same = async (count) => {
    const dir = join(scratch, `tree-${count}`);
    plant(dir, count, 0, 1);
    await setTimeout(SETTLING_MS);
    if (isReal) {
      console.error(`filling a bucket with ${count} objects`);
      await run(pail, pail.makeBucket(`tree-${count}`));
      const up = pail.upAll(dir, `tree-${count}`);
      await run(pail, [...up, "--no-preserve-time"], Infinity);
    }
    return (client) => client.syncUp(dir, `tree-${count}`);
  };
  const warm = await same(WARM_UP);
  for (const client of peers) await run(client, warm(client));
  if (takes("local")) {
    const up = await same(files);
    await row(`${files} local files, nothing changed, first run`, peers, up);
    await row(`${files} local files, nothing changed, second run`, peers, up);
    let round = 0;
    await row(`${files} local files, 1 % changed`, peers, (client) => {
      plant(join(scratch, `tree-${files}`), files, (round += 1), 100);
      return up(client);
    });
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

/**
 * Writes every `step`th of `count` files, named as the null server names them; a round after the
 * first changes the content and not the size, and the time is now.
 */
function plant(dir, count, round, step) {
  for (let i = 0; i < count; i += step) {
    const folder = join(dir, `d${String(Math.floor(i / A_FOLDER)).padStart(5, "0")}`);
    if (i % A_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const path = join(folder, `f${String(i).padStart(8, "0")}`);
    writeFileSync(path, round === 0 ? PATTERN : String(round).padEnd(PATTERN.length, "x"));
    if (round === 0) utimesSync(path, LONG_AGO, LONG_AGO);
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
