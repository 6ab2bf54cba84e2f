/** The servers a benchmark runs against: the null sink, and a TLS front before it. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { KEY, SECRET } from "./clients.mjs";

/** Compiles and starts the sink; undefined where there is no C compiler or no epoll. */
export async function startSink(scratch, objects = []) {
  const binary = join(scratch, "sink");
  const source = fileURLToPath(new URL("sink.c", import.meta.url));
  try {
    execFileSync("cc", ["-O2", "-w", "-o", binary, source], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const port = await freePort();
  const child = spawn(binary, [String(port), ...objects], { stdio: "ignore" });
  await listening(port);
  return { endpoint: `http://127.0.0.1:${port}`, port, stop: () => child.kill() };
}

/** What a real server is started with; each keeps its data under `scratch`. */
const REAL = {
  minio: (port, dir) => ({
    args: ["server", dir, "--quiet", "--address", `127.0.0.1:${port}`],
    env: { MINIO_ROOT_USER: KEY, MINIO_ROOT_PASSWORD: SECRET },
  }),
  versitygw: (port, dir) => ({
    args: ["--port", `127.0.0.1:${port}`, "posix", dir],
    env: { ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: SECRET },
  }),
};

/** Starts a server that is installed here; undefined where it is not. */
export async function startReal(name, scratch) {
  const port = await freePort();
  const dir = join(scratch, name);
  mkdirSync(dir, { recursive: true });
  const { args, env } = REAL[name](port, dir);
  const child = spawn(name, args, { stdio: "ignore", env: { ...process.env, ...env } });
  const failed = new Promise((resolve) => child.once("error", () => resolve(true)));
  if (await Promise.race([failed, listening(port)])) return undefined;
  return { endpoint: `http://127.0.0.1:${port}`, port, stop: () => child.kill() };
}

/** An nginx that ends TLS before `port`; undefined where nginx or openssl is missing. */
export async function startTls(scratch, port) {
  const dir = join(scratch, "tls");
  mkdirSync(dir, { recursive: true });
  const secure = await freePort();
  try {
    execFileSync(
      "openssl",
      [
        ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" "),
        ..."-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem".split(
          " ",
        ),
      ],
      { cwd: dir, stdio: "ignore" },
    );
    writeFileSync(join(dir, "nginx.conf"), nginxConfig(dir, secure, port));
    execFileSync("nginx", ["-t", "-c", join(dir, "nginx.conf")], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const child = spawn("nginx", ["-c", join(dir, "nginx.conf")], { stdio: "ignore" });
  await listening(secure);
  return {
    endpoint: `https://127.0.0.1:${secure}`,
    certificate: join(dir, "cert.pem"),
    stop: () => child.kill(),
  };
}

function nginxConfig(dir, secure, port) {
  return `daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  access_log off; client_max_body_size 0; proxy_temp_path ${dir}; client_body_temp_path ${dir};
  upstream sink { server 127.0.0.1:${port}; keepalive 256; }
  server {
    listen 127.0.0.1:${secure} ssl;
    ssl_certificate ${dir}/cert.pem; ssl_certificate_key ${dir}/key.pem;
    keepalive_requests 1000000; proxy_request_buffering off; proxy_buffering off;
    location / { proxy_pass http://sink; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; }
  }
}`;
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
