/**
 * `node bench/shards.mjs [--keys N --workers N --scratch DIR]`: one sync of N keys on both sides,
 * where nothing is to be done, split for several workers: the requests and the cost of all of them
 * together. pail takes the ranges of `pail split`; rclone's `--hash-filter` makes every worker list
 * everything; juicefs has its cluster mode, which starts its workers by ssh and is left out, and
 * ranges that a person must know (`--start`, `--end`). Workers run one after the other: with two
 * processors for all of them, the longest stands for the time that as many machines would take.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { clients } from "./clients.mjs";
import { measure } from "./measure.mjs";
import { startServer } from "./servers.mjs";

const { values: flags } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    keys: { type: "string", default: "200000" },
    workers: { type: "string", default: "4" },
    scratch: { type: "string", default: tmpdir() },
  },
});
delete process.env.NODE_EXTRA_CA_CERTS;
const [keys, workers] = [flags.keys, flags.workers].map(Number);
/** The checksum is what rclone compares best by without asking for each object. */
const COMPARE = { RCLONE_CHECKSUM: "true" };
const scratch = mkdtempSync(join(flags.scratch, "pail-bench-shards-"));
const server = await startServer("sink", join(scratch, "sink"), []);
try {
  await bench();
} finally {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function bench() {
  const [from, to] = [`list-${keys}`, `copy-${keys}`];
  const all = clients(server.endpoint, server.endpoint, scratch);
  const by = (name) => all.find((client) => client.name === name && client.versionText);
  const [pail, rclone, juicefs] = ["pail", "rclone", "juicefs"].map(by);
  const split = join(scratch, "ranges.split");
  const [program] = pail.version;
  const cut = [program, "split", `bench/${from}`, "--into", String(workers)];
  console.log("| work | client | longest wall s | wall s | CPU s | requests | pail ÷ this |");
  console.log("|---|---|---|---|---|---|---|");
  const ways = [
    [
      pail,
      "pail, split and --shard",
      (i) => [...pail.syncWithin(from, to), "--shard", `${i}/${workers}`, "--split", split],
      () =>
        writeFileSync(
          split,
          execFileSync(pail.command, cut, { env: { ...process.env, ...pail.env } }),
        ),
    ],
    [
      rclone,
      "rclone --hash-filter",
      (i) => [...rclone.syncWithin(from, to), "--hash-filter", `${i % workers}/${workers}`],
    ],
    [juicefs, "juicefs --start --end", (i) => withRange(juicefs.syncWithin(from, to), i)],
  ];
  let own;
  for (const [client, name, args, prepare] of ways) {
    if (client === undefined) continue;
    await server.stats();
    prepare?.();
    const runs = [];
    for (let i = 1; i <= workers; i += 1) {
      runs.push(await measure(client.command, args(i), { env: { ...client.env, ...COMPARE } }));
    }
    const { lists } = await server.stats();
    const longest = Math.max(...runs.map(({ wall }) => wall));
    const sum = (figure) => runs.reduce((total, run) => total + run[figure], 0);
    own ??= longest;
    const ratio = name.startsWith("pail") ? "" : (own / longest).toFixed(2);
    const figures = [longest.toFixed(2), sum("wall").toFixed(2), sum("cpu").toFixed(2), lists];
    const title = `${keys} keys on both sides, ${workers} workers`;
    console.log(`| ${[title, name, ...figures, ratio].join(" | ")} |`);
  }
}

/** Even ranges of the null server's numbered keys. */
function withRange(args, i) {
  const key = (n) => `data/events-2025-01-01-${String(n).padStart(9, "0")}`;
  const each = keys / workers;
  return [...args, "--start", key((i - 1) * each), "--end", key(i * each - 1)];
}
