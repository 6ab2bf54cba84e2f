/**
 * Percent-encoding at the level of bytes: what is on the wire is what was signed, and a key is its
 * exact bytes.
 */
import { refuse } from "./refuse.js";

/** RFC 3986's unreserved characters, the ones Signature V4 never encodes. */
const UNRESERVED = /[A-Za-z0-9\-._~]/;

const ENCODED = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (UNRESERVED.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

/** Undoes percent-encoding. Throws InvalidURI on a `%` that encodes nothing. */
export function decodeBytes(text: string): Buffer {
  if (!text.includes("%")) return Buffer.from(text, "utf8");
  const source = Buffer.from(text, "utf8");
  const target = Buffer.allocUnsafe(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    let byte = source[index]!;
    if (byte === 0x25) {
      const digits = source.toString("latin1", index + 1, index + 3);
      if (!/^[\da-fA-F]{2}$/.test(digits)) throw refuse("InvalidURI");
      byte = Number.parseInt(digits, 16);
      index += 2;
    }
    target[length++] = byte;
  }
  return target.subarray(0, length);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undoes percent-encoding. Throws InvalidURI when the bytes are not UTF-8. */
export function decodeText(text: string): string {
  if (!text.includes("%") && /^[\u0000-\u007f]*$/.test(text)) return text;
  const bytes = decodeBytes(text);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw Object.assign(refuse("InvalidURI", "The URI is not valid UTF-8."), { cause });
  }
}

/** Signature V4's UriEncode: all but the unreserved characters, upper-case hexadecimal. */
export function encodeBytes(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += ENCODED[byte]!;
  return text;
}

/** The same for text, in UTF-8. */
export function encodeText(text: string): string {
  return encodeBytes(Buffer.from(text, "utf8"));
}

/** `encoding-type=url` as listings use it: `/` stays readable. */
export function encodeKey(key: string): string {
  return encodeText(key).replaceAll("%2F", "/");
}
