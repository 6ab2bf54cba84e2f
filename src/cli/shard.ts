/** `--shard` and `--split`: one command on many machines, each with its own range of names. */
import { readFileSync } from "node:fs";

import { valueFlag } from "./args.js";
import type { Context } from "../context.js";
import { AppError, usageError } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import type { Shard } from "../core/key-range.js";
import { mayBePattern } from "../core/operations/address.js";
import { parseSplit, shardOf } from "../core/split/file.js";
import { readAll } from "../protocol/message.js";
import { place } from "./places.js";

const helpGroup = "MANY MACHINES";

export const shardFlags = {
  shard: valueFlag(
    "Only the range of this number, as 3/8, or auto: by the task's number in its Kubernetes Indexed Job, Slurm or AWS Batch array, or GNU parallel.",
    "I/N|auto",
    { dependsOn: ["split"], exclusive: ["stdin", "version-id", "apply", "incomplete"], helpGroup },
  ),
  split: valueFlag("The ranges, as pail split writes them: a file or an object.", "FILE", {
    dependsOn: ["shard"],
    helpGroup,
  }),
};

export interface ShardInput {
  readonly shard?: string | undefined;
  readonly split?: string | undefined;
  readonly literal?: boolean | undefined;
}

/** As large as the split of a million ranges. */
const LARGEST = 512 * 1024 * 1024;

/** The shard that the flags ask for, of the places that the command names. Throws usage errors. */
export async function readShard(
  context: Context,
  { shard, split: file, literal }: ShardInput,
  places: readonly string[],
): Promise<Shard | undefined> {
  if (shard === undefined || file === undefined) return undefined;
  const pattern = literal === true ? undefined : places.find(mayBePattern);
  if (pattern !== undefined) {
    throw usage(`--shard works on a place, and "${pattern}" may be a pattern`, "name the place");
  }
  const split = parseSplit(await textOf(context, file), file);
  const of = split.ranges.length;
  const task = shard === "auto" ? taskOf(context.env) : undefined;
  const [, number, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(shard) ?? [];
  const index = task?.index ?? Number(number) - 1;
  const tasks = task === undefined ? Number(count) : (task.count ?? of);
  if (Number.isNaN(index)) throw usage(`"${shard}" is no shard`, "write it as 3/8, or auto");
  if (tasks !== of || !(index >= 0 && index < of)) {
    const said = task === undefined ? `--shard ${shard}` : task.said;
    throw usage(
      `${said} does not fit ${file}, which has ${of} ranges`,
      `as many tasks as ranges; for one of them alone, --shard ${Math.min(Math.max(index, 0), of - 1) + 1}/${of}`,
    );
  }
  return shardOf(split, index + 1, places, file);
}

async function textOf(context: Context, file: string): Promise<string> {
  const found = await place(context, file, "source");
  if (found.type === "bucket") {
    const { body } = await found.storage.read(found.key);
    try {
      return (await readAll(body, LARGEST)).toString();
    } catch (error) {
      if (error instanceof RangeError)
        throw usage(`${file} is too large for a split`, "name the file that pail split wrote");
      throw error;
    }
  }
  if (found.type === "stdio") throw usage("a split is read from a file", "--split FILE");
  try {
    return readFileSync(found.path, "utf8");
  } catch (error) {
    throw localError(error, "read", found.path);
  }
}

/** The engines: the variable that numbers a task, the first number, the step, and the number of tasks. */
const ENGINES = [
  { task: "JOB_COMPLETION_INDEX" },
  { task: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE" },
  {
    task: "SLURM_ARRAY_TASK_ID",
    first: "SLURM_ARRAY_TASK_MIN",
    step: "SLURM_ARRAY_TASK_STEP",
    count: "SLURM_ARRAY_TASK_COUNT",
  },
  // The slot of a job is no number of its own: it is used again.
  { task: "PARALLEL_SEQ", from: 1 },
] as const;

/** The task that this process is, from 0 on; of how many, where its engine says so. */
function taskOf(env: NodeJS.ProcessEnv) {
  const set = ENGINES.filter(({ task }) => env[task] !== undefined && env[task] !== "");
  const [engine, other] = set;
  const numbered = "number the task yourself: --shard 3/8";
  if (engine === undefined) {
    const names = ENGINES.map(({ task }) => task).join(", ");
    throw usage(`--shard auto finds no task: none of ${names} is set`, numbered);
  }
  if (other !== undefined) {
    throw usage(`${engine.task} and ${other.task} are both set: which one counts?`, numbered);
  }
  const said: string[] = [];
  const read = (name: string | undefined): number | undefined => {
    const text = name === undefined ? undefined : env[name];
    if (text === undefined) return undefined;
    said.push(`${name}=${text}`);
    if (!/^\d{1,9}$/.test(text)) throw usage(`${name} is "${text}", not a number`, numbered);
    return Number(text);
  };
  const { task, count } = { count: undefined, ...engine };
  const first = "first" in engine ? read(engine.first) : "from" in engine ? engine.from : 0;
  const step = "step" in engine ? read(engine.step) : 1;
  const index = (read(task)! - (first ?? 0)) / (step || 1);
  const whole = Number.isInteger(index) ? index : -1;
  return { index: whole, count: read(count), said: said.join(", ") };
}

function usage(message: string, hint: string): AppError {
  return usageError("InvalidShard", message, hint);
}
