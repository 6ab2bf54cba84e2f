/**
 * How each client says the same thing. A missing verb means that the client has none.
 * Every client signs with the same key against the same endpoint; nothing is read from the user's
 * own configuration.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const KEY = "benchmarkkey";
export const SECRET = "benchmarksecret";
const PAIL = fileURLToPath(new URL("../bin/run.js", import.meta.url));

/** The clients found on this machine, pail first. `endpoint` is `http://host:port`. */
export function clients(endpoint, scratch) {
  const host = endpoint.replace("://", `://${KEY}:${SECRET}@`);
  const aws = {
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  };
  const all = [
    {
      name: "pail",
      command: process.execPath,
      script: PAIL,
      version: [PAIL, "--version"],
      env: {
        PAIL_HOST_bench: host,
        PAIL_CONFIG_DIR: `${scratch}/pail-config`,
        PAIL_STATE_DIR: `${scratch}/pail-state`,
        PAIL_STORE_DIR: `${scratch}/pail-store`,
      },
      ls: (b) => [PAIL, "ls", `bench/${b}`],
      lsr: (b) => [PAIL, "ls", "-r", `bench/${b}`],
      up: (from, b) => [PAIL, "cp", "-q", from, `bench/${b}`],
      down: (b, to) => [PAIL, "cp", "-q", `bench/${b}`, to],
      upAll: (dir, b) => [PAIL, "cp", "-q", "-r", `${dir}/`, `bench/${b}`],
      downAll: (b, dir) => [PAIL, "cp", "-q", "-r", `bench/${b}/`, dir],
      removeAll: (b) => [PAIL, "rm", "-q", "-r", "--force", `bench/${b}`],
      copy: (from, to) => [PAIL, "cp", "-q", `bench/${from}`, `bench/${to}`],
    },
    {
      name: "s5cmd",
      command: "s5cmd",
      version: ["version"],
      env: { ...aws, S3_ENDPOINT_URL: endpoint },
      ls: (b) => ["ls", `s3://${b}`],
      lsr: (b) => ["ls", `s3://${b}/*`],
      up: (from, b) => ["cp", from, `s3://${b}`],
      down: (b, to) => ["cp", `s3://${b}`, to],
      upAll: (dir, b) => ["cp", `${dir}/`, `s3://${b}/`],
      downAll: (b, dir) => ["cp", `s3://${b}/*`, `${dir}/`],
      removeAll: (b) => ["rm", `s3://${b}/*`],
      copy: (from, to) => ["cp", `s3://${from}`, `s3://${to}`],
    },
    {
      name: "rclone",
      command: "rclone",
      version: ["version"],
      env: {
        RCLONE_CONFIG: "/dev/null",
        RCLONE_CONFIG_B_TYPE: "s3",
        RCLONE_CONFIG_B_PROVIDER: "Other",
        RCLONE_CONFIG_B_ENDPOINT: endpoint,
        RCLONE_CONFIG_B_ACCESS_KEY_ID: KEY,
        RCLONE_CONFIG_B_SECRET_ACCESS_KEY: SECRET,
        RCLONE_CONFIG_B_REGION: "us-east-1",
        RCLONE_S3_NO_CHECK_BUCKET: "true",
      },
      ls: (b) => ["lsf", `b:${b}`],
      lsr: (b) => ["lsf", "-R", "--files-only", `b:${b}`],
      up: (from, b) => ["copyto", from, `b:${b}`],
      down: (b, to) => ["copyto", `b:${b}`, to],
      // Its best setting for many small files; with the defaults (4 transfers) it is slower.
      // It asks whether a prefix is an object, which the sink affirms; so it works on the bucket.
      upAll: (dir, b) => ["copy", "--transfers", "64", "--no-check-dest", dir, `b:${bucketOf(b)}`],
      downAll: (b, dir) => [
        "copy",
        "--transfers",
        "64",
        "--no-check-dest",
        `b:${bucketOf(b)}`,
        dir,
      ],
      removeAll: (b) => ["delete", "--transfers", "64", "--checkers", "64", `b:${bucketOf(b)}`],
      copy: (from, to) => ["copyto", `b:${from}`, `b:${to}`],
    },
    {
      name: "aws",
      command: "aws",
      version: ["--version"],
      env: aws,
      ls: (b) => ["--endpoint-url", endpoint, "s3", "ls", `s3://${b}`],
      lsr: (b) => ["--endpoint-url", endpoint, "s3", "ls", "--recursive", `s3://${b}/`],
      up: (from, b) => ["--endpoint-url", endpoint, "s3", "cp", "--quiet", from, `s3://${b}`],
      down: (b, to) => ["--endpoint-url", endpoint, "s3", "cp", "--quiet", `s3://${b}`, to],
      upAll: (dir, b) => [
        "--endpoint-url",
        endpoint,
        "s3",
        "cp",
        "--quiet",
        "--recursive",
        dir,
        `s3://${b}`,
      ],
      downAll: (b, dir) => [
        "--endpoint-url",
        endpoint,
        "s3",
        "cp",
        "--quiet",
        "--recursive",
        `s3://${b}`,
        dir,
      ],
      removeAll: (b) => [
        "--endpoint-url",
        endpoint,
        "s3",
        "rm",
        "--quiet",
        "--recursive",
        `s3://${b}`,
      ],
      copy: (from, to) => [
        "--endpoint-url",
        endpoint,
        "s3",
        "cp",
        "--quiet",
        `s3://${from}`,
        `s3://${to}`,
      ],
    },
    {
      name: "mc",
      command: "mc",
      version: ["--version"],
      env: { MC_HOST_bench: host, MC_CONFIG_DIR: `${scratch}/mc` },
      ls: (b) => ["ls", `bench/${b}`],
      lsr: (b) => ["ls", "-r", `bench/${b}`],
      up: (from, b) => ["cp", "-q", from, `bench/${b}`],
      down: (b, to) => ["cp", "-q", `bench/${b}`, to],
      upAll: (dir, b) => ["cp", "-q", "-r", `${dir}/`, `bench/${b}`],
      downAll: (b, dir) => ["cp", "-q", "-r", `bench/${b}/`, dir],
      removeAll: (b) => ["rm", "-q", "-r", "--force", `bench/${b}`],
      copy: (from, to) => ["cp", "-q", `bench/${from}`, `bench/${to}`],
    },
  ];
  return all.flatMap((client) => {
    try {
      const text = execFileSync(client.command, client.version, {
        env: { ...process.env, ...client.env },
        stdio: ["ignore", "pipe", "ignore"],
      });
      return [{ ...client, versionText: String(text).trim().split("\n")[0] }];
    } catch {
      return [];
    }
  });
}

function bucketOf(place) {
  return place.split("/")[0];
}
