/**
 * What a person types for a place: `alias/bucket/key`, a local path, or `-`.
 *
 * `-` is stdin or stdout. What begins with `./`, `../`, `/` or `~`, is `.` or `..`, or is a drive
 * path, is local. Otherwise, when the first segment names an alias it is remote; anything else is
 * local. `./local/x` therefore always means the folder.
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
  | { readonly type: "stdio"; readonly text: "-" };

const ALWAYS_LOCAL = /^(?:\.{1,2}(?:$|[/\\])|[/~\\]|[A-Za-z]:[/\\])/;

/** Reads one argument; `aliases` says which names are aliases. */
export function parseLocation(text: string, aliases: { has(name: string): boolean }): Location {
  if (text === "-") return { type: "stdio", text };
  if (ALWAYS_LOCAL.test(text)) return { type: "local", path: text, text };
  const [alias, bucket, key] = splitRemote(text);
  if (!aliases.has(alias)) return { type: "local", path: text, text };
  return { type: "remote", alias, bucket, key, text };
}

/** `alias/bucket/key` cut at its first two slashes; what is not there is empty. */
export function splitRemote(text: string): [alias: string, bucket: string, key: string] {
  const first = text.indexOf("/");
  if (first < 0) return [text, "", ""];
  const second = text.indexOf("/", first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1), ""];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
