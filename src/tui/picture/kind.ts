/** Tells which bytes are pictures that can be shown. */

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

/** Goes by the first bytes, because a content type is only a claim. */
export function pictureKind(bytes: Uint8Array): "png" | "jpeg" | "gif" | undefined {
  if (PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length))) return "png";
  if (/^GIF8[79]a$/.test(Buffer.from(bytes.subarray(0, 6)).toString("latin1"))) return "gif";
  return JPEG_START.equals(bytes.subarray(0, JPEG_START.length)) ? "jpeg" : undefined;
}
