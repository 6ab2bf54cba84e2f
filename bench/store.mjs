/**
 * `node bench/store.mjs [--servers pail,minio,versitygw --connections N --rounds N --small N
 * --keys N --names N --scratch DIR]`: `pail serve` beside other servers on the same disk, with one plain
 * client of 64 connections: objects of 4 KiB put, read and removed, a bucket of `keys` listed to
 * its end. Servers take turns, round by round. With `--names`, pages of a catalog of so many names,
 * made by a generator. With `--large`, pages of a bucket of so many real keys in one prefix (hard
 * links to one record, or one file for versitygw), alone and while three clients write and remove
 * there, two of them by way of a second server of the same directory. Of pail also the longest turn
 * of its event loop, which is how long one request can make another wait, in CPU time: other work
 * of the machine does not count.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { median } from "./measure.mjs";
import { startServer, versionOf } from "./servers.mjs";
import { agent, send, until } from "./signed.mjs";

const { values: flags } = parseArgs({
  options: {
    servers: { type: "string", default: "pail,minio,versitygw" },
    connections: { type: "string", default: "64" },
    rounds: { type: "string", default: "5" },
    small: { type: "string", default: "3000" },
    keys: { type: "string", default: "20000" },
    names: { type: "string" },
    large: { type: "string" },
    pages: { type: "string", default: "200" },
    scratch: { type: "string", default: tmpdir() },
  },
});
const BODY = Buffer.alloc(4096, "0123456789abcdef");
const TICKS_A_SECOND = 100;
const BUCKET = "bench";

/**
 * Servers whose keys are files that can be linked: the first object's files, those of a prefix, and
 * the files to remove afterwards.
 */
const LINKED = {
  pail: {
    seed: `buckets/${BUCKET}+/objects/seed=`,
    key: (name) => `buckets/${BUCKET}+/objects/flat+/${name}=`,
    stale: `buckets/${BUCKET}+/names`,
  },
  versitygw: { seed: `${BUCKET}/seed`, key: (name) => `${BUCKET}/flat/${name}` },
};
const TURNS = fileURLToPath(new URL("turns.cjs", import.meta.url));
/** The number of links that ext4 allows one file, with some to spare. */
const LINKS = 60_000;

const scratch = mkdtempSync(join(flags.scratch, "pail-bench-"));
const running = [];
try {
  if (flags.names !== undefined) await pagesOfNames(Number(flags.names));
  else if (flags.large !== undefined) await pagesOfKeys(Number(flags.large));
  else await besideOthers();
} finally {
  agent.destroy();
  await Promise.all(running.map(({ stop }) => stop()));
  rmSync(scratch, { recursive: true, force: true });
}

async function besideOthers() {
  for (const name of flags.servers.split(",")) {
    const server = { name, ...(await startServer(name, join(scratch, name), [])) };
    running.push(server);
    console.log(`- ${versionOf(name)}`);
    await until(() => send(server, "PUT", `/${BUCKET}`));
    await many(Number(flags.keys), (i) => send(server, "PUT", `/${BUCKET}/list/${i}`, BODY));
  }
  console.log("\n| work | server | wall s | its CPU s | peak MiB | pail ÷ this |");
  console.log("|---|---|---|---|---|---|");
  const small = Number(flags.small);
  const one = (method, body) => (server) =>
    many(small, (i) => send(server, method, `/${BUCKET}/small/${i}`, body));
  await row(`put ${small} × 4 KiB`, one("PUT", BODY), one("DELETE"));
  await row(`overwrite ${small} × 4 KiB`, one("PUT", BODY));
  await row(`get ${small} × 4 KiB`, one("GET"));
  await row(`delete ${small} × 4 KiB`, one("DELETE"), one("PUT", BODY));
  await row(`list ${flags.keys}`, listAll);
}

/** `before` is done to a server before each of its turns, untimed. */
async function row(title, work, before) {
  const results = new Map(running.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const server of running) {
      await before?.(server);
      const [began, cpu] = [performance.now(), cpuOf(server.pid)];
      await work(server);
      const wall = (performance.now() - began) / 1000;
      results.get(server.name).push({ wall, cpu: cpuOf(server.pid) - cpu });
    }
  }
  const figure = (name, what) => median(results.get(name).map((each) => each[what]));
  for (const { name, pid } of running) {
    const own = results.has("pail") ? figure("pail", "wall") : undefined;
    const ratio =
      name === "pail" || own === undefined ? "" : (own / figure(name, "wall")).toFixed(2);
    const cells = [figure(name, "wall").toFixed(2), figure(name, "cpu").toFixed(2), peakOf(pid)];
    console.log(`| ${title} | ${name} | ${cells.join(" | ")} | ${ratio} |`);
  }
}

async function many(count, work) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Number(flags.connections) }, lane));
}

async function listAll(server) {
  const seen = { keys: 0, token: "" };
  do {
    const query = `${seen.token === "" ? "" : `continuation-token=${encodeURIComponent(seen.token)}&`}list-type=2&prefix=list%2F`;
    const text = await send(server, "GET", `/${BUCKET}`, undefined, query);
    seen.keys += text.split("<Key>").length - 1;
    seen.token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? "";
  } while (seen.token !== "");
  if (seen.keys !== Number(flags.keys)) throw new Error(`${server.name} listed ${seen.keys} keys`);
}

function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

function peakOf(pid) {
  const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
  return Math.round(Number(kib) / 1024);
}

/**
 * The listing's own code over a catalog without its records, for which no disk would be large
 * enough.
 */
async function pagesOfNames(count) {
  const { build } = await import("esbuild");
  const outfile = join(scratch, "run.mjs");
  const entry = new URL("../src/store/disk/catalog/run.ts", import.meta.url).pathname;
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile });
  const { openRun, writeRun } = await import(outfile);
  const key = (index) => `photos/2026/${String(index).padStart(9, "0")}.jpg`;
  let index = 0;
  const names = {
    get current() {
      return index < count ? { key: key(index), there: true } : undefined;
    },
    advance: () => void (index += 1),
  };
  const began = performance.now();
  const run = await writeRun(scratch, names, false);
  const wrote = (performance.now() - began) / 1000;
  const source = openRun(join(scratch, run.name));
  const times = [];
  for (let page = 0; page < 1000; page += 1) {
    const from = Math.floor(((page * 7919) % 1000) * (count / 1000));
    const start = performance.now();
    source.seek(key(from));
    for (let item = 0; item < 1000 && source.current !== undefined; item += 1) source.advance();
    times.push(performance.now() - start);
  }
  source.close();
  const peak = peakOf(process.pid);
  console.log(
    `${count} names, ${Math.round(run.size / 2 ** 20)} MiB, written in ${wrote.toFixed(1)} s; ` +
      `the names of a page anywhere: ${median(times).toFixed(2)} ms, at most ${Math.max(...times).toFixed(1)} ms; peak ${peak} MiB`,
  );
}

async function pagesOfKeys(count) {
  const name = (index) => `k${String(index).padStart(9, "0")}`;
  console.log(
    "| server | work | page p50 ms | max | its CPU ms a page | HEAD beside it p50 ms | max | longest turn, CPU ms | peak MiB |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const kind of flags.servers.split(",")) {
    const files = LINKED[kind];
    if (files === undefined) continue;
    const dir = join(scratch, kind);
    const turns = join(scratch, "turns");
    if (kind === "pail") {
      process.env.PAIL_BENCH_TURNS = turns;
      process.env.NODE_OPTIONS = `--require ${TURNS}`;
    }
    const server = { name: kind, ...(await startServer(kind, dir, [])) };
    delete process.env.NODE_OPTIONS;
    running.push(server);
    await until(() => send(server, "PUT", `/${BUCKET}`));
    await send(server, "PUT", `/${BUCKET}/seed`, Buffer.from("seed"));
    const path = (index) => join(dir, files.key(name(index)));
    mkdirSync(join(path(0), ".."));
    for (let index = 0; index < count; index += 1) {
      if (index % LINKS === 0) copyFileSync(join(dir, files.seed), path(index));
      else linkSync(path(index - (index % LINKS)), path(index));
    }
    if (files.stale) rmSync(join(dir, files.stale), { recursive: true, force: true });

    /** Since it was last asked. */
    const longestTurn = async () => {
      if (kind !== "pail") return "";
      rmSync(turns, { force: true });
      process.kill(server.pid, "SIGUSR2");
      await until(() => existsSync(turns) || Promise.reject(new Error("no word of turns")));
      return readFileSync(turns, "utf8");
    };
    const row = async (work, pages) => {
      const heads = [];
      const times = [];
      const probing = { on: true };
      const prober = (async () => {
        while (probing.on) {
          const start = performance.now();
          await send(server, "HEAD", `/${BUCKET}/seed`);
          heads.push(performance.now() - start);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
      await longestTurn();
      const cpu = cpuOf(server.pid);
      for (let page = 0; page < pages; page += 1) {
        const from = Math.floor(((page * 7919) % 1000) * ((count - 1001) / 1000));
        const start = performance.now();
        const query = `list-type=2&prefix=flat%2F&start-after=flat%2F${name(from)}`;
        const text = await send(server, "GET", `/${BUCKET}`, undefined, query);
        times.push(performance.now() - start);
        if (text.split("<Key>").length !== 1001) throw new Error(`${kind}: a page is not full`);
      }
      const turn = await longestTurn();
      probing.on = false;
      await prober;
      const own = (((cpuOf(server.pid) - cpu) * 1000) / pages).toFixed(0);
      const [most, slowest] = [times, heads].map((all) => Math.max(...all).toFixed(0));
      const head = median(heads).toFixed(1);
      const cells = [median(times).toFixed(1), most, own, head, slowest, turn];
      console.log(`| ${kind} | ${work} | ${cells.join(" | ")} | ${peakOf(server.pid)} |`);
    };
    await row(`first page of ${count} keys`, 1);
    await row("pages anywhere", Number(flags.pages));
    const other = { name: kind, ...(await startServer(kind, dir, [])) };
    running.push(other);
    const writing = { on: true };
    const writers = [server, other, other].map(async (to, writer) => {
      for (let turn = 0; writing.on; turn += 1) {
        const key = `/${BUCKET}/flat/${name((turn * 7919 * (writer + 1)) % count)}-${writer}-${turn}`;
        await until(() => send(to, "PUT", key, BODY));
        if (turn % 3 === 0) await send(to, "DELETE", key);
      }
    });
    await row("pages anywhere, beside writers", Number(flags.pages));
    writing.on = false;
    await Promise.all(writers);
  }
}
