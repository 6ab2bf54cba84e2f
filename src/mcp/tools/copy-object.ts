import { z } from "zod";

import { type AppError, invalidArgument, usageError } from "../../core/failures/errors.js";
import { askToReplace, describe, lookAt, undoName, undoNote } from "../change.js";
import { statOrTell } from "../missing.js";
import { shortQuoted } from "../text.js";
import { relocate } from "../relocate.js";
import { defineTool, told } from "../tool.js";
import { confirm, name, replacing, versionId } from "./parameters.js";

export const copyObjectTool = defineTool({
  name: "copy_object",
  description: "Copy one object; move also deletes the source, once confirmed",
  access: "write",
  toolset: "edit",
  schema: {
    source_bucket: name,
    source_key: name,
    source_version_id: versionId,
    bucket_name: name,
    object_key: name,
    move: z.boolean().optional(),
    ...replacing,
    confirm,
  },
  unlisted: ["if_exists"],
  aliasParameters: ["source_alias", "alias"],
  handler: async (args, call) => {
    const { source_bucket, source_key, bucket_name: bucket, object_key: key, move = false } = args;
    const from = (args as { source_alias?: string }).source_alias;
    const { source_version_id: version } = args;
    // Both ends, before anything is asked of either. A move changes the source too.
    const source = {
      alias: from,
      bucket: source_bucket,
      storage: await call.bucket(source_bucket, move ? "write" : "read", from),
      key: source_key,
    };
    const target = { bucket, storage: await call.bucket(bucket, "write"), key };
    const before = await statOrTell(source.storage, source_key, version, call.signal);
    const ends = [call.label(source_bucket, from), source_key, call.label(bucket), key];
    // Two aliases of one endpoint are found out by the move itself.
    if (move && ends[0] === ends[2] && source_key === key) throw ontoItself();
    if (move && version !== undefined) throw moveOfVersion();
    const seen = await lookAt(call, target, args);
    if (move) {
      const there = seen === undefined ? [] : [seen];
      const to = seen && `${describe(call, target, seen)}, which is replaced`;
      const states = [before, ...there].flatMap(({ etag, versionId }) => [etag, versionId]);
      call.consent.confirm(
        {
          question: `Move ${describe(call, source, before)} to ${to ?? shortQuoted(`${ends[2]}/${key}`)}? The source is deleted. ${undoNote(call, there)}`,
          facts: ["move", ...ends, ...states],
        },
        args.confirm,
      );
    } else askToReplace(call, target, seen);
    const {
      etag,
      versionId,
      lost,
      before: replaced,
    } = await relocate(call, {
      source: { ...source, versionId: version },
      info: before,
      target,
      seen,
      moves: move,
    });
    return told(move ? "moved" : "copied", {
      from: call.at(from),
      source_bucket,
      source_key,
      at: call.at(),
      bucket,
      key,
      size: before.size,
      etag,
      version_id: versionId,
      ...(seen === undefined ? {} : { replaced: true }),
      undo: undoName(call, replaced),
      ...(move ? { source_deleted: true } : {}),
      ...(lost?.length ? { lost } : {}),
    });
  },
});

function ontoItself(): AppError {
  return usageError(
    "SameObject",
    "an object cannot be moved onto itself",
    "name another bucket_name or object_key",
  );
}

function moveOfVersion(): AppError {
  return invalidArgument(
    "a version cannot be moved, only copied",
    "leave out move, or source_version_id",
  );
}
