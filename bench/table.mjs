/** The report: a head that says what ran, and one Markdown table. */
import { cpus, totalmem } from "node:os";

import { median } from "./measure.mjs";

/** The circumstances that every figure below depends on. */
export function printHead({ rounds, servers, secure, peers, missing, left }) {
  const machine = `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(`# pail bench\n`);
  console.log(`${machine}, Node ${process.version}, medians of ${rounds} interleaved rounds\n`);
  console.log(`- server, ${secure ? "https" : "http"}: ${servers.join(", ")}`);
  for (const { name, versionText } of peers) console.log(`- ${name}: ${versionText}`);
  if (missing.length > 0) console.log(`- not installed: ${missing.join(", ")}`);
  if (left.length > 0) console.log(`- left out by --clients: ${left.join(", ")}`);
  console.log("\nIn brackets: the same bytes moved by less, for reference.\n");
  console.log("| work | client | wall s | CPU s | peak MiB | requests | pail ÷ this |");
  console.log("|---|---|---|---|---|---|---|");
}

/**
 * `results`: for each client the results of `measure`, one a round, or a word instead ("failed").
 */
export function printRow(title, results) {
  const ownWall = medianOf(results.get("pail"), "wall");
  for (const [name, runs] of results) {
    const wall = medianOf(runs, "wall");
    const ratio = name === "pail" || ownWall === undefined || !wall ? undefined : ownWall / wall;
    const cells = [
      title,
      name,
      typeof runs === "string" ? runs : number(wall, 3),
      number(medianOf(runs, "cpu"), 2),
      number(medianOf(runs, "peak"), 0),
      number(medianOf(runs, "requests"), 0),
      number(ratio, 2),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

function medianOf(runs, figure) {
  return Array.isArray(runs) ? median(runs.map((run) => run[figure])) : undefined;
}

function number(value, digits) {
  return value === undefined ? "" : value.toFixed(digits);
}
