/** A refusal in S3's own words (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
export class StoreError extends Error {
  constructor(
    /** S3's code: `NoSuchKey`. */
    readonly code: string,
    readonly status: number,
    message: string,
    /** Extra elements of the error document: `{ BucketName: "b" }`. */
    readonly details: Readonly<Record<string, string>> = {},
    /** Extra response headers. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "StoreError";
  }
}

/**
 * A failure of the store itself whose message names files of this machine: only users of this
 * machine are told it, while a client on the network is told of an internal error only.
 */
export class StoreFailure extends StoreError {
  constructor(message: string, code = "InternalError", status = 500) {
    super(code, status, message);
  }
}

/**
 * A key file that cannot be understood: not a refusal, but something for the owner of the store.
 * Like an error of Node's about a file it has a `code` and a `path`.
 */
export function keysCorrupt(path: string): Error {
  const error = new Error(`${path} cannot be read as access keys`);
  return Object.assign(error, { code: "KeysCorrupt", path });
}
