/** Another S3 client, whichever it is, as the interoperability tests use it. */
import { spawn } from "node:child_process";

import { finish } from "../../support/run.js";

/** The server a client uses, and its credentials. */
export interface Target {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** PEM file of the authority to trust, over TLS. */
  readonly caFile: string | undefined;
  /** A directory for the client's own settings; it is the client's HOME too. */
  readonly directory: string;
}

/**
 * The client's own commands for the work that every client does. Each throws when its command
 * fails.
 */
export interface Driver {
  buckets(): Promise<string[]>;
  makeBucket(bucket: string): Promise<void>;
  /** Fails when the bucket is not empty. */
  removeBucket(bucket: string): Promise<void>;
  put(file: string, bucket: string, key: string): Promise<void>;
  get(bucket: string, key: string, file: string): Promise<void>;
  /** Uploads what is in a directory, each file under its name relative to it. */
  putTree(directory: string, bucket: string): Promise<void>;
  getTree(bucket: string, directory: string): Promise<void>;
  /** Every key. */
  keys(bucket: string): Promise<string[]>;
  copy(bucket: string, from: string, to: string): Promise<void>;
  /** A URL to read an object with. */
  presign(bucket: string, key: string): Promise<string>;
  enableVersioning(bucket: string): Promise<void>;
  /** The names by which `getVersion` knows the versions of a key, newest first. */
  versions(bucket: string, key: string): Promise<string[]>;
  getVersion(bucket: string, key: string, version: string, file: string): Promise<void>;
  /** Removes every object. */
  removeTree(bucket: string): Promise<void>;
}

export interface Client {
  readonly name: string;
  /** A command that succeeds where the client is installed. */
  readonly probe: readonly [program: string, ...args: string[]];
  /** File names it cannot carry, whatever the server. */
  readonly cannot: readonly string[];
  open(target: Target): Driver;
}

/** Runs a program to its end and returns its stdout; throws with its output when it fails. */
export async function run(
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { code, stdout, stderr } = await finish(
    spawn(program, args, { env: { PATH: process.env["PATH"], ...env } }),
  );
  if (code === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")}: exit ${code}\n${stdout}${stderr}`);
}

/** Parses JSON lines. */
export function jsonLines<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

/** The variables that every AWS-like client reads. */
export function awsEnvironment(target: Target): NodeJS.ProcessEnv {
  return {
    HOME: target.directory,
    AWS_ACCESS_KEY_ID: target.accessKeyId,
    AWS_SECRET_ACCESS_KEY: target.secretAccessKey,
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    ...(target.caFile !== undefined && { AWS_CA_BUNDLE: target.caFile }),
  };
}
