/** One sync on many machines: `split`, `--shard`, `report merge`, as people use them. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";

const NAMES = Array.from({ length: 60 }, (_, i) => `d${i % 5}/${i % 2 === 0 ? "é" : "f"} ${i}`);
const JOB = ["--delete", "source", "far/bkt/copy", "--split", "job.split", "--report", "reports/"];

let home: Home;
let serve: Serve;
let one: (args: readonly string[], env?: NodeJS.ProcessEnv) => ReturnType<Home["pail"]>;
beforeAll(async () => {
  home = createHome();
  serve = await startServe(home);
  const { endpoint, accessKeyId, secretAccessKey } = serve;
  home.env["MC_HOST_far"] = endpoint.replace("//", `//${accessKeyId}:${secretAccessKey}@`);
  one = (args, env) => home.pail(args, { env: { ...home.env, ...env } });
  expect((await one(["mb", "far/bkt"])).code).toBe(0);
  for (const name of NAMES) write(name, name);
  expect((await one(["sync", "-q", "source", "far/bkt/copy"])).code).toBe(0);
  const { stdout } = await one(["split", "source", "--into", "4"]);
  writeFileSync(join(home.directory, "job.split"), stdout);
  rmSync(join(home.directory, "source/d1"), { recursive: true });
  for (const name of NAMES.slice(0, 10)) write(`d0/more ${name.replace("/", " ")}`, "more");
  write("d4/large", "x".repeat(3_000_000));
});
afterAll(async () => {
  await serve.stop();
  home.remove();
});

function write(name: string, content: string): void {
  const path = join(home.directory, "source", name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
}

const shard = (number: number, ...more: string[]) => [
  "sync",
  "-q",
  "--shard",
  `${number}/4`,
  ...JOB,
  ...more,
];
const merge = () => one(["report", "merge", "reports/"]);

describe("a sync in four shards", () => {
  it("request 22, split over machines, is whole once all are, though one was killed twice and one had two runners", async () => {
    expect((await one(shard(1))).code).toBe(0);
    const [here, there] = await Promise.all([one(shard(2)), one(shard(2))]);
    expect([here.code, there.code].every((code) => code === 0 || code === 7 || code === 5)).toBe(
      true,
    );
    for (let round = 0; round < 2; round++) {
      const before = readdirSync(join(home.directory, "reports")).length;
      const child = home.start(shard(4));
      const ended = once(child, "exit");
      while (readdirSync(join(home.directory, "reports")).length === before) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      child.kill("SIGKILL");
      await ended;
    }
    // As a run leaves that is killed before its first line.
    writeFileSync(join(home.directory, "reports", "sync-4-of-4-empty.jsonl"), "");
    const early = await merge();
    expect(early.code).toBe(7);
    expect(early.stderr).toMatch(/shard 3\/4 is not whole: it has no report/);
    // It prints the commands to run again, for a shell to run.
    const again = early.stdout.trimEnd().split("\n");
    expect(again).toContain(`pail sync --shard 3/4 -q ${JOB.join(" ")}`);
    for (const line of again) expect((await one(line.split(" ").slice(1))).code).toBe(0);

    const done = await merge();
    expect([done.code, done.stdout]).toEqual([0, ""]);
    expect(done.stderr).toMatch(/4 of 4 shards whole/);
    expect((await one(["diff", "source", "far/bkt/copy"])).code).toBe(0);
  });

  it("is not proven by reports of two splits, or by one that is cut off", async () => {
    const other = JSON.parse(readFileSync(join(home.directory, "job.split"), "utf8")) as {
      ranges: { to?: string; after?: string }[];
    };
    other.ranges[0]!.to = other.ranges[1]!.after = "a";
    writeFileSync(join(home.directory, "other.split"), JSON.stringify(other));
    const words = ["du", "far/bkt/copy", "--split"];
    const wrong = await one([...words, "job.split", "--shard", "1/4"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("none of the places")]);
    const { stdout } = await one(["split", "far/bkt/copy", "--into", "2"]);
    writeFileSync(join(home.directory, "two.split"), stdout);
    const count = [...words, "two.split", "--report", "far/bkt/counts/", "--shard"];
    for (const number of [1, 2]) expect((await one([...count, `${number}/2`])).code).toBe(0);
    const counted = await one(["report", "merge", "--json", "far/bkt/counts/"]);
    const { objects } = JSON.parse((await one(["du", "--json", "far/bkt/copy"])).stdout.trim()) as {
      objects: number;
    };
    expect([counted.code, JSON.parse(counted.stdout)]).toEqual([
      0,
      expect.objectContaining({ type: "merged", shards: 2, whole: 2, items: objects }),
    ]);

    const sync = ["sync", "-q", "source", "far/bkt/copy", "--delete", "--report", "other/"];
    await one([...sync, "--split", "other.split", "--shard", "1/4"]);
    await one([...sync, "--split", "job.split", "--shard", "2/4"]);
    const mixed = await one(["report", "merge", "other/"]);
    expect([mixed.code, mixed.stderr]).toEqual([5, expect.stringContaining("two splits")]);
    const [file] = readdirSync(join(home.directory, "reports"));
    const path = join(home.directory, "reports", file!);
    writeFileSync(path, readFileSync(path, "utf8").split("\n").slice(0, -2).join("\n"));
    expect((await one(["report", "merge", `reports/${file}`])).code).toBe(7);
  });
});

describe("--shard auto", () => {
  const list = ["ls", "-r", "--json", "source-of", "--split", "auto.split", "--shard", "auto"];
  const run = async (env: NodeJS.ProcessEnv) => {
    const { code, stdout, stderr } = await one(list.with(3, "far/bkt/auto"), env);
    const keys = stdout
      .split("\n")
      .flatMap((line) =>
        line === "" || code !== 0 ? [] : [(JSON.parse(line) as { key: string }).key],
      );
    return { code, keys, said: stdout + stderr };
  };
  beforeAll(async () => {
    for (const name of ["1", "2", "3"]) write(`../auto/${name}`, name);
    expect((await one(["sync", "-q", "auto", "far/bkt/auto"])).code).toBe(0);
    const { stdout } = await one(["split", "far/bkt/auto", "--into", "3"]);
    writeFileSync(join(home.directory, "auto.split"), stdout);
  });

  const slurm = (id: string, min: string, count: string, step = "1") => ({
    SLURM_ARRAY_TASK_ID: id,
    SLURM_ARRAY_TASK_MIN: min,
    SLURM_ARRAY_TASK_COUNT: count,
    SLURM_ARRAY_TASK_STEP: step,
  });
  it.each([
    ["a Kubernetes Indexed Job", { JOB_COMPLETION_INDEX: "0" }, "1"],
    ["an AWS Batch array", { AWS_BATCH_JOB_ARRAY_INDEX: "2", AWS_BATCH_JOB_ARRAY_SIZE: "3" }, "3"],
    ["a Slurm array from 0", slurm("1", "0", "3"), "2"],
    ["a Slurm array from 5, by tens", slurm("25", "5", "3", "10"), "3"],
    ["GNU parallel", { PARALLEL_SEQ: "2", PARALLEL_JOBSLOT: "1" }, "2"],
  ])("takes its number from %s", async (_, env, key) => {
    expect(await run(env)).toMatchObject({ code: 0, keys: [`auto/${key}`] });
  });

  it.each([
    ["nothing", {}, "finds no task"],
    ["two engines", { JOB_COMPLETION_INDEX: "0", PARALLEL_SEQ: "1" }, "which one counts"],
    ["a task too many", { JOB_COMPLETION_INDEX: "3" }, "has 3 ranges"],
    [
      "tasks too few",
      { AWS_BATCH_JOB_ARRAY_INDEX: "0", AWS_BATCH_JOB_ARRAY_SIZE: "2" },
      "has 3 ranges",
    ],
    ["a part of a Slurm array", slurm("2", "2", "1"), "has 3 ranges"],
    ["a list of tasks with a gap", slurm("5", "0", "3"), "has 3 ranges"],
    ["a number that is none", { PARALLEL_SEQ: "x" }, "not a number"],
  ])("takes none from %s", async (_, env, words) => {
    expect(await run(env)).toMatchObject({
      code: 2,
      said: expect.stringContaining(words) as string,
    });
  });

  it.each([
    [["ls", "far/bkt/auto"], "add -r"],
    [["cp", "far/bkt/auto", "down"], "add -r"],
    [["rm", "-r", "--force", "far/bkt/auto", "far/bkt/copy"], "one place"],
    [["rm", "--stdin", "far/bkt/auto"], "--stdin"],
    [["du", "far/bkt/aut*"], "may be a pattern"],
    [["sync", "far/bkt/auto", "down", "--delete", "--delete-limit", "5"], "a share"],
    [["find", "far/bkt"], "none of the places"],
  ])("is refused with %s", async (words, why) => {
    const { code, stderr } = await one([...words, "--split", "auto.split", "--shard", "1/3"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
