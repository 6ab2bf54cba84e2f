/**
 * Jobs that have not ended when the console does: kept in the state folder, one file a console, and
 * taken over by the next one. A job goes on only when told to, and asks its questions again.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { replace, syncDirectory } from "../../system/files.js";
import { PID, type ProcessIdentity, fateOfProcess, ownIdentity } from "../../system/process.js";
import { inTurns, keptTargets } from "../state/targets.js";
import type { JobSpec, PrefixRef, JobTarget } from "../state/types.js";
import type { Handler } from "./deps.js";

const OWN = `console-jobs-${PID}.json`;
const FILES = /^console-jobs-.+\.json$/;

async function write(directory: string, specs: readonly JobSpec[]): Promise<void> {
  const file = join(directory, OWN);
  if (specs.length === 0) return await rm(file, { force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, textOf(specs), { flag: "wx", mode: 0o600, flush: true });
    await replace(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

/** Characters that are written at once. */
const PIECE = 65_536;

/** The file in pieces: a job may have a million targets. */
async function* textOf(specs: readonly JobSpec[]): AsyncGenerator<string> {
  yield `{"owner":${JSON.stringify(ownIdentity())},"specs":[`;
  for (const [index, spec] of specs.entries()) {
    let text = index > 0 ? "," : "";
    if (!("targets" in spec)) {
      yield text + JSON.stringify(spec);
      continue;
    }
    const { targets, ...rest } = spec;
    text += `${JSON.stringify(rest).slice(0, -1)},"targets":[`;
    let between = "";
    for await (const target of inTurns(targets)) {
      text += between + JSON.stringify(target);
      between = ",";
      if (text.length < PIECE) continue;
      yield text;
      text = "";
    }
    yield `${text}]}`;
  }
  yield "]}\n";
}

/** Writes go one at a time, so that the latest is the one that stays. */
let writing: Promise<void> = Promise.resolve();

/** Keeps the jobs that have not ended. */
export const keepJobs: Handler<"keep-jobs"> = ({ context, dispatch }, { specs }) => {
  writing = writing
    .then(() => write(context.directories.state, specs))
    .catch((error: unknown) => {
      const text = `what runs cannot be kept for the next console: ${String(error)}`;
      dispatch({ type: "notice", tone: "warning", text });
    });
  return writing;
};

/** Takes over the jobs that ended consoles have left; their files are removed after that. */
export async function takeLeft(directory: string): Promise<readonly JobSpec[]> {
  const names = await readdir(directory).catch(() => []);
  const specs: JobSpec[] = [];
  const taken: string[] = [];
  for (const name of names.filter((name) => FILES.test(name))) {
    const file = await readLeft(join(directory, name));
    if (file === undefined || fateOfProcess(file.owner) !== "dead") continue;
    // When two consoles start at once, one of them finds the file gone.
    const claimed = join(directory, `console-jobs-${randomUUID()}.json`);
    try {
      await rename(join(directory, name), claimed);
    } catch {
      continue;
    }
    taken.push(claimed);
    specs.push(...file.specs);
  }
  if (specs.length > 0) await write(directory, specs);
  for (const path of taken) await rm(path, { force: true });
  return specs;
}

async function readLeft(path: string) {
  try {
    const { owner, specs } = JSON.parse(await readFile(path, "utf8")) as {
      owner: ProcessIdentity;
      specs: readonly unknown[];
    };
    return { owner, specs: specs.filter(isSpec).map(kept) };
  } catch {
    // The file is gone, or is not one of ours.
    return undefined;
  }
}

function kept(spec: JobSpec): JobSpec {
  return "targets" in spec ? { ...spec, targets: keptTargets([...spec.targets]) } : spec;
}

/** Whether a value of a file, maybe of another version of pail, is work that can be carried out. */
function isSpec(value: unknown): value is JobSpec {
  const { type, paths, target, from, to, targets, directory } = (value ?? {}) as Record<
    string,
    unknown
  >;
  if (type === "upload") return isPlace(target) && Array.isArray(paths) && paths.every(isText);
  if (!isPlace(from) || !Array.isArray(targets) || !targets.every(isTarget)) return false;
  if (type === "download") return isText(directory);
  return type === "remove" || ((type === "copy" || type === "move") && isPlace(to));
}

function isPlace(value: unknown): value is PrefixRef {
  const { alias, bucket, prefix } = (value ?? {}) as Partial<Record<keyof PrefixRef, unknown>>;
  return isText(alias) && isText(bucket) && isText(prefix);
}

function isTarget(value: unknown): value is JobTarget {
  const { type, key } = (value ?? {}) as Partial<Record<keyof JobTarget, unknown>>;
  return (type === "object" || type === "prefix") && isText(key);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
