/** How a failure of a service is said to a person. */
import { factsOf, factsOfAnswer } from "./codes.js";
import type { ErrorKind } from "./errors.js";
import { shellWord } from "./shell-word.js";

/** The subject of a request, for messages. */
export interface RequestSubject {
  readonly method: string;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /** Scheme, host and port as the alias gives them. */
  readonly endpoint: string;
  /** Name of the alias, for hints that can be run. */
  readonly alias?: string | undefined;
  /** Command that sets the alias anew. */
  readonly setCommand?: string | undefined;
}

/** The words of services about a signature that is spelled as another vendor's. */
const WRONG_DIALECT =
  /authorization mechanism .*not supported|unsupported authorization type|incorrect (?:service|terminator)|valid date or x-/i;

/** The words of services about a copy onto itself. */
const ITSELF = /copy an object to itself/i;

/** The words of services about an object that is encrypted with a key of the customer's (SSE-C). */
const SEALED = /stored using a form of server side encryption/i;

/** The kind of a failure from the service's code and words, or else its status. */
export function kindOf(code: string, status: number | undefined, said = ""): ErrorKind {
  return WRONG_DIALECT.test(said) ? "denied" : factsOfAnswer(code, status).kind;
}

/** How a person names what the request was about: `photos/a.jpg on local`. */
export function subjectText(about: RequestSubject): string {
  const { alias, bucket, key, endpoint } = about;
  if (bucket === undefined) return alias ?? endpoint;
  const place = key === undefined ? bucket : `${bucket}/${key}`;
  return alias === undefined ? `${place} at ${endpoint}` : `${alias}/${place}`;
}

/** One sentence: what failed, to what, and what the service said. */
export function messageFor(
  code: string,
  said: string,
  status: number,
  about: RequestSubject,
): string {
  const facts = factsOf(code);
  const subject = subjectText(facts?.aboutBucket ? { ...about, key: undefined } : about);
  if (facts?.words !== undefined) {
    return `${subject}: ${facts.words.replace("{endpoint}", about.endpoint)}`;
  }
  const words = ITSELF.test(said)
    ? "source and target are the same object, and nothing of it would change"
    : said || facts?.silent || `the service answered ${status}`;
  return `${subject}: ${oneLine(words)}${words.includes(code) ? "" : ` (${code})`}`;
}

/** Services put anything into a message; a long one is cut. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replace(/\.$/, "");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** A command that helps, where there is one. */
export function hintFor(code: string, said: string, about: RequestSubject): string | undefined {
  if (WRONG_DIALECT.test(said)) {
    return fill(
      "pail alias set {name} {endpoint} --dialect SCHEME,infix,service,terminator",
      about,
    );
  }
  // The answer to a HEAD has no words.
  if (SEALED.test(said) || (code === "BadRequest" && about.method === "HEAD")) {
    return fill("pail cat --sse-c-key KEYFILE {object}", about);
  }
  const mayMakeBucket = code === "NoSuchBucket" && storesObject(about);
  return fill(mayMakeBucket ? "pail mb {bucket}" : factsOf(code)?.hint, about);
}

/** The hint with what it is about, each value as one word of a shell; undefined when one is unknown. */
function fill(template: string | undefined, about: RequestSubject): string | undefined {
  const { alias, bucket, key, endpoint, setCommand } = about;
  const values: Readonly<Record<string, string | undefined>> = {
    alias: alias && shellWord(alias),
    name: alias === undefined ? "NAME" : shellWord(alias),
    bucket: alias && bucket && shellWord(`${alias}/${bucket}`),
    object: alias && bucket && key && shellWord(`${alias}/${bucket}/${key}`),
    endpoint: shellWord(endpoint),
    set: setCommand,
  };
  let complete = true;
  const filled = template?.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    complete &&= Boolean(values[name]);
    return values[name] ?? "";
  });
  return complete ? filled : undefined;
}

/** Whether the request brings something for which a bucket may as well be made. */
function storesObject({ method, key }: RequestSubject): boolean {
  return method === "PUT" || (method === "POST" && key !== undefined);
}
