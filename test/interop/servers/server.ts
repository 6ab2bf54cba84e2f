/** S3 servers of other projects, started for a test on a free port of 127.0.0.1. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

import { selfSigned } from "../../support/certificate.js";

export interface Server {
  readonly name: string;
  /** A command that succeeds where the server is installed. */
  readonly probe: readonly [program: string, ...args: string[]];
  /** The command that serves a directory, and its variables. */
  command(
    directory: string,
    port: number,
  ): { readonly run: readonly [string, ...string[]]; readonly env: NodeJS.ProcessEnv };
  /** Keys of the contract's hostile ones that it refuses itself. */
  readonly cannot: readonly string[];
  readonly scheme?: "https";
}

export interface RunningServer {
  readonly endpoint: string;
  /** The PEM file of the authority to trust, for https. */
  readonly ca: string;
  stop(): Promise<void>;
}

/** Every server here knows this pair. */
export const CREDENTIALS = { accessKeyId: "interop", secretAccessKey: "interop-secret" };

const minio: Server = {
  name: "minio",
  probe: ["minio", "--version"],
  cannot: [],
  command: (directory, port) => ({
    run: ["minio", "server", "--quiet", "--address", `127.0.0.1:${port}`, join(directory, "data")],
    env: {
      MINIO_ROOT_USER: CREDENTIALS.accessKeyId,
      MINIO_ROOT_PASSWORD: CREDENTIALS.secretAccessKey,
      MINIO_BROWSER: "off",
      MINIO_UPDATE: "off",
      MINIO_KMS_SECRET_KEY: `${KMS_KEY}:${Buffer.alloc(32, 7).toString("base64")}`,
    },
  }),
};

/** The key of MinIO's own key management. */
export const KMS_KEY = "interop-key";

/** The same over TLS, without which nobody takes keys of the customer's. */
export const minioTls: Server = {
  ...minio,
  name: "minio over TLS",
  scheme: "https",
  command: (directory, port) => {
    const certificate = selfSigned();
    writeFileSync(join(directory, "public.crt"), certificate.cert);
    writeFileSync(join(directory, "private.key"), certificate.key);
    const { run, env } = minio.command(directory, port);
    return { run: [...run, "--certs-dir", directory], env };
  },
};

const versitygw: Server = {
  name: "versitygw",
  probe: ["versitygw", "--version"],
  cannot: [],
  command: (directory, port) => {
    const [data, versions, sidecar] = ["data", "versions", "sidecar"].map((name) => {
      mkdirSync(join(directory, name));
      return join(directory, name);
    }) as [string, string, string];
    const posix = ["posix", "--versioning-dir", versions, "--sidecar", sidecar, data];
    return {
      run: ["versitygw", "--port", `127.0.0.1:${port}`, "--quiet", ...posix],
      env: {
        ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId,
        ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey,
      },
    };
  },
};

export const moto: Server = {
  name: "moto",
  probe: ["moto_server", "--help"],
  // Its routes end at a line feed: it answers 404 in HTML.
  cannot: ["new\nline"],
  command: (_directory, port) => ({
    run: ["moto_server", "-H", "127.0.0.1", "-p", `${port}`],
    env: {},
  }),
};

/** Ceph's gateway, over a cluster of one monitor and one OSD in memory. */
export const ceph: Server = {
  name: "ceph",
  probe: ["sh", "-c", "radosgw --version && ceph-mon --version && ceph-osd --version"],
  cannot: [],
  command: (directory, port) => ({
    run: ["bash", join(import.meta.dirname, "ceph.sh"), directory, `${port}`],
    env: { USER_KEY: CREDENTIALS.accessKeyId, USER_SECRET: CREDENTIALS.secretAccessKey },
  }),
};

/** Every server that a test can start. */
export const SERVERS = [minio, versitygw, moto, ceph];

/** Starts a server; resolves once it answers. */
export async function startServer(server: Server, directory: string): Promise<RunningServer> {
  const port = await freePort();
  const { run, env } = server.command(directory, port);
  const [program, ...args] = run;
  const child = spawn(program, args, {
    cwd: directory,
    env: { PATH: process.env["PATH"], HOME: directory, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
  }
  const closed = once(child, "close");
  const endpoint = `${server.scheme ?? "http"}://127.0.0.1:${port}`;
  await untilAnswering(endpoint, child, () => said);
  return {
    endpoint,
    ca: join(directory, "public.crt"),
    stop: async () => {
      child.kill("SIGTERM");
      await closed;
    },
  };
}

async function untilAnswering(
  endpoint: string,
  child: ChildProcess,
  said: () => string,
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said()}`);
    // Any answer will do, except one that says the server is not ready yet.
    if ((await statusOf(endpoint)) !== 503) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function statusOf(endpoint: string): Promise<number | undefined> {
  const get = endpoint.startsWith("https:") ? httpsGet : httpGet;
  return new Promise((resolve) => {
    get(endpoint, { agent: false, rejectUnauthorized: false } as object, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", () => resolve(503));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
