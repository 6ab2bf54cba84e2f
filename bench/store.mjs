/**
 * `node bench/store.mjs [--servers pail,minio,versitygw --rounds N --small N --keys N --names N
 * --scratch DIR]`: `pail serve` beside other servers on the same disk, with one plain client of 64
 * connections: objects of 4 KiB put, read and removed, a bucket of `keys` listed to its end. Servers take
 * turns, round by round. With `--names`, pages of a catalog of so many names, made by a generator.
 */
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { KEY, SECRET } from "./clients.mjs";
import { median } from "./measure.mjs";
import { startServer, versionOf } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    servers: { type: "string", default: "pail,minio,versitygw" },
    rounds: { type: "string", default: "5" },
    small: { type: "string", default: "3000" },
    keys: { type: "string", default: "20000" },
    names: { type: "string" },
    scratch: { type: "string", default: tmpdir() },
  },
});
const CONNECTIONS = 64;
const BODY = Buffer.alloc(4096, "0123456789abcdef");
const TICKS_A_SECOND = 100;
const BUCKET = "bench";

const scratch = mkdtempSync(join(flags.scratch, "pail-bench-"));
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const running = [];
try {
  if (flags.names === undefined) await besideOthers();
  else await pagesOfNames(Number(flags.names));
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
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
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

/** One signed request (Signature V4); the body of its answer. Throws for a refusal. */
async function send({ port }, method, path, body = Buffer.alloc(0), query = "") {
  const host = `127.0.0.1:${port}`;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const hash = hex(body);
  const signed = "host;x-amz-content-sha256;x-amz-date";
  const head = `host:${host}\nx-amz-content-sha256:${hash}\nx-amz-date:${time}\n`;
  const canonical = [method, path, query, head, signed, hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, hex(canonical)].join("\n");
  const signature = hmac(signingKey(scope), text).toString("hex");
  const headers = {
    host,
    "x-amz-content-sha256": hash,
    "x-amz-date": time,
    "content-length": body.length,
    authorization: `AWS4-HMAC-SHA256 Credential=${KEY}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
  const target = query === "" ? path : `${path}?${query}`;
  return await new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, method, path: target, headers });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        const content = Buffer.concat(chunks).toString("latin1");
        if (answer.statusCode < 300) resolve(content);
        else
          reject(new Error(`${method} ${target}: ${answer.statusCode} ${content.slice(0, 300)}`));
      });
    });
    sent.end(body);
  });
}

function hex(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key, text) {
  return createHmac("sha256", key).update(text).digest();
}

function signingKey(scope) {
  return scope.split("/").reduce((key, part) => hmac(key, part), `AWS4${SECRET}`);
}

/** Some servers listen before they serve. */
async function until(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
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

/** The listing's own code over a catalog that no disk of records would fit beside. */
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
