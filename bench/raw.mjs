/**
 * The cost of the same work on bare sockets, signed and with nothing around it: the physical
 * reference beside the clients. A place is BUCKET/KEY or BUCKET/PREFIX.
 *
 *   node bench/raw.mjs up-all   ENDPOINT PLACE DIR      each file of DIR, hashed and signed
 *   node bench/raw.mjs down-all ENDPOINT PLACE DIR TO   objects named like the files of DIR, into TO
 *   node bench/raw.mjs up       ENDPOINT PLACE FILE     one PUT, payload not hashed
 *   node bench/raw.mjs down     ENDPOINT PLACE FILE     one GET
 *   node bench/raw.mjs down-ranges ENDPOINT PLACE FILE SIZE THREADS   in ranges of 8 MiB over eight
 *                                          sockets, each with its CRC32, by so many threads
 *   node bench/raw.mjs relay    ENDPOINT PLACE ENDPOINT PLACE   one GET into one PUT
 *   node bench/raw.mjs list     ENDPOINT BUCKET         every page, read and dropped
 */
import { createHmac, createSecretKey, hash } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, readdirSync } from "node:fs";
import { readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { crc32 } from "node:zlib";

import { KEY, SECRET } from "./clients.mjs";

const SOCKETS = 64;
const CHUNK = 1024 * 1024;
const RANGE = 8 * CHUNK;
/** The most that TLS hands over at a time. */
const RECORD = 16 * 1024;
const EMPTY = hash("sha256", "");
const UNSIGNED = "UNSIGNED-PAYLOAD";
const SCOPE_END = "us-east-1/s3/aws4_request";

const MODES = {
  "up-all": upAll,
  "down-all": downAll,
  "down-ranges": downRanges,
  up,
  down,
  relay,
  list,
};
const [mode, ...words] = process.argv.slice(2);
if (isMainThread) await MODES[mode](...words);
else await fetchRanges(workerData);

async function upAll(endpoint, place, dir) {
  const names = readdirSync(dir);
  const sign = signer(endpoint);
  const next = () => {
    const name = names.pop();
    if (name === undefined) return undefined;
    const file = openSync(join(dir, name), "r");
    const body = Buffer.allocUnsafe(fstatSync(file).size);
    readSync(file, body);
    closeSync(file);
    const head = sign("PUT", `/${place}/${name}`, hash("sha256", body), body.length);
    return { bytes: Buffer.concat([Buffer.from(head, "latin1"), body]) };
  };
  await exchange(endpoint, { sockets: SOCKETS, room: 16 * 1024, next });
}

async function downAll(endpoint, place, dir, to) {
  const names = readdirSync(dir);
  const sign = signer(endpoint);
  const next = () => {
    const name = names.pop();
    if (name === undefined) return undefined;
    return { name, bytes: sign("GET", `/${place}/${name}`, EMPTY, 0) };
  };
  const take = ({ name }, body) => {
    const temporary = join(to, `.${name}`);
    writeFileSync(temporary, body, { flag: "wx" });
    renameSync(temporary, join(to, name));
  };
  await exchange(endpoint, { sockets: SOCKETS, room: 16 * 1024, next, take });
}

async function list(endpoint, bucket) {
  const sign = signer(endpoint);
  let query = "list-type=2";
  const next = () => query && { bytes: sign("GET", `/${bucket}?${query}`, EMPTY, 0) };
  const take = (_, body) => {
    const token = /<NextContinuationToken>(.*?)</.exec(body.latin1Slice())?.[1];
    query = token && `continuation-token=${encodeURIComponent(token)}&list-type=2`;
  };
  await exchange(endpoint, { sockets: 1, room: CHUNK, next, take });
}

async function up(endpoint, place, path) {
  const file = openSync(path, "r");
  const { size } = fstatSync(file);
  const target = await sendTo(endpoint, place, size);
  const chunk = Buffer.allocUnsafeSlow(CHUNK);
  for (let left = size; left > 0;) {
    const count = readSync(file, chunk);
    await target.write(chunk.subarray(0, count));
    left -= count;
  }
  await target.answered;
}

function down(endpoint, place, path) {
  const file = openSync(path, "wx");
  let left;
  return new Promise((resolve, reject) => {
    const callback = (count, buffer) => {
      const bytes = buffer.subarray(0, count);
      const response = left === undefined ? requireHead(bytes) : { start: 0, length: left };
      left = response.length - (count - response.start);
      writeSync(file, bytes, response.start);
      if (left === 0) socket.end();
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(CHUNK), callback };
    const socket = dial(endpoint, onread, () => socket.write(getHead(endpoint, place), "latin1"));
    socket.once("error", reject);
    socket.once("close", () => (left === 0 ? resolve() : reject(new Error("the body was cut"))));
  });
}

async function downRanges(endpoint, place, path, size, threads) {
  const file = openSync(path, "wx");
  ftruncateSync(file, Number(size));
  closeSync(file);
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const work = { endpoint, place, path, size: Number(size), sockets: 8 / threads, taken };
  const others = Array.from({ length: threads - 1 }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: work });
    return new Promise((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", resolve);
    });
  });
  await Promise.all([fetchRanges(work), ...others]);
}

/** Fetches ranges that no other thread has taken, until there are none. */
async function fetchRanges({ endpoint, place, path, size, sockets, taken }) {
  const file = openSync(path, "r+");
  const sign = signer(endpoint);
  const one = () =>
    new Promise((resolve, reject) => {
      let start;
      let left;
      let position;
      let crc = 0;
      const advance = () => {
        start = Atomics.add(taken, 0, 1) * RANGE;
        if (start >= size) {
          socket.end();
          return resolve(crc);
        }
        left = undefined;
        position = start;
        const end = Math.min(size, start + RANGE) - 1;
        const head = sign("GET", `/${place}`, EMPTY, 0);
        socket.write(head.replace("\r\n", `\r\nrange: bytes=${start}-${end}\r\n`), "latin1");
      };
      const callback = (count, buffer) => {
        const bytes = buffer.subarray(0, count);
        const response = left === undefined ? requireHead(bytes) : { start: 0, length: left };
        const body = bytes.subarray(response.start);
        left = response.length - body.length;
        crc = crc32(body, position === start ? 0 : crc);
        position += writeSync(file, body, 0, body.length, position);
        if (left === 0) advance();
        return true;
      };
      const onread = { buffer: Buffer.allocUnsafeSlow(CHUNK / 4), callback };
      const socket = dial(endpoint, onread, advance);
      socket.once("error", reject);
    });
  await Promise.all(Array.from({ length: sockets }, one));
  closeSync(file);
}

function relay(endpoint, place, otherEndpoint, otherPlace) {
  // Over TLS more may come after the reading was paused, so every chunk has a buffer of its own.
  const room = endpoint.startsWith("https:") ? RECORD : CHUNK;
  const free = [];
  let waiting = 0;
  let target;
  let left;
  const pass = async (before, buffer, count) => {
    await before;
    const bytes = buffer.subarray(0, count);
    const response = target === undefined ? requireHead(bytes) : { start: 0, length: left };
    target ??= await sendTo(otherEndpoint, otherPlace, response.length);
    left = response.length - (count - response.start);
    await target.write(bytes.subarray(response.start));
    free.push(buffer);
    waiting -= 1;
    if (waiting === 0) source.resume();
    if (left > 0) return;
    source.end();
    await target.answered;
  };
  let source;
  return new Promise((resolve, reject) => {
    let last;
    const callback = (count, buffer) => {
      waiting += 1;
      last = pass(last, buffer, count);
      last.catch(reject);
      return false;
    };
    const buffer = () => free.pop() ?? Buffer.allocUnsafeSlow(room);
    source = dial(endpoint, { buffer, callback }, () => {
      source.write(getHead(endpoint, place), "latin1");
    });
    source.once("error", reject);
    source.once("close", () =>
      left === 0 ? resolve(last) : reject(new Error("the body was cut")),
    );
  });
}

/** Sends what `next` gives over several sockets, each waiting for its answer, until it has no more. */
async function exchange(endpoint, { sockets, room, next, take }) {
  await Promise.all(Array.from({ length: sockets }, () => converse(endpoint, room, next, take)));
}

function converse(endpoint, room, next, take) {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.allocUnsafeSlow(room);
    const open = () => {
      let held = 0;
      let request;
      let over = false;
      const advance = () => {
        request = next();
        over = request === undefined;
        if (over) socket.end();
        else socket.write(request.bytes, "latin1");
      };
      const callback = (count) => {
        held += count;
        const response = parse(buffer.subarray(0, held));
        if (response === undefined || held < response.start + response.length) return true;
        take?.(request, buffer.subarray(response.start, held));
        held = 0;
        request = undefined;
        // versitygw closes after every answer.
        if (response.closes) socket.end();
        else advance();
        return true;
      };
      const socket = dial(endpoint, { buffer: () => buffer.subarray(held), callback }, advance);
      socket.once("error", reject);
      socket.once("close", () => {
        if (over) resolve();
        else if (request === undefined) open();
        else reject(new Error("the server hung up before it answered"));
      });
    };
    open();
  });
}

/** Begins a PUT; `write` resolves when the kernel has the bytes, `answered` with the response. */
async function sendTo(endpoint, place, size) {
  const answer = withResolvers();
  const buffer = Buffer.allocUnsafeSlow(CHUNK);
  const callback = (count) => {
    try {
      answer.resolve(requireHead(buffer.subarray(0, count)));
    } catch (error) {
      answer.reject(error);
    }
    socket.end();
    return true;
  };
  const connected = withResolvers();
  const socket = dial(endpoint, { buffer, callback }, connected.resolve);
  socket.once("error", answer.reject);
  await Promise.race([connected.promise, answer.promise]);
  socket.write(signer(endpoint)("PUT", `/${place}`, UNSIGNED, size), "latin1");
  const write = (bytes) =>
    new Promise((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  return { write, answered: answer.promise };
}

function getHead(endpoint, place) {
  return signer(endpoint)("GET", `/${place}`, EMPTY, 0);
}

/** Where the body of a response starts and how long it is; undefined while its head is incomplete. */
function parse(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.latin1Slice(0, end);
  if (!head.startsWith("HTTP/1.1 2")) throw new Error(bytes.latin1Slice());
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return { start: end + 4, length, closes: /\r\nconnection: close/i.test(head) };
}

/** `parse` for where a head comes in one piece, as it does on loopback. */
function requireHead(bytes) {
  const response = parse(bytes);
  if (response === undefined) throw new Error("the head of the response came in pieces");
  return response;
}

function dial(endpoint, onread, connected) {
  const { hostname: host, port, protocol } = new URL(endpoint);
  const options = { host, port: Number(port), onread };
  if (protocol === "http:") return connect(options, connected).setNoDelay(true);
  const ca = readFileSync(process.env["AWS_CA_BUNDLE"]);
  return connectTls({ ...options, ca }, connected).setNoDelay(true);
}

/** Heads of signed requests (AWS Signature Version 4), the key derived once. */
function signer(endpoint) {
  const { host } = new URL(endpoint);
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${SCOPE_END}`;
  const mac = (key, text) => createHmac("sha256", key).update(text).digest();
  const key = createSecretKey(scope.split("/").reduce(mac, `AWS4${SECRET}`));
  const names = "content-length;host;x-amz-content-sha256;x-amz-date";
  return (method, target, payload, length) => {
    const [path, query = ""] = target.split("?");
    const headers = `content-length:${length}\nhost:${host}\nx-amz-content-sha256:${payload}\nx-amz-date:${time}\n`;
    const canonical = `${method}\n${path}\n${query}\n${headers}\n${names}\n${payload}`;
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash("sha256", canonical)}`;
    const signature = createHmac("sha256", key).update(text).digest("hex");
    const authorization = `AWS4-HMAC-SHA256 Credential=${KEY}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return `${method} ${target} HTTP/1.1\r\n${headers.replaceAll("\n", "\r\n")}authorization: ${authorization}\r\n\r\n`;
  };
}

function withResolvers() {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
