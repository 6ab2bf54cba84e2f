/**
 * Keys as disk names. A key is cut at each `/`, and a segment into pieces of 80 bytes, so that the
 * directory tree follows the key and a prefix is found without reading anything beside it.
 *
 * A piece is written in lower-case ASCII that every file system keeps apart and none reserves:
 * letters, digits, `_`, `-` and (not first) `.` stand for themselves, every other byte is `%xx`.
 * The last character says what the name is, so `a` and `a/b` live side by side:
 * `a=` the record of the key `a`; `a+` the directory of all keys `a/…`; `…-` the directory in
 * which a segment of 80 bytes or more goes on.
 *
 * Keys are handled here as byte strings: one character a byte of the UTF-8 form. Comparing two of
 * them with `<` is comparing bytes, which is the order S3 lists in.
 */

/** Bytes of a segment in one name; three characters each at worst, under the usual limit of 255. */
const PIECE = 80;

const ASCII = /^[\u0000-\u007f]*$/;
const PLAIN = /^[a-z0-9_-][a-z0-9._-]*$/;
const NAME = /^(?:(?:[a-z0-9_-]|%[0-9a-f]{2})(?:[a-z0-9._-]|%[0-9a-f]{2})*)?[=+-]$/;

/** The UTF-8 bytes of a text, one character each. */
export function toBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The text whose UTF-8 bytes these are. */
export function fromBytes(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}

/** A piece in the safe alphabet, without the final character that says what it is. */
function encodePiece(bytes: string): string {
  if (PLAIN.test(bytes)) return bytes;
  return bytes.replace(
    /^\.|[^a-z0-9._-]/gs,
    (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/**
 * A directory entry in listing order: the bytes it adds to the key, with a final `/` for the
 * directory of a whole segment. Undefined for a file that is not one of ours.
 */
export function decodeName(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const body = name.slice(0, -1);
  const bytes = body.includes("%")
    ? body.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : body;
  const whole = !name.endsWith("-");
  // A piece is full exactly when the segment goes on; anything else is not our writing.
  if (whole ? bytes.length >= PIECE : bytes.length !== PIECE) return undefined;
  return name.endsWith("+") ? `${bytes}/` : bytes;
}

/** The disk name of an entry as `decodeName` gives it. */
export function nameOf(entry: string): string {
  if (entry.endsWith("/")) return `${encodePiece(entry.slice(0, -1))}+`;
  return encodePiece(entry) + (entry.length === PIECE ? "-" : "=");
}

/** Whether an entry is a directory of further keys; else it is the record of one key. */
export function isBranch(entry: string): boolean {
  return entry.endsWith("/") || entry.length === PIECE;
}

/** Where a key's record lies below the bucket's root; `/` stands between names on every system. */
export function recordPath(key: string): string {
  let path = "";
  let from = 0;
  for (let end = key.indexOf("/"); end >= 0; end = key.indexOf("/", from)) {
    path += `${pieces(key.slice(from, end))}+/`;
    from = end + 1;
  }
  return `${path}${pieces(key.slice(from))}=`;
}

/** The names of a segment but for the final character of the last. */
function pieces(segment: string): string {
  let names = "";
  let rest = segment;
  for (; rest.length >= PIECE; rest = rest.slice(PIECE)) {
    names += `${encodePiece(rest.slice(0, PIECE))}-/`;
  }
  return names + encodePiece(rest);
}
