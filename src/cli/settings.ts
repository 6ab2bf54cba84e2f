/** The shared parts of commands that set a bucket: `get`, `set` and `remove` of one document. */
import { readFileSync } from "node:fs";

import { AppError, usageError } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import { bucketSettings, type SettingName } from "../core/storage/settings.js";
import { one, optional } from "./args.js";
import type { Session } from "./base.js";
import { abortable } from "./interrupt.js";
import { remoteBucket } from "./locations.js";

/** The arguments of such a command; `actions` are its verbs. */
export function settingArgs(actions: readonly string[]) {
  return {
    action: one("what to do", actions),
    target: one("alias/bucket"),
    file: optional("for set: a JSON document, - for stdin"),
  };
}

export interface SettingInput {
  readonly action: string;
  readonly target: string;
  readonly file?: string | undefined;
}

/** `get`, `set` or `remove`, and what came of it. */
export async function runSetting(
  session: Session,
  name: SettingName,
  { action, target, file }: SettingInput,
): Promise<void> {
  const { output, signal } = session;
  const { alias, bucket, settings } = await settingsOf(session, target);
  const location = `${alias}/${bucket}`;
  if (action === "set") {
    const value = readDocument(name, file);
    await abortable(settings.set(name, bucket, value), signal);
    output.result({ type: `${name}-set`, location }, `set ${name} of ${location}`);
  } else if (action === "remove") {
    await abortable(settings.remove(name, bucket), signal);
    output.result({ type: `${name}-removed`, location }, `removed ${name} of ${location}`);
  } else {
    const value = (await abortable(settings.get(name, bucket), signal)) ?? null;
    if (value === null && !output.json) throw noSetting(name, location);
    output.result({ type: name, location, value }, JSON.stringify(value, undefined, 2).split("\n"));
  }
}

/** A bucket, with its settings. */
export async function settingsOf({ context }: Pick<Session, "context">, target: string) {
  const { alias, bucket } = await remoteBucket(context, target);
  return { alias, bucket, settings: bucketSettings(await context.client(alias), alias) };
}

function readDocument(name: string, file: string | undefined): unknown {
  if (file === undefined) {
    throw usageError(
      "MissingArgument",
      "missing argument: FILE",
      `pail ${name} set ALIAS/BUCKET FILE; - is stdin`,
    );
  }
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw localError(error, "read", file);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `${file === "-" ? "stdin" : file} is not JSON: ${(cause as Error).message}`;
    throw new AppError({ kind: "usage", code: "InvalidDocument", message, cause });
  }
}

export function noSetting(name: string, location: string): AppError {
  return new AppError({
    kind: "not-found",
    code: "NoSuchSetting",
    message: `${location} has no ${name} set`,
  });
}
