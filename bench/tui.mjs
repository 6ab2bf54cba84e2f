/**
 * The console's cost from a key to its frame, in CPU, bytes and memory: the built `pail tui` in
 * a pseudo-terminal of 120×40, against a server that lists invented keys, and in turn with it a
 * program that writes the same frame directly (tui-direct.mjs): it reads the keys, keeps the rows and
 * writes the lines that change, as few bytes as pail, but knows where they stand and how they look; it
 * has no configuration, signing, pages, layout or comparison of frames. Each key waits for its frame.
 * CPU is that of all threads, so that of V8's compiler counts; a program is measured as it starts
 * (`scroll`, `page`) and once it has run for a while (`scrollLater`, `pageLater`). The first start after
 * a build, which makes pail's code cache, is not measured.
 *
 * With `--marks`, what takes many rows at once: a filter, marks on all rows, a copy, a question, a
 * deletion. Of each key: the CPU of all threads until its frame, and of the first thread in the longest
 * turn of its event loop until all that the key began has ended.
 *
 *   node bench/tui.mjs [rows …]              default 10000 100000
 *   node bench/tui.mjs --marks [rows …]      default 1000000
 */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const DIRECT = fileURLToPath(new URL("./tui-direct.mjs", import.meta.url));
const BIN = fileURLToPath(new URL("../bin/run.js", import.meta.url));
const COLUMNS = 120;
const ROWS = 40;
const KEYS = 200;
const PAIRS = 3;
const PAGE = 1000;
/** What is aimed at, from what the direct program takes. */
const BUDGETS = [
  [/^firstFrameMs/, (direct, ink) => 1.3 * direct + ink],
  [/^scroll.*Bytes/, () => 700],
  [/^scroll.*Ms/, (direct) => 2 * direct],
  [/^page.*Ms/, (direct) => 3 * direct],
];

/** Milliseconds for what a key has begun, where nothing on the screen tells its end. */
const REST = 1500;

const TURNS = fileURLToPath(new URL("./turns.cjs", import.meta.url));

const { values, positionals } = parseArgs({
  options: { marks: { type: "boolean" } },
  allowPositionals: true,
});
const counts = positionals.map(Number);
if (values.marks) {
  for (const count of counts.length > 0 ? counts : [1_000_000]) await measureMarks(count);
} else {
  await measure(10_000, "pail");
  const ink = lowest(Array.from({ length: PAIRS }, () => loadingMs("ink") - loadingMs()));
  for (const count of counts.length > 0 ? counts : [10_000, 100_000]) {
    const runs = { direct: [], pail: [] };
    for (let pair = 0; pair < PAIRS; pair++) {
      for (const program of ["direct", "pail"]) runs[program].push(await measure(count, program));
    }
    compare(count, ink, runs);
  }
}

/** Keys that are about all rows: each with its name, and what its frame and the end of its work show. */
async function measureMarks(count) {
  const server = await listingServer(count);
  const home = mkdtempSync(join(tmpdir(), "pail-bench-"));
  const terminal = open(home, server.address().port, "pail", ["--require", TURNS]);
  const shows = (text) => terminal.until(() => text.test(terminal.text()));
  const step = async (name, key, frame, end = frame) => {
    await terminal.longestTurn();
    const before = terminal.cpuMs();
    terminal.write(key);
    await shows(frame);
    const cpuMs = round(terminal.cpuMs() - before);
    await (end === REST ? setTimeout(REST) : shows(end));
    console.log(JSON.stringify({ name, cpuMs, turnCpuMs: Number(await terminal.longestTurn()) }));
  };
  const all = count.toLocaleString("en-US");
  const at = (row) => new RegExp(` ${row.toLocaleString("en-US")}/${all}`);
  const [rows, marked] = [new RegExp(`^ ${all} rows`, "m"), new RegExp(`${all} marked`)];
  try {
    await shows(rows);
    const allRowsCpuMs = round(terminal.cpuMs());
    console.log(JSON.stringify({ rows: count, allRowsCpuMs, rssMiB: terminal.memoryMiB() }));
    for (const row of [2, 3, 4]) await step("cursor", "j", at(row));
    await step("open the filter", "/", /^ Filter /m);
    for (const text of ["1", "17", "177"]) {
      await step(`filter ${text}`, text.at(-1), new RegExp(`Filter ${text} `), REST);
    }
    await step("clear it", "\u001B", /↵ open/, REST);
    await step("to the top", "g", at(1));
    await step("list anew", "R", /loading/, at(1));
    await step("mark all", "\u0001", marked);
    await step("cursor, all marked", "j", at(2));
    await step("page down, all marked", "\u001B[6~", at(35));
    await step("take for a copy", "Y", new RegExp(`${all} to copy`));
    await step("begin a range", "gv", /1 marked/);
    await step("a range of all", "G", marked);
    await step("copy the range", "c", /Copy .* items/);
    await step("cancel", "\u001B", /↵ open/);
    await step("end the range, to the top", "vg", at(1));
    await step("list anew, all marked", "R", /loading/, at(1));
    await shows(marked);
    await step("delete", "x", /Delete from/, /Type bucket/);
    await step("type the name", "bucket", /go on: bucket/);
    await step("remove them", "\r", /deleting/, /Done: Delete/);
    console.log(JSON.stringify({ rssMiB: terminal.memoryMiB() }));
  } finally {
    await terminal.end();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The lowest of the runs, by name, and what of its budget pail takes. */
function compare(count, ink, { direct, pail }) {
  console.log(JSON.stringify({ rows: count, loadingInkMs: round(ink) }));
  for (const name of Object.keys(pail[0])) {
    const [mine, theirs] = [pail, direct].map((runs) => lowest(runs.map((run) => run[name])));
    const budget = BUDGETS.find(([names]) => names.test(name))?.[1](theirs, ink);
    const facts = { name, pail: round(mine), direct: round(theirs), ratio: round(mine / theirs) };
    const of =
      budget === undefined ? {} : { budget: round(budget), ofBudget: round(mine / budget) };
    console.log(JSON.stringify({ ...facts, ...of }));
  }
}

async function measure(count, program) {
  const server = await listingServer(count);
  const home = mkdtempSync(join(tmpdir(), "pail-bench-"));
  const terminal = open(home, server.address().port, program);
  try {
    await terminal.until(() => terminal.line(4).includes(nameOf(0)));
    const first = terminal.cpuMs();
    await terminal.until(() => terminal.text().includes(`${count.toLocaleString("en-US")} rows`));
    const all = terminal.cpuMs();

    const onScreen = ROWS - 6 - 1;
    const [, scroll] = [
      await keys(terminal, "j", 1, onScreen - 1),
      await keys(terminal, "j", onScreen, KEYS),
    ];
    const scrollLater = await keys(terminal, "j", onScreen + KEYS, 2 * KEYS);
    const from = 2 * onScreen + 3 * KEYS - 1;
    const page = await keys(terminal, "\u001B[6~", from, 20, onScreen);
    const pageLater = await keys(terminal, "\u001B[6~", from + 20 * onScreen, 60, onScreen);
    const named = Object.entries({ scroll, scrollLater, page, pageLater }).flatMap(
      ([name, costs]) => Object.entries(costs).map(([what, value]) => [`${name}${what}`, value]),
    );
    return {
      firstFrameMs: first,
      allRowsMs: all,
      ...Object.fromEntries(named),
      memoryMiB: terminal.memoryMiB(),
    };
  } finally {
    await terminal.end();
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Presses a key many times, one after the other, each once its frame is on the screen. */
async function keys(terminal, key, from, times, step = 1) {
  const costs = [];
  const bytes = [];
  const cpu = terminal.cpuMs();
  for (let index = 0; index < times; index++) {
    const wanted = nameOf(from + index * step);
    const before = terminal.output().length;
    const start = terminal.cpuMs();
    terminal.write(key);
    await terminal.until(() => terminal.cursorLine().includes(wanted));
    costs.push(terminal.cpuMs() - start);
    bytes.push(Buffer.byteLength(terminal.output().slice(before)));
  }
  return {
    MedianMs: quantile(costs, 0.5),
    MeanMs: (terminal.cpuMs() - cpu) / times,
    Bytes: quantile(bytes, 0.5),
  };
}

/** CPU of a Node process that imports a package, or nothing. */
function loadingMs(name) {
  const code = `${name === undefined ? "" : `await import("${name}");`}
    console.log(JSON.stringify(process.cpuUsage()))`;
  const args = ["--input-type=module", "--eval", code];
  const { user, system } = JSON.parse(execFileSync(process.execPath, args, { cwd: dirname(BIN) }));
  return (user + system) / 1000;
}

function open(home, port, program, execArgs = []) {
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
    PAIL_BENCH_TURNS: join(home, "turns"),
  };
  const args =
    program === "pail" ? [BIN, "tui", "bench/bucket"] : [DIRECT, `http://127.0.0.1:${port}`];
  const size = { cols: COLUMNS, rows: ROWS };
  const pty = spawn(process.execPath, [...execArgs, ...args], {
    name: "xterm-256color",
    ...size,
    env,
  });
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
    // A program that is asked to end, and not killed, keeps its compiled code.
    end: () =>
      new Promise((resolve) => {
        pty.onExit(resolve);
        pty.kill();
      }),
    cpuMs: () => cpuMs(pty.pid),
    // turns.cjs answers a signal with a file.
    longestTurn: async () => {
      rmSync(env.PAIL_BENCH_TURNS, { force: true });
      process.kill(pty.pid, "SIGUSR2");
      while (!existsSync(env.PAIL_BENCH_TURNS)) await setTimeout(1);
      return readFileSync(env.PAIL_BENCH_TURNS, "utf8");
    },
    memoryMiB: () => {
      const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pty.pid}/status`, "utf8")) ?? [];
      return Math.round(kib / 1024);
    },
    until: (holds) =>
      new Promise((resolve) => {
        check = () => {
          if (holds()) resolve();
        };
        check();
      }),
  };
}

/** Answers every listing with the next thousand keys, and removes what it is told; it looks at no signature. */
async function listingServer(count) {
  const server = createServer((request, response) => {
    if (request.method === "POST") return void remove(request, response);
    const url = new URL(request.url, "http://bench");
    if (url.searchParams.has("versioning")) return void response.end("<VersioningConfiguration/>");
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

async function remove(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const keys = body.match(/<Key>.*?<\/Key>/gs).map((key) => `<Deleted>${key}</Deleted>`);
  response.end(`<?xml version="1.0"?><DeleteResult>${keys.join("")}</DeleteResult>`);
}

/** CPU time that all threads of a process have used. */
function cpuMs(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const spent = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      nanoseconds += Number(spent.split(" ")[0]);
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return nanoseconds / 1e6;
}

function nameOf(index) {
  return `photo-${String(index).padStart(7, "0")}.jpg`;
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function lowest(values) {
  return Math.min(...values);
}

function round(value) {
  return Math.round(value * 100) / 100;
}
