import { z } from "zod";

import { AppError, isAppError, invalidArgument } from "../../core/failures/errors.js";
import { compressionOf, lineRange, tail } from "../../core/operations/excerpt.js";
import { zipDirectory } from "../../core/operations/zip.js";
import type { ObjectInfo } from "../../core/storage/storage.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import type { Before } from "../../core/journal/types.js";
import { undoName } from "../change.js";
import {
  type Piece,
  type PieceOptions,
  asOtherText,
  asText,
  mediaOf,
  mimeTypeOf,
  readExpanded,
  readPiece,
} from "../content.js";
import { downloadTo } from "../local-change.js";
import { statOrTell } from "../missing.js";
import { MAX_INLINE_BYTES, SCAN_BYTES } from "../limits.js";
import { objectUri } from "../resources.js";
import { isoDate, keyText, untrusted } from "../text.js";
import { type Call, type ToolResult, defineTool, told } from "../tool.js";
import { placeOf } from "../transfer.js";
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
  lines: z
    .string()
    .regex(/^(?:\d+-\d*|-\d+)$/, "is none of 10-20, 10-, -20")
    .optional()
    .describe("10-20, or -20: the last"),
  max_content_size: whole(1).optional(),
};

type Args = z.output<z.ZodObject<typeof schema>>;

/** No structured content when reading: clients that take it drop the text and the pictures. */
export const getObjectTool = defineTool({
  name: "get_object",
  description: "Read an object (large text: pass max_content_size) or download it",
  access: "read",
  schema,
  annotations: { destructiveHint: false },
  meta: { "anthropic/maxResultSizeChars": 500_000 },
  handler: (args, call) => (args.mode === "download" ? download(args, call) : read(args, call)),
});

async function read(args: Args, call: Call): Promise<ToolResult> {
  const { bucket_name: bucket, object_key: key, offset, max_content_size: asked } = args;
  const storage = await call.bucket(bucket, "read");
  const { version_id: versionId } = args;
  const { signal } = call;
  const info = await statOrTell(storage, key, versionId, signal);
  // A picture is of no use in part, and clients show it for what it costs.
  const picture = asked === undefined && mimeTypeOf(info.contentType).startsWith("image/");
  const limit = picture
    ? Math.max(call.readLimit, Math.min(info.size, MAX_INLINE_BYTES))
    : Math.min(asked ?? call.readLimit, MAX_INLINE_BYTES);
  await call.room(limit);
  const label = call.label(bucket);
  const options = { info, offset, limit, versionId, signal };
  if (args.lines !== undefined) return readLines(args.lines, { storage, label }, options);

  const packed = compressionOf(info);
  const expanded =
    packed &&
    (await readExpanded(storage, options).catch((error: unknown) => {
      if (isAppError(error) && error.code === "BadCompression") return undefined;
      throw error;
    }));
  const note = expanded === undefined ? "" : `, expanded from ${packed}`;
  const piece = expanded ?? (await readPiece(storage, options));
  const text = asText(piece) ?? asOtherText(piece);
  const why =
    asked !== undefined && asked > limit
      ? `${limit} bytes are the most one answer carries`
      : `exceeds max_content_size ${limit}`;
  if (text !== undefined) {
    const encoding = "encoding" in text ? `, read as ${String(text.encoding)}` : "";
    const head = describe(label, piece, text.start, text.end) + note + encoding;
    const more =
      text.end < piece.info.size ? `\nTruncated: ${why}; continue with offset=${text.end}` : "";
    return { text: `${head}${more}\n${untrusted(text.text)}` };
  }
  if (expanded !== undefined) {
    return { text: `${describe(label, { info })}\nCompressed, and not text. Try: mode: download` };
  }
  return readBinary(args, piece, { storage, label, why, signal });
}

/** The most entries of a zip archive's directory that are shown. */
const ZIP_SHOWN = 200;

async function readBinary(
  { bucket_name: bucket, object_key: key, max_content_size: asked }: Args,
  { info, start, bytes }: Piece,
  {
    storage,
    label,
    why,
    signal,
  }: { storage: BucketStorage; label: string; why: string; signal: AbortSignal },
): Promise<ToolResult> {
  const head = describe(label, { info }, start, start + bytes.length);
  const whole = bytes.length === info.size;
  const media = mediaOf(bytes, info.contentType);
  if (media !== undefined && whole) {
    return { text: head, content: [{ ...media, data: bytes.toString("base64") }] };
  }
  if (asked === undefined && /\.(?:zip|jar|docx|xlsx|pptx|epub)$/i.test(key)) {
    const archive = await zipDirectory(storage, info, signal).catch(notArchive);
    if (archive === undefined) return described(label, info);
    const { count, entries } = archive;
    const rows = entries.slice(0, ZIP_SHOWN).map((one) => `${one.size}\t${one.name}`);
    const more = count > rows.length ? `\n${count - rows.length} more are not shown.` : "";
    return {
      text: `${describe(label, { info })}\nzip archive of ${count} entries: bytes, name${more}\n${untrusted(rows.join("\n"))}`,
    };
  }
  const mimeType = mimeTypeOf(info.contentType);
  if (
    asked !== undefined ||
    (whole && (mimeType === "application/pdf" || info.size <= UNASKED_BINARY))
  ) {
    const next = start + bytes.length;
    const blob = bytes.toString("base64");
    return {
      text:
        whole || next === info.size
          ? head
          : `${head}\nTruncated: ${why}; continue with offset=${next}`,
      content: [{ type: "resource", resource: { uri: objectUri(bucket, key), mimeType, blob } }],
    };
  }
  return described(label, info);
}

function notArchive(error: unknown): undefined {
  if (!isAppError(error) || error.code !== "BadArchive") throw error;
}

function described(label: string, info: ObjectInfo): ToolResult {
  const inline =
    info.size <= MAX_INLINE_BYTES ? `, or max_content_size: ${info.size} for base64` : "";
  return {
    text: `${describe(label, { info })}\nNot text, so not shown. Try: mode: download${inline}`,
  };
}

/** `10-20`, `10-` or `-20`, the last 20; as much of them as fits. */
async function readLines(
  lines: string,
  { storage, label }: { storage: BucketStorage; label: string },
  { info, limit, versionId, signal }: PieceOptions,
): Promise<ToolResult> {
  const [from = "", to = ""] = lines.split("-");
  const request = { storage, key: info.key, versionId, signal };
  const range = [Number(from), to === "" ? Infinity : Number(to)] as const;
  if (range[0] > range[1]) throw badLines(lines);
  const chunks =
    from === ""
      ? tail({ ...request, count: { lines: Number(to) } })
      : lineRange(request, range, SCAN_BYTES);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    pieces.push(Buffer.from(chunk.subarray(0, limit - length)));
    length += chunk.length;
    if (length >= limit) break;
  }
  const bytes = Buffer.concat(pieces);
  const piece = { info: { ...info, size: Math.max(length, bytes.length) }, start: 0, bytes };
  const text = asText(piece) ?? asOtherText(piece);
  const head = `${describe(label, { info })}, lines ${lines}`;
  if (text === undefined) return { text: `${head}\nNot text, so not shown. Try: mode: download` };
  const more =
    length > limit ? `\nTruncated: exceeds max_content_size ${limit}; ask for fewer lines` : "";
  return { text: `${head}${more}\n${untrusted(text.text)}` };
}

function badLines(lines: string): AppError {
  return invalidArgument(
    `lines: ${lines} ends before it begins`,
    "give 10-20, 10-, or -20 for the last 20",
  );
}

/** `bucket/key: bytes 0-99 of 100, text/plain, etag …`. */
function describe(
  bucket: string,
  { info }: Pick<Piece, "info">,
  start?: number,
  end?: number,
): string {
  const size = info.size === Infinity ? "more" : info.size;
  const range = start === undefined || info.size === 0 ? "" : `bytes ${start}-${end! - 1} of `;
  const parts = [
    `${bucket}/${keyText(info.key)}: ${range}${size}${range === "" ? " bytes" : ""}`,
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
    throw invalidArgument(
      "local_path is required when mode is download",
      "pass local_path, the file to write",
    );
  }
  const storage = await call.bucket(bucket, "read");
  // Before any directory is made for it.
  const info = await statOrTell(storage, key, args.version_id, call.signal);
  const place = await call.files.writing(localPath, args.overwrite);
  let before: Before;
  try {
    const source = placeOf(call, { bucket, storage, key }, args.version_id);
    before = await downloadTo(call, source, place);
  } finally {
    await place.close();
  }
  return told("downloaded", {
    local_path: place.shown,
    from: call.at(),
    bucket,
    key,
    size: info.size,
    content_type: info.contentType,
    etag: info.etag,
    version_id: info.versionId,
    undo: undoName(call, before),
  });
}
