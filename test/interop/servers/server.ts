/** Other people's S3 servers, started for a test on a free port of 127.0.0.1. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

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
}

export interface RunningServer {
  readonly endpoint: string;
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
    },
  }),
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
  const endpoint = `http://127.0.0.1:${port}`;
  await untilAnswering(endpoint, child, () => said);
  return {
    endpoint,
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
    // Any answer will do, but one that says the server is not ready yet.
    const status = await fetch(endpoint).then(
      (answer) => answer.status,
      () => 503,
    );
    if (status !== 503) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
