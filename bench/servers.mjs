/** The servers a benchmark runs against: the null sink or a real one, and a TLS front before it. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { KEY, SECRET } from "./clients.mjs";

const SINK_SOURCES = ["http.c", "s3.c"].map((name) =>
  fileURLToPath(new URL(`sink/${name}`, import.meta.url)),
);

const DELAY = fileURLToPath(new URL("delay.mjs", import.meta.url));
const PAIL = fileURLToPath(new URL("../bin/run.js", import.meta.url));

/** The command that starts a real server, and where it says its version. */
const REAL = {
  pail: {
    command: process.execPath,
    version: [PAIL, "--version"],
    args: (port) => [PAIL, "serve", "--address", `127.0.0.1:${port}`],
    env: (dir) => ({ PAIL_STORE_DIR: dir }),
    prepare(dir) {
      const key = { accessKeyId: KEY, secretAccessKey: SECRET, created: new Date() };
      writeFileSync(join(dir, "keys.json"), JSON.stringify({ version: 1, keys: [key] }));
    },
  },
  minio: {
    version: ["--version"],
    args: (port, dir) => ["server", dir, "--quiet", "--address", `127.0.0.1:${port}`],
    env: () => ({ MINIO_ROOT_USER: KEY, MINIO_ROOT_PASSWORD: SECRET }),
  },
  versitygw: {
    version: ["--version"],
    args: (port, dir) => ["--port", `127.0.0.1:${port}`, "posix", dir],
    env: () => ({ ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: SECRET }),
  },
};

/**
 * Starts a server (`sink`, `pail`, `minio` or `versitygw`) that keeps its data below `dir`; throws where it
 * cannot. `objects` are the sink's canned ones (see `preset` in sink/sink.h).
 */
export async function startServer(name, dir, objects) {
  mkdirSync(dir, { recursive: true });
  if (name === "sink") return await startSink(dir, objects);
  const real = REAL[name];
  if (real === undefined)
    throw new Error(`a server is sink or one of ${Object.keys(REAL).join(", ")}`);
  const port = await freePort();
  real.prepare?.(dir);
  const env = { ...process.env, ...real.env(dir) };
  const child = spawn(real.command ?? name, real.args(port, dir), { stdio: "ignore", env });
  const started = watch(child);
  await Promise.race([listening(port), started.failed]);
  return { endpoint: `http://127.0.0.1:${port}`, port, pid: child.pid, stop: started.stop };
}

async function startSink(dir, objects) {
  const binary = join(dir, "sink");
  const compiled = spawnSync("cc", ["-O2", "-o", binary, ...SINK_SOURCES], { encoding: "utf8" });
  if (compiled.status !== 0) {
    throw new Error(`the null sink needs cc and Linux: ${compiled.stderr ?? compiled.error}`);
  }
  const port = await freePort();
  const started = watch(spawn(binary, [String(port), ...objects], { stdio: "ignore" }));
  await Promise.race([listening(port), started.failed]);
  const endpoint = `http://127.0.0.1:${port}`;
  const stats = async () => await (await fetch(`${endpoint}/__stats`)).json();
  return { endpoint, port, stop: started.stop, stats };
}

/** Puts a line with a round trip of `rtt` ms and a window of bytes before `port` (delay.mjs). */
export async function startDelay(port, rtt, window) {
  const far = await freePort();
  const args = [DELAY, far, port, rtt, window].map(String);
  const started = watch(spawn(process.execPath, args, { stdio: "ignore" }));
  await Promise.race([listening(far), started.failed]);
  return { endpoint: `http://127.0.0.1:${far}`, port: far, stop: started.stop };
}

/** Puts an nginx before `port` that ends TLS; throws where nginx or openssl is missing. */
export async function startTls(dir, port) {
  mkdirSync(dir, { recursive: true });
  if (!existsSync(join(dir, "cert.pem"))) {
    const request =
      "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext " +
      "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem";
    execFileSync("openssl", request.split(" "), { cwd: dir, stdio: "ignore" });
  }
  const secure = await freePort();
  const config = join(dir, `${secure}.conf`);
  writeFileSync(config, nginxConfig(dir, secure, port));
  const started = watch(spawn("nginx", ["-c", config], { stdio: "ignore" }));
  await Promise.race([listening(secure), started.failed]);
  return {
    endpoint: `https://127.0.0.1:${secure}`,
    port: secure,
    certificate: join(dir, "cert.pem"),
    stop: started.stop,
  };
}

/** The first line in which a server tells its version. */
export function versionOf(name) {
  if (name === "sink") return "null server (bench/sink)";
  const args = name === "nginx" ? ["-v"] : REAL[name].version;
  const { stdout, stderr } = spawnSync(REAL[name]?.command ?? name, args, { encoding: "utf8" });
  const [line] = (stdout + stderr).trim().split("\n");
  return line.includes(name) ? line : `${name}: ${line}`;
}

function nginxConfig(dir, secure, port) {
  return `daemon off; worker_processes 1; pid ${dir}/${secure}.pid; error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  access_log off; client_max_body_size 0; proxy_temp_path ${dir}; client_body_temp_path ${dir};
  upstream server { server 127.0.0.1:${port}; keepalive 256; }
  server {
    listen 127.0.0.1:${secure} ssl;
    ssl_certificate ${dir}/cert.pem; ssl_certificate_key ${dir}/key.pem;
    keepalive_requests 1000000; proxy_request_buffering off; proxy_buffering off;
    location / { proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; }
  }
}`;
}

/** `failed` rejects when the server ends; `stop` ends it and resolves when it has. */
function watch(child) {
  const failed = new Promise((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${child.spawnfile} exited with ${code}`)));
  });
  // Heard while it starts; later its end shows in the clients' failures.
  const ended = failed.catch(() => undefined);
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { failed, stop };
}

async function freePort() {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  for (let tries = 0; tries < 500; tries += 1) {
    const up = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.unref();
      socket.once("connect", () => socket.destroy());
    });
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`nothing listens on port ${port}`);
}
