import { AWS_ALIAS } from "./config/aws.js";
import { type AppError, usageError } from "./failures/errors.js";

/**
 * A place as a person types it: `alias/bucket/key`, a local path, or `-`.
 *
 * `-` is stdin or stdout, and `/dev/stdout`, `/dev/fd/3` and the like are the streams they name,
 * never files to replace. `s3://bucket/key` is on the alias `aws`; no other URL is a location. A
 * text is local when it begins with `./`, `../`, `/` or `~`, is `.` or `..`, or is a drive path.
 * Otherwise, when the first segment names an alias it is remote; anything else is local.
 * `./local/x` therefore always means the folder.
 */
export type Location =
  | {
      readonly type: "remote";
      readonly alias: string;
      /** Empty when only the alias was named. */
      readonly bucket: string;
      /** Exact: everything after the bucket's slash, never normalised. */
      readonly key: string;
      /** As typed. */
      readonly text: string;
    }
  | { readonly type: "local"; readonly path: string; readonly text: string }
  | {
      readonly type: "stdio";
      /** The file descriptor, where one was named; `-` is 0 to read from and 1 to write to. */
      readonly fd?: number | undefined;
      readonly text: string;
    };

const ALWAYS_LOCAL = /^(?:\.{1,2}(?:$|[/\\])|[/~\\]|[A-Za-z]:[/\\])/;

/** Whether a text is a path whatever aliases there are. */
export function isPath(text: string): boolean {
  return ALWAYS_LOCAL.test(text);
}

const NAMED_STREAMS: Readonly<Record<string, number>> = { stdin: 0, stdout: 1, stderr: 2 };
const STREAM = /^\/dev\/(stdin|stdout|stderr)$|^\/(?:dev|proc\/self)\/fd\/(\d+)$/;
const URL_SCHEME = /^[A-Za-z][\w+.-]*:\/\//;

/** Reads one argument; `aliases` says which names are aliases. Throws a usage error for a URL. */
export function parseLocation(text: string, aliases: { has(name: string): boolean }): Location {
  if (text === "-") return { type: "stdio", text };
  const stream = STREAM.exec(text);
  if (stream !== null) {
    const fd = stream[2] === undefined ? NAMED_STREAMS[stream[1]!]! : Number(stream[2]);
    return { type: "stdio", fd, text };
  }
  if (isPath(text)) return { type: "local", path: text, text };
  const [alias, bucket, key] = splitRemote(text);
  if (!aliases.has(alias) && !text.startsWith(S3_URL)) return { type: "local", path: text, text };
  return { type: "remote", alias, bucket, key, text };
}

const S3_URL = "s3://";

/**
 * `alias/bucket/key` cut at its first two slashes; a missing piece is empty. `s3://bucket/key` is
 * on the alias `aws`. Throws a usage error for any other URL.
 */
export function splitRemote(text: string): [alias: string, bucket: string, key: string] {
  if (text.startsWith(S3_URL)) return splitRemote(`${AWS_ALIAS}/${text.slice(S3_URL.length)}`);
  if (URL_SCHEME.test(text)) throw notALocation(text);
  const first = text.indexOf("/");
  if (first < 0) return [text, "", ""];
  const second = text.indexOf("/", first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1), ""];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function notALocation(text: string): AppError {
  return usageError(
    "InvalidLocation",
    `"${text}" is a URL, and a location is alias/bucket/key`,
    "give the endpoint a name: pail alias set NAME URL",
  );
}
