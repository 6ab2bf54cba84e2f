/**
 * `node bench/listing.mjs [--keys N --shapes N --rtt MS --rounds N --clients NAME,… --patience
 * SECONDS --scratch DIR]`: `ls -r`, in order, of N flat keys of the first N of six shapes (those of the
 * tests), at a null server that is near and at the same one behind a line of a round-trip time, in turns.
 * The other clients take minutes: each lists a shape once, far away.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "esbuild";

import { clients } from "./clients.mjs";
import { measure } from "./measure.mjs";
import { startDelay, startServer, versionOf } from "./servers.mjs";
import { printHead, printRow } from "./table.mjs";

const SHAPES = fileURLToPath(new URL("../test/unit/core/storage/split/shapes.ts", import.meta.url));
const { values: flags } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    keys: { type: "string", default: "1000000" },
    shapes: { type: "string", default: "6" },
    rtt: { type: "string", default: "30" },
    rounds: { type: "string", default: "3" },
    clients: { type: "string" },
    patience: { type: "string", default: "120" },
    scratch: { type: "string", default: tmpdir() },
  },
});
delete process.env.NODE_EXTRA_CA_CERTS;
const [keys, rtt, rounds, patience] = [flags.keys, flags.rtt, flags.rounds, flags.patience].map(
  Number,
);
const scratch = mkdtempSync(join(flags.scratch, "pail-bench-listing-"));
const running = [];
try {
  await bench();
} finally {
  await Promise.all(running.map(({ stop }) => stop()));
  rmSync(scratch, { recursive: true, force: true });
}

async function bench() {
  const shapes = Object.entries(await loadShapes()).slice(0, Number(flags.shapes));
  const buckets = shapes.map(([name, make], i) => {
    const path = join(scratch, `shape-${i}.keys`);
    writeFileSync(path, `${make(keys).join("\n")}\n`);
    return { name, bucket: `shape-${i}`, path };
  });
  const objects = buckets.map(({ bucket, path }) => `/${bucket}@${path}`);
  const server = await startServer("sink", join(scratch, "sink"), objects);
  running.push(server);
  const line = await startDelay(server.port, rtt, 4096 * 1024);
  running.push(line);
  const wanted = flags.clients?.split(",");
  const at = (endpoint) =>
    clients(endpoint, endpoint, scratch).filter(
      ({ name, versionText, lsr }) =>
        lsr && versionText && (name === "pail" || (wanted?.includes(name) ?? true)),
    );
  printHead({
    rounds,
    servers: [versionOf("sink")],
    secure: false,
    peers: at(server.endpoint),
    missing: [],
    left: [],
  });
  const places = [
    { where: "near", clients: at(server.endpoint).filter(isPail) },
    { where: `at ${rtt} ms`, clients: at(line.endpoint) },
  ];
  for (const { name, bucket } of buckets) {
    const results = places.map(() => new Map());
    for (let round = 0; round < rounds; round++) {
      for (const [i, { clients: those }] of places.entries()) {
        for (const client of round === 0 ? those : those.filter(isPail)) {
          await server.stats();
          const { command, env } = client;
          const figures = await measure(command, client.lsr(bucket), { env, patience });
          const { lists } = await server.stats();
          const before = results[i].get(client.name) ?? [];
          const isOver = figures.over !== undefined || typeof before === "string";
          const all = isOver ? `over ${patience}` : [...before, { ...figures, requests: lists }];
          results[i].set(client.name, all);
        }
      }
    }
    for (const [i, { where }] of places.entries()) {
      printRow(`ls -r, ${keys} keys, ${name}, ${where}`, results[i]);
    }
  }
}

function isPail({ name }) {
  return name === "pail";
}

/** The shapes are TypeScript, as the tests that they are for. */
async function loadShapes() {
  const options = { entryPoints: [SHAPES], bundle: true, platform: "node", format: "esm" };
  const { outputFiles } = await build({ ...options, write: false });
  const { shapes } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  return shapes;
}
