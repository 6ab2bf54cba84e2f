/**
 * The files of docs/engines, unchanged, on the engines they are for. Runs with PAIL_TEST_ENGINES=1,
 * for the engines that are on the machine: GNU parallel; Slurm and munge (slurmctld, slurmd and
 * munged as daemons of this user on 127.0.0.1); kubernetes-validate of PyPI. Kubernetes and AWS
 * Batch are played: the commands of their files are run with the variables that they set.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { BIN, createHome, finish, type Home, RUNTIME } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";

const ENGINES = fileURLToPath(new URL("../../docs/engines/", import.meta.url));
const asked = process.env["PAIL_TEST_ENGINES"] === "1";
const isHere = (program: string, ...args: string[]) => {
  const here = asked && spawnSync(program, args, { stdio: "ignore" }).status === 0;
  if (asked && !here) console.warn(`skipped: there is no ${program}`);
  return here;
};

/** pail, but twice in a run the second shard is killed once it has begun its report. */
const KILLED_TWICE = `#!/bin/sh
run_pail() { exec "${RUNTIME}" "${BIN}" "$@"; }
case "$*" in *--shard*) ;; *) run_pail "$@" ;; esac
[ "$SECOND" = "\${PARALLEL_SEQ:-}\${SLURM_ARRAY_TASK_ID:-}" ] || run_pail "$@"
for round in 1 2; do
  mkdir "$KILLS/$round" 2> /dev/null || continue
  (run_pail "$@") & child=$!
  until [ "$(ls "$REPORTS" 2> /dev/null | grep -c sync-2-of)" -ge $round ]; do :; done
  kill -9 $child
  wait $child
  exit
done
run_pail "$@"
`;

let home: Home;
let serve: Serve;
let far: Home;
let farServe: Serve;
let sh: (words: readonly string[], env?: NodeJS.ProcessEnv) => ReturnType<typeof finish>;
beforeAll(async () => {
  if (!asked) return;
  home = createHome();
  serve = await startServe(home);
  far = createHome();
  farServe = await startServe(far);
  for (const [alias, service] of [
    ["play", serve],
    ["work", farServe],
  ] as const) {
    const { endpoint, accessKeyId, secretAccessKey } = service;
    const url = endpoint.replace("//", `//${accessKeyId}:${secretAccessKey}@`);
    home.env[`PAIL_HOST_${alias}`] = url;
  }
  for (const bucket of ["play/photos", "play/ops", "work/photos", "work/other"]) {
    expect((await home.pail(["mb", bucket])).code).toBe(0);
  }
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pail"), KILLED_TWICE, { mode: 0o755 });
  home.env["PATH"] = `${bin}:${home.env["PATH"]}`;
  sh = (words, env) =>
    finish(spawn(words[0]!, words.slice(1), { cwd: home.directory, env: { ...home.env, ...env } }));
  for (let i = 0; i < 200; i++) {
    const path = join(home.directory, "source", `d${i % 7}`, `${i} é`);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, String(i).repeat(i));
  }
  expect((await home.pail(["sync", "-q", "source", "play/photos"])).code).toBe(0);
});
afterAll(async () => {
  if (!asked) return;
  await serve.stop();
  await farServe.stop();
  home.remove();
  far.remove();
});

const run = () => join(home.directory, "run");
const extras = (second: string) => ({
  SECOND: second,
  KILLS: join(home.directory, "kills"),
  REPORTS: join(run(), "reports"),
});
beforeEach(async () => {
  if (!asked) return;
  for (const name of ["run", "kills"]) {
    rmSync(join(home.directory, name), { recursive: true, force: true });
    mkdirSync(join(home.directory, name));
  }
  // Something to copy, and something to remove.
  await home.pail(["rm", "-q", "-r", "--force", "work/photos", "work/other", "play/ops"]);
  await home.pail(["cp", "-q", "source/d0/0 é", "work/other/extra"]);
});

async function expectSame(target: string): Promise<void> {
  const { code, stdout } = await home.pail(["diff", "play/photos", target]);
  expect([code, stdout]).toEqual([0, ""]);
}

it.skipIf(!isHere("parallel", "--version"))(
  "GNU parallel, one shard killed twice",
  async () => {
    const words = ["sh", join(ENGINES, "parallel.sh"), "play/photos", "work/other", "4", "run"];
    const { code, stderr } = await sh(words, extras("2"));
    expect([code, stderr]).toEqual([0, expect.stringContaining("4 of 4 shards whole")]);
    // Two that were killed, and the one that came to its end.
    expect(
      readdirSync(join(run(), "reports")).filter((name) => name.includes("-2-of-")),
    ).toHaveLength(3);
    expect(readdirSync(join(home.directory, "kills"))).toHaveLength(2);
    await expectSame("work/other");
    // The same again has nothing to do.
    const before = readdirSync(join(run(), "reports"));
    expect((await sh(words, extras("2"))).code).toBe(0);
    for (const name of readdirSync(join(run(), "reports"))) {
      if (before.includes(name)) continue;
      expect(readFileSync(join(run(), "reports", name), "utf8")).toContain(
        '{"end":true,"items":0,',
      );
    }
  },
  120_000,
);

describe.skipIf(!isHere("slurmctld", "-V") || !isHere("munged", "--version"))("Slurm", () => {
  let daemons: ChildProcess[] = [];
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const directory = join(home.directory, "slurm");
    const at = (name: string) => join(directory, name);
    for (const name of ["", "state", "spool"]) mkdirSync(at(name));
    chmodSync(home.directory, 0o755);
    writeFileSync(at("key"), randomBytes(1024), { mode: 0o400 });
    const [own, node] = [await freePort(), await freePort()];
    const host = hostname().split(".")[0]!;
    const { username } = (await import("node:os")).userInfo();
    const lines = {
      ClusterName: "pail",
      SlurmctldHost: `${host}(127.0.0.1)`,
      SlurmctldPort: own,
      SlurmdPort: node,
      AuthType: "auth/munge",
      AuthInfo: `socket=${at("socket")}`,
      SlurmUser: username,
      SlurmdUser: username,
      StateSaveLocation: at("state"),
      SlurmdSpoolDir: at("spool"),
      SlurmctldPidFile: at("slurmctld.pid"),
      SlurmdPidFile: at("slurmd.pid"),
      ProctrackType: "proctrack/pgid",
      TaskPlugin: "task/none",
      SelectType: "select/cons_tres",
      SelectTypeParameters: "CR_CPU",
      SlurmdParameters: "config_overrides",
      MpiDefault: "none",
      NodeName: `${host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN`,
      PartitionName: "all Nodes=ALL Default=YES State=UP",
    };
    const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(at("slurm.conf"), text.join(""));
    env = { SLURM_CONF: at("slurm.conf") };
    const munge = [
      "key-file=key",
      "socket=socket",
      "pid-file=pid",
      "log-file=log",
      "seed-file=seed",
    ];
    const options = munge.map((word) => `--${word.replace("=", `=${directory}/`)}`);
    const start = (program: string, ...args: string[]) =>
      daemons.push(spawn(program, args, { env: { ...home.env, ...env }, stdio: "ignore" }));
    const until = async (words: readonly string[], says: string) => {
      while (!(await sh(words, env)).stdout.includes(says)) await new Promise(setImmediate);
    };
    start("munged", "--force", "--foreground", ...options);
    await until(["sh", "-c", `munge -n -S ${at("socket")}`], "MUNGE:");
    start("slurmctld", "-D", "-c");
    start("slurmd", "-D");
    await until(["sinfo", "-h", "-o", "%t"], "idle");
  }, 60_000);
  afterAll(async () => {
    for (const daemon of daemons.reverse()) {
      daemon.kill();
      await finish(daemon);
    }
    daemons = [];
  });

  it("an array, one task killed twice", async () => {
    const split = await home.pail(["split", "play/photos", "--into", "4"]);
    writeFileSync(join(run(), "split"), split.stdout);
    const submit = ["sbatch", "--wait", "--array=0-3", join(ENGINES, "slurm.sh")];
    const words = [...submit, "play/photos", "work/other", "run"];
    for (let round = 0; round < 2; round++) {
      expect((await sh(words, { ...env, ...extras("1") })).code).not.toBe(0);
      const { code, stdout } = await home.pail(["report", "merge", "run/reports/"]);
      expect([code, stdout]).toEqual([7, expect.stringContaining("pail sync --shard 2/4 ")]);
    }
    expect((await sh(words, { ...env, ...extras("1") })).code).toBe(0);
    expect((await home.pail(["report", "merge", "run/reports/"])).code).toBe(0);
    await expectSame("work/other");
  }, 120_000);
});

describe("an engine that numbers its tasks as Kubernetes and AWS Batch do", () => {
  const manifest = readFileSync(join(ENGINES, "kubernetes.yaml"), "utf8");
  const [, args = ""] = /\n +args:\n((?: +- .*\n)+)/.exec(manifest) ?? [];
  const batch = JSON.parse(readFileSync(join(ENGINES, "aws-batch.json"), "utf8")) as {
    arrayProperties: { size: number };
    containerOverrides: { command: string[] };
  };

  it.skipIf(!asked).each([
    [
      "Kubernetes",
      [...args.matchAll(/- (.*)/g)].map(([, word]) => word!),
      (index: number) => ({ JOB_COMPLETION_INDEX: String(index) }),
    ],
    [
      "AWS Batch",
      batch.containerOverrides.command,
      (index: number) => ({
        AWS_BATCH_JOB_ARRAY_INDEX: String(index),
        AWS_BATCH_JOB_ARRAY_SIZE: "4",
      }),
    ],
  ])("%s: the command of its file", async (_, command, variables) => {
    const { stdout } = await home.pail(["split", "play/photos", "--into", "4"]);
    await home.pail(["put", "-", "play/ops/photos.split"], { stdin: stdout });
    for (let index = 0; index < 4; index++) {
      const env = { ...home.env, ...variables(index) };
      expect(await home.pail(command, { env })).toMatchObject({ code: 0 });
    }
    expect((await home.pail(["report", "merge", "play/ops/photos/"])).code).toBe(0);
    await expectSame("work/photos");
  });

  const validate = "kubernetes-validate";
  it.skipIf(!isHere(validate, "--version"))(
    "the manifest is valid by the schema of Kubernetes",
    async () => {
      const check = (path: string) => sh([validate, "--strict", path]);
      expect((await check(join(ENGINES, "kubernetes.yaml"))).code).toBe(0);
      const wrong = join(home.directory, "wrong.yaml");
      writeFileSync(wrong, manifest.replace("completionMode", "mode"));
      expect((await check(wrong)).code).not.toBe(0);
    },
  );
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
