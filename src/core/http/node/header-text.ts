/** S3's header values are UTF-8; HTTP software reads and writes them as Latin-1, byte for byte. */

const ASCII = /^[\0-\x7f]*$/;

/** A value as Latin-1 whose bytes are its UTF-8. */
export function toWire(value: string): string {
  return ASCII.test(value) ? value : Buffer.from(value, "utf8").toString("latin1");
}

/** The reverse; a value that is not UTF-8 stays as it was read. */
export function fromWire(value: string): string {
  if (ASCII.test(value)) return value;
  const text = Buffer.from(value, "latin1").toString("utf8");
  return text.includes("\uFFFD") ? value : text;
}
