/**
 * How long the console takes from a key to its frame, and what the frame costs in bytes: the built
 * `pail tui` in a pseudo-terminal of 120×40, against a server that lists invented keys.
 *
 *   node bench/tui.mjs [rows …]      default 10000 100000
 */
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const BIN = fileURLToPath(new URL("../bin/run.js", import.meta.url));
const COLUMNS = 120;
const ROWS = 40;
const KEYS = 200;
const PAGE = 1000;

const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [10_000, 100_000]) await measure(count);

async function measure(count) {
  const server = await listingServer(count);
  const home = mkdtempSync(join(tmpdir(), "pail-bench-"));
  const terminal = open(home, server.address().port);
  try {
    const started = performance.now();
    await terminal.until(() => terminal.line(4).includes(nameOf(0)));
    const first = performance.now() - started;
    await terminal.until(() => terminal.text().includes(`${count.toLocaleString("en-US")} rows`));
    const all = performance.now() - started;

    const result = { rows: count, firstRowMs: round(first), allRowsMs: round(all) };
    const onScreen = ROWS - 6 - 1;
    result.move = await keys(terminal, "j", 1, onScreen - 1);
    result.scroll = await keys(terminal, "j", onScreen, KEYS);
    result.page = await keys(terminal, "\u001B[6~", 2 * onScreen + KEYS - 1, 20, onScreen);
    result.clears = terminal.output().split("\u001B[2J").length - 1;
    console.log(JSON.stringify(result));
  } finally {
    terminal.kill();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Presses a key many times, one after the other, each once its frame is on the screen. */
async function keys(terminal, key, from, times, step = 1) {
  const latencies = [];
  const bytes = [];
  const cpu = terminal.cpuMs();
  for (let index = 0; index < times; index++) {
    const wanted = nameOf(from + index * step);
    const before = terminal.output().length;
    const start = performance.now();
    terminal.write(key);
    await terminal.until(() => terminal.cursorLine().includes(wanted));
    latencies.push(performance.now() - start);
    bytes.push(Buffer.byteLength(terminal.output().slice(before)));
  }
  return {
    keys: times,
    p50ms: round(quantile(latencies, 0.5)),
    p95ms: round(quantile(latencies, 0.95)),
    cpuMsPerKey: round((terminal.cpuMs() - cpu) / times),
    bytesP50: quantile(bytes, 0.5),
    bytesMax: Math.max(...bytes),
  };
}

function open(home, port) {
  // Without the pane beside the list: what is measured is the list.
  mkdirSync(join(home, "state"));
  writeFileSync(join(home, "state", "console.json"), JSON.stringify({ pane: false }));
  const { CI: _ci, ...inherited } = process.env;
  const env = {
    ...inherited,
    LANG: "C.UTF-8",
    COLORTERM: "truecolor",
    PAIL_CONFIG_DIR: home,
    PAIL_STORE_DIR: join(home, "store"),
    PAIL_STATE_DIR: join(home, "state"),
    PAIL_HOST_bench: `http://key:secret@127.0.0.1:${port}`,
  };
  const args = [BIN, "tui", "bench/bucket"];
  const size = { cols: COLUMNS, rows: ROWS };
  const pty = spawn(process.execPath, args, { name: "xterm-256color", ...size, env });
  const term = new xterm.Terminal({ ...size, allowProposedApi: true });
  let output = "";
  let check = () => undefined;
  pty.onData((data) => {
    output += data;
    term.write(data, () => check());
  });
  const line = (row) => term.buffer.active.getLine(row)?.translateToString(true) ?? "";
  const lines = () => Array.from({ length: ROWS }, (_, row) => line(row));
  return {
    line,
    text: () => lines().join("\n"),
    cursorLine: () => lines().find((text) => text.startsWith("▌")) ?? "",
    output: () => output,
    write: (data) => pty.write(data),
    kill: () => pty.kill(),
    cpuMs: () => cpuMs(pty.pid),
    until: (holds) =>
      new Promise((resolve) => {
        check = () => {
          if (holds()) resolve();
        };
        check();
      }),
  };
}

/** Answers every listing with the next thousand keys; it looks at no signature. */
async function listingServer(count) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://bench");
    const from = Number(url.searchParams.get("continuation-token") ?? 0);
    const to = Math.min(count, from + PAGE);
    const next = to < count ? `<NextContinuationToken>${to}</NextContinuationToken>` : "";
    const contents = Array.from({ length: to - from }, (_, index) => {
      const size = (from + index) * 37;
      return `<Contents><Key>${nameOf(from + index)}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;0&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    });
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(
      `<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><KeyCount>${to - from}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${to < count}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** CPU time a process has used; NaN where there is no /proc. A tick is 10 ms. */
function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

function nameOf(index) {
  return `photo-${String(index).padStart(7, "0")}.jpg`;
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function round(ms) {
  return Math.round(ms * 10) / 10;
}
