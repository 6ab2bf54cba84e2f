/** An object in the person's own pager or editor, which has the terminal meanwhile. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { AppError, isAppError } from "../../core/failures/errors.js";
import { statOrUndefined } from "../../core/operations/exists.js";
import { writeOver } from "../../core/operations/if-exists.js";
import { editedHeaders } from "../../core/storage/object-headers.js";
import type { ObjectInfo } from "../../core/storage/storage.js";
import { readAll } from "../../protocol/message.js";
import { formatSize } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import { formatSeconds } from "../text/time.js";
import type { Handler } from "./deps.js";

/** Larger objects are not edited: an edited object is held in memory and written at once. */
const LIMIT = 16 * 1024 * 1024;

/** Runs a command of the shell with arguments of its own; resolves with its exit code. */
function start(command: string, args: readonly string[], input: "pipe" | "inherit") {
  const child =
    process.platform === "win32"
      ? spawn(command, args, { shell: true, stdio: [input, "inherit", "inherit"] })
      : spawn("/bin/sh", ["-c", `${command} "$@"`, "sh", ...args], {
          stdio: [input, "inherit", "inherit"],
        });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
  return { stdin: child.stdin, ended };
}

/** Streams an object into the pager; once the pager ends, the rest is not fetched. */
export const showOutside: Handler<"show-outside"> = async (deps, { object }, signal) => {
  const { context, lend } = deps;
  const { alias, bucket, key, versionId } = object;
  const storage = await context.bucket(alias, bucket);
  const { body } = await storage.read(key, { versionId, signal });
  const command = context.env["PAGER"] || "less";
  const copies = async function* () {
    // A chunk is valid only until the next one.
    for await (const chunk of body) yield Buffer.from(chunk);
  };
  const code = await lend(async () => {
    const { stdin, ended } = start(command, [], "pipe");
    let failed: unknown;
    const fed = pipeline(Readable.from(copies()), stdin!).catch((error: unknown) => {
      // A pager that is left early closes the pipe.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EPIPE" && code !== "ERR_STREAM_PREMATURE_CLOSE") failed = error;
    });
    const exit = await ended;
    stdin!.destroy();
    await fed;
    if (failed !== undefined) throw failed;
    return exit;
  });
  if (code === 127) throw noProgram("PAGER", command);
};

/**
 * Lets a person edit an object, and writes it back only over the very state that was read: its
 * headers, metadata and tags stay. A change made meanwhile is told, and the text kept in a file.
 */
export const editOutside: Handler<"edit-outside"> = async (deps, { object }, signal) => {
  const { context, dispatch, lend } = deps;
  const { alias, bucket, key } = object;
  const storage = await context.bucket(alias, bucket);
  const info = await storage.stat(key, { signal });
  requireEditable(info);
  const tags = await storage.getTags(key);
  const { body } = await storage.read(key, { ifMatch: info.etag, signal });
  const before = await readAll(body, LIMIT);
  const directory = await mkdtemp(join(tmpdir(), "pail-edit-"));
  const path = join(directory, `object${/\.[A-Za-z0-9]{1,10}$/.exec(key)?.[0] ?? ""}`);
  await writeFile(path, before, { mode: 0o600 });
  const command = context.env["VISUAL"] || context.env["EDITOR"] || "vi";
  const code = await lend(() => start(command, [path], "inherit").ended);
  const done = () => rm(directory, { recursive: true, force: true });
  if (code === 127) {
    await done();
    throw noProgram("EDITOR", command);
  }
  const after = await readFile(path);
  if (after.equals(before)) {
    await done();
    dispatch({ type: "notice", tone: "info", text: "Nothing was changed" });
    return;
  }
  if (code !== 0) {
    const lines = [`The editor ended with ${code}, so nothing was written.`];
    return dispatch({ type: "edit-kept", path, lines });
  }
  const look = () => statOrUndefined(storage, key, signal);
  try {
    const options = { ...editedHeaders(info), tags, signal };
    await writeOver(
      { etag: info.etag! },
      {
        target: { type: "object", ...object },
        now: async () => (await look())?.etag,
        write: (condition) => storage.write(key, after, { ...options, ...condition }),
      },
    );
  } catch (error) {
    const drift = isAppError(error) && error.code === "Drifted";
    const now = drift ? await look() : undefined;
    const lines = drift
      ? [
          "It was changed while you edited; what is there stays.",
          `Read   ${factsOf(info)}`,
          `There  ${now === undefined ? "nothing any more" : factsOf(now)}`,
        ]
      : [visible(error instanceof Error ? error.message : String(error))];
    return dispatch({ type: "edit-kept", path, lines });
  }
  await done();
  const entry = { type: "object", key, size: after.length, lastModified: Date.now() } as const;
  dispatch({ type: "keys-here", to: { alias, bucket, prefix: "" }, entries: [entry] });
  dispatch({ type: "edited", object });
  dispatch({ type: "notice", tone: "success", text: `Saved ${visible(key)}` });
};

function requireEditable({ size, etag, contentEncoding = "" }: ObjectInfo): void {
  let message: string | undefined;
  if (size > LIMIT) message = `it is larger than ${formatSize(LIMIT)}`;
  else if (etag === undefined) message = "the service does not say which state of it this is";
  else if (!/^(?:aws-chunked|identity)?$/.test(contentEncoding)) {
    message = `its content is encoded (${contentEncoding})`;
  }
  if (message === undefined) return;
  throw new AppError({
    kind: "usage",
    code: "NotEditable",
    message: `it cannot be edited here: ${message}`,
    hint: "download it, change it, and upload it",
  });
}

function factsOf({ size, lastModified, etag }: ObjectInfo): string {
  return `${formatSize(size)}  ${formatSeconds(lastModified)}  ${etag ?? ""}`;
}

function noProgram(variable: string, command: string): AppError {
  return new AppError({
    kind: "usage",
    code: "NoSuchProgram",
    message: `there is no program ${command}`,
    hint: `set ${variable}`,
  });
}
