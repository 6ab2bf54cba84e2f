/** How much one answer may carry. */

/**
 * Bytes of an encoded result. The SDK's stdio client drops the connection at 10 MiB, and the line
 * holds the result once more as structured content.
 */
export const MAX_RESULT_BYTES = 7 * 1024 * 1024;

/** Raw bytes whose base64 form still fits a result. */
export const MAX_INLINE_BYTES = 5 * 1024 * 1024;

/** Entries a listing shows unless asked otherwise: about 7,000 tokens. */
export const DEFAULT_PAGE = 200;

/** Entries a page at most, as in S3. */
export const MAX_PAGE = 1000;

/** Objects a search or a count looks at in one call. */
export const SCAN_BUDGET = 100_000;

/** Bytes of content that a search of lines looks at in one call. */
export const SCAN_BYTES = 256 * 1024 * 1024;

/** Bytes of objects in answers that are being made or wait to be sent, all together. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
