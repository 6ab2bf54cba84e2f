/** The core's transfer engine, asked for one object. */
import { AppError } from "../core/errors.js";
import { copy } from "../core/transfer/copy.js";
import type { TransferEvent } from "../core/transfer/events.js";
import type { CopyRequest, Place } from "../core/transfer/types.js";
import type { LocalPath } from "./files/guard.js";
import type { Call } from "./tool.js";

/** What was written, as far as the service said. */
export interface Written {
  readonly etag?: string | undefined;
  readonly versionId?: string | undefined;
}

/**
 * Copies one object or file; throws what made it fail. `held` is the local end, whose path of the
 * moment is replaced in messages by the one a person knows.
 */
export async function runCopy(
  call: Call,
  source: Place,
  target: Place,
  held: LocalPath | undefined,
  options: Omit<CopyRequest, "sources" | "target" | "signal" | "onEvent"> = {},
): Promise<Written> {
  if (target.type === "bucket" && target.key.endsWith("/")) throw namesNoObject(target.key);
  let written: Written = {};
  const onEvent = (event: TransferEvent) => {
    if (event.type === "finished") written = { etag: event.etag, versionId: event.versionId };
    call.onTransfer(event);
  };
  const report = await copy({
    ...options,
    sources: [source],
    target,
    signal: call.signal,
    onEvent,
  });
  const failure = report.failures[0];
  if (failure === undefined) return written;
  throw held === undefined ? failure.error : named(failure.error, held);
}

/** The engine would put the object below such a key, under the source's name. */
function namesNoObject(key: string): AppError {
  return new AppError({
    kind: "usage",
    code: "InvalidArgument",
    message: `object_key ${key} ends with /`,
    hint: "give the object's whole key",
  });
}

function named(error: AppError, { path, shown }: LocalPath): AppError {
  if (!error.message.includes(path)) return error;
  const { kind, code, hint, details } = error;
  const message = error.message.replaceAll(path, shown);
  return new AppError({ kind, code, message, hint, details, cause: error });
}
