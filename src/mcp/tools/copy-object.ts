import { z } from "zod";

import { AppError } from "../../core/failures/errors.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import type { ObjectInfo } from "../../core/storage/storage.js";
import { defined, facts, keyText } from "../text.js";
import { type Call, defineTool } from "../tool.js";
import { runCopy } from "../transfer.js";
import { confirm, name, versionId } from "./parameters.js";

export const copyObjectTool = defineTool({
  name: "copy_object",
  title: "Copy object",
  description: "Copy an object; move also deletes the source and needs confirm",
  access: "write",
  scope: "bucket",
  schema: {
    source_bucket: name,
    source_key: name,
    source_version_id: versionId,
    bucket_name: name,
    object_key: name,
    move: z.boolean().optional(),
    confirm,
  },
  aliasParameters: ["source_alias", "alias"],
  annotations: {},
  handler: async (args, call) => {
    const { source_bucket, source_key, bucket_name: bucket, object_key: key, move = false } = args;
    const from = (args as { source_alias?: string }).source_alias;
    const to = (args as { alias?: string }).alias;
    const version =
      args.source_version_id === undefined ? {} : { versionId: args.source_version_id };
    // Both ends, before anything is asked of either. A move changes the source too.
    const source = await call.bucket(source_bucket, move ? "write" : "read", from);
    const target = await call.bucket(bucket, "write", to);

    if (move) {
      const same = call.label(source_bucket, from) === call.label(bucket, to) && source_key === key;
      if (same) throw moveOntoItself();
      await call.confirm(
        async () =>
          `Move ${call.label(source_bucket, from)}/${keyText(source_key)} to ${call.label(bucket, to)}/${keyText(key)}? The source is deleted.`,
        args.confirm,
      );
    }
    const before = await source.stat(source_key, { ...version, signal: call.signal });
    const written = await runCopy(
      call,
      {
        type: "bucket",
        storage: source,
        key: source_key,
        ...version,
        alias: from ?? call.alias,
      },
      { type: "bucket", storage: target, key, alias: to ?? call.alias },
    );
    if (move) await removeSource(source, source_key, version, before, call);

    const copied = defined({
      source_bucket,
      source_key,
      bucket,
      key,
      size: before.size,
      etag: written.etag,
      version_id: written.versionId,
      ...(move ? { source_deleted: true } : {}),
    });
    return { text: `${move ? "moved" : "copied"}\n${facts(copied)}`, structured: copied };
  },
});

/** Deletes what was copied, and only that: not what was written there meanwhile. */
async function removeSource(
  storage: BucketStorage,
  key: string,
  version: { versionId?: string },
  before: ObjectInfo,
  { signal }: Call,
): Promise<void> {
  const now = await storage.stat(key, { ...version, signal });
  if (
    now.etag !== before.etag ||
    now.versionId !== before.versionId ||
    now.lastModified !== before.lastModified
  ) {
    throw new AppError({
      kind: "conflict",
      code: "SourceChanged",
      message: `${keyText(key)} was replaced while it was copied; the copy is there, the source was not deleted`,
      hint: "copy again",
    });
  }
  const [result] = await storage.remove([{ key, ...version }], { signal });
  if (result?.error === undefined) return;
  throw new AppError({
    kind: "denied",
    code: result.error.code,
    message: `copied, but the source ${keyText(key)} was not deleted: ${result.error.message}`,
  });
}

function moveOntoItself(): AppError {
  return new AppError({
    kind: "usage",
    code: "InvalidRequest",
    message: "an object cannot be moved onto itself",
    hint: "name another bucket_name or object_key",
  });
}
