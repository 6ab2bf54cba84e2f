/**
 * `multipart/form-data` as browsers send it (RFC 7578): text fields, then one file, read as it
 * comes. Anything after the file is passed over, as by S3.
 */
import { refuse } from "../refuse.js";

export interface Form {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The name the file had where it came from, without its folders. */
  readonly filename: string;
  /** The file's bytes, once. A chunk is valid until the next is asked for. */
  readonly file: AsyncIterable<Uint8Array>;
}

/** S3's limit for all that precedes the file. */
const MAX_FIELDS_BYTES = 20 * 1024;
/** Bytes that may follow the file; browsers send the closing boundary alone. */
const MAX_TAIL_BYTES = 64 * 1024;

/** Reads up to the file. Throws MalformedPOSTRequest, MaxPostPreDataLengthExceededError. */
export async function readForm(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<Form> {
  const [, quoted, bare] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw refuse("MalformedPOSTRequest");
  const source = createReader(chunks);
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const fields = new Map<string, string>();

  // The first boundary has nothing before it, and the others an end of line.
  source.unread(Buffer.from("\r\n"));
  await source.until(delimiter);
  for (;;) {
    const rest = await source.until(Buffer.from("\r\n"));
    if (rest.toString("latin1").trim() === "--") throw noFile();
    const head = (await source.until(Buffer.from("\r\n\r\n"))).toString("utf8");
    const name = parameter(head, "name")?.toLowerCase();
    if (name === undefined) throw refuse("MalformedPOSTRequest");
    if (name === "file") {
      const filename = (parameter(head, "filename") ?? "").replace(/^.*[/\\]/s, "");
      return { fields, filename, file: source.stream(delimiter) };
    }
    if (fields.has(name)) {
      throw refuse("InvalidArgument", `The form has more than one field ${name}.`, {
        ArgumentName: name,
      });
    }
    fields.set(name, (await source.until(delimiter)).toString("utf8"));
  }
}

function noFile(): Error {
  return refuse("InvalidArgument", "POST requires exactly one file upload per request.", {
    ArgumentName: "file",
  });
}

/** A parameter of Content-Disposition; browsers write a quote in it as `%22`, others escape it. */
function parameter(head: string, name: string): string | undefined {
  const line = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? "";
  const [, quoted, bare] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(line) ?? [];
  return quoted?.replaceAll(/\\(["\\])/g, "$1").replaceAll("%22", '"') ?? bare;
}

interface Reader {
  /** Puts bytes before what is still to be read. */
  unread(bytes: Buffer): void;
  /** The bytes before the mark, which is passed over. They count towards the fields' limit. */
  until(mark: Buffer): Promise<Buffer>;
  /** The bytes before the mark, as they come; then the rest is read and dropped. */
  stream(mark: Buffer): AsyncIterable<Uint8Array>;
}

function createReader(chunks: AsyncIterable<Uint8Array>): Reader {
  const source = chunks[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  let taken = 0;

  /** The next chunk. Throws when the body ends before the form does. */
  const next = async (): Promise<Uint8Array> => {
    const { done, value } = await source.next();
    if (done === true) {
      throw refuse("IncompleteBody", "The form ends before its last boundary.");
    }
    return value;
  };

  async function* stream(mark: Buffer): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const at = held.indexOf(mark);
        if (at >= 0) {
          if (at > 0) yield held.subarray(0, at);
          break;
        }
        // The mark may have begun at the end of what is held.
        const safe = held.length - mark.length + 1;
        if (safe > 0) yield held.subarray(0, safe);
        held = Buffer.concat([held.subarray(Math.max(0, safe)), await next()]);
      }
      // A request that is read to its end leaves its connection fit for another.
      for (let size = 0; size < MAX_TAIL_BYTES;) {
        const { done, value } = await source.next();
        if (done === true) return;
        size += value.length;
      }
    } finally {
      await source.return?.();
    }
  }

  return {
    unread: (bytes) => {
      held = Buffer.concat([bytes, held]);
    },
    async until(mark) {
      for (;;) {
        const at = held.indexOf(mark);
        const size = taken + (at < 0 ? held.length : at);
        if (size > MAX_FIELDS_BYTES) throw refuse("MaxPostPreDataLengthExceededError");
        if (at >= 0) {
          const found = held.subarray(0, at);
          held = held.subarray(at + mark.length);
          taken = size + mark.length;
          return found;
        }
        held = Buffer.concat([held, await next()]);
      }
    },
    stream,
  };
}
