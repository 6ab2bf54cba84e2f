/**
 * The text that an HTTP header can carry (RFC 9110, 5.5 and 5.6.2); other text would not arrive as
 * it was signed.
 */
import { usageError } from "../failures/errors.js";

/** Returns a header's value; throws InvalidHeader, which names `what` and the character. */
export function headerValue(what: string, value: string): string {
  const at = value.search(/[^\t\u0020-\u007e]/);
  if (at < 0) return value;
  const code = value.codePointAt(at)!;
  const character = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  throw usageError(
    "InvalidHeader",
    `${what} has the character ${character}, which no HTTP header can carry`,
  );
}

/** Returns the name of an entry of user metadata, which is part of a header's; throws InvalidMetadata. */
export function metadataName(name: string): string {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return name;
  throw usageError(
    "InvalidMetadata",
    `${JSON.stringify(name)} cannot be the name of user metadata`,
    "use letters, digits and hyphens",
  );
}
