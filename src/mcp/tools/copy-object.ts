import { z } from "zod";

import { copy } from "../../core/operations/copy.js";
import { move as moveObjects } from "../../core/operations/move.js";
import { defined, facts, keyText } from "../text.js";
import { defineTool } from "../tool.js";
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
      {},
      move ? moveObjects : copy,
    );

    const copied = defined({
      source_bucket,
      source_key,
      bucket,
      key,
      size: before.size,
      etag: written.etag,
      version_id: written.versionId,
      ...(move ? { source_deleted: true } : {}),
      ...(written.lost?.length ? { lost: written.lost } : {}),
    });
    return { text: `${move ? "moved" : "copied"}\n${facts(copied)}`, structured: copied };
  },
});
