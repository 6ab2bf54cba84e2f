import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

import { z } from "zod";

import { AppError } from "../../core/failures/errors.js";
import { type Piece, asText, mediaOf, mimeTypeOf, readPiece } from "../content.js";
import { saveFile } from "../local-change.js";
import { findingOut } from "../missing.js";
import { DEFAULT_CONTENT_BYTES, MAX_INLINE_BYTES } from "../limits.js";
import { objectUri } from "../resources.js";
import { defined, facts, isoDate, keyText, untrusted } from "../text.js";
import { type Call, type ToolResult, defineTool } from "../tool.js";
import { naming, placeOf, runCopy } from "../transfer.js";
import { localPath, name, versionId, whole } from "./parameters.js";

// Base64 of more than this costs a model more than it can be worth, unless it asked for it.
const UNASKED_BINARY = 16 * 1024;

const schema = {
  bucket_name: name,
  object_key: name,
  version_id: versionId,
  mode: z.enum(["read", "download"]).default("read"),
  local_path: localPath.optional().describe("for download"),
  overwrite: z.boolean().optional(),
  offset: whole().default(0).describe("negative: from the end"),
  max_content_size: whole(1).optional().meta({ default: DEFAULT_CONTENT_BYTES }),
};

type Args = z.output<z.ZodObject<typeof schema>>;

/** No structured content when reading: clients that take it drop the text and the pictures. */
export const getObjectTool = defineTool({
  name: "get_object",
  title: "Get object",
  description: "Read an object (large text: pass max_content_size) or download it",
  access: "read",
  scope: "bucket",
  schema,
  annotations: { destructiveHint: false, idempotentHint: true },
  meta: { "anthropic/maxResultSizeChars": 500_000 },
  handler: (args, call) => (args.mode === "download" ? download(args, call) : read(args, call)),
});

async function read(args: Args, call: Call): Promise<ToolResult> {
  const { bucket_name: bucket, object_key: key, offset, max_content_size: asked } = args;
  const limit = Math.min(asked ?? DEFAULT_CONTENT_BYTES, MAX_INLINE_BYTES);
  const why =
    asked !== undefined && asked > limit
      ? `${limit} bytes are the most one answer carries`
      : `exceeds max_content_size ${limit}`;
  const storage = await call.bucket(bucket, "read");
  await call.room(limit);
  const { version_id: versionId } = args;
  const { signal } = call;
  const piece = await findingOut(storage, key, versionId, signal, () =>
    readPiece(storage, key, { offset, limit, versionId, signal }),
  );
  const { info, bytes } = piece;
  const text = asText(piece);
  if (text !== undefined) {
    const head = describe(call.label(bucket), piece, text.start, text.end);
    const more =
      text.end < info.size ? `\nTruncated: ${why}; continue with offset=${text.end}` : "";
    return { text: `${head}${more}\n${untrusted(text.text)}` };
  }

  const head = describe(call.label(bucket), piece, piece.start, piece.start + bytes.length);
  const whole = bytes.length === info.size;
  const media = mediaOf(bytes, info.contentType);
  if (media !== undefined && whole) {
    return { text: head, content: [{ ...media, data: bytes.toString("base64") }] };
  }
  const mimeType = mimeTypeOf(info.contentType);
  if (
    asked !== undefined ||
    (whole && (mimeType === "application/pdf" || info.size <= UNASKED_BINARY))
  ) {
    const next = piece.start + bytes.length;
    return {
      text:
        whole || next === info.size
          ? head
          : `${head}\nTruncated: ${why}; continue with offset=${next}`,
      content: [
        {
          type: "resource",
          resource: { uri: objectUri(bucket, key), mimeType, blob: bytes.toString("base64") },
        },
      ],
    };
  }
  const inline =
    info.size <= MAX_INLINE_BYTES ? `, or max_content_size: ${info.size} for base64` : "";
  return {
    text: `${describe(call.label(bucket), piece)}\nNot text, so not shown. Try: mode: download${inline}`,
  };
}

/** `bucket/key: bytes 0-99 of 100, text/plain, etag …`. */
function describe(bucket: string, { info }: Piece, start?: number, end?: number): string {
  const range = start === undefined || info.size === 0 ? "" : `bytes ${start}-${end! - 1} of `;
  const parts = [
    `${bucket}/${keyText(info.key)}: ${range}${info.size}${range === "" ? " bytes" : ""}`,
    mimeTypeOf(info.contentType),
    info.etag === undefined ? undefined : `etag ${info.etag}`,
    info.versionId === undefined ? undefined : `version ${info.versionId}`,
    isoDate(info.lastModified),
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

async function download(args: Args, call: Call): Promise<ToolResult> {
  const { bucket_name: bucket, object_key: key, local_path: localPath } = args;
  if (localPath === undefined) {
    throw new AppError({
      kind: "usage",
      code: "InvalidArgument",
      message: "local_path is required when mode is download",
      hint: "pass local_path, the file to write",
    });
  }
  const storage = await call.bucket(bucket, "read");
  const version = args.version_id === undefined ? {} : { versionId: args.version_id };
  // Before any directory is made for it.
  const info = await findingOut(storage, key, args.version_id, call.signal, () =>
    storage.stat(key, { ...version, signal: call.signal }),
  );
  const place = await call.files.writing(localPath, args.overwrite);
  let undo: string;
  try {
    // Under a name of our own: what may stand at the target, a symbolic link say, is never opened.
    const temporary = join(dirname(place.path), `.pail-${randomBytes(9).toString("hex")}.download`);
    const source = placeOf(call, { bucket, storage, key }, args.version_id);
    undo = await naming(place.shown, [temporary, place.path], async () => {
      await runCopy(call, source, { type: "path", path: temporary }, { ifNoneMatch: "*" });
      return saveFile(call, temporary, place);
    });
  } finally {
    await place.close();
  }
  const saved = defined({
    local_path: place.shown,
    from: call.at(),
    bucket,
    key,
    size: info.size,
    content_type: info.contentType,
    etag: info.etag,
    version_id: info.versionId,
    undo,
  });
  return { text: `downloaded\n${facts(saved)}`, structured: saved };
}
