/**
 * Modification times beside an object: the metadata entry `mtime`, in seconds with a fraction, as
 * rclone writes it (https://rclone.org/s3/#modification-times-and-hashes).
 */

/** The name of the metadata entry, without the vendor's prefix. */
export const MTIME = "mtime";

/** Nanoseconds since the epoch as seconds with a fraction, as `1700000000.123456789`. */
export function formatMtime(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const digits = (nanoseconds < 0n ? -nanoseconds : nanoseconds).toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Milliseconds since the epoch, with a fraction; undefined for a text that is not such a time. */
export function parseMtime(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d{1,12}(?:\.\d{1,9})?$/.test(text)) return undefined;
  return Number(text) * 1000;
}

/**
 * Whether two times, in milliseconds, are the same one. They may differ by what is lost on the way:
 * Node sets file times to a quarter of a microsecond, and some tools keep whole seconds only.
 */
export function sameTime(one: number, other: number): boolean {
  if (Math.abs(one - other) < 1) return true;
  const whole = one % 1000 === 0 || other % 1000 === 0;
  return whole && Math.floor(one / 1000) === Math.floor(other / 1000);
}
