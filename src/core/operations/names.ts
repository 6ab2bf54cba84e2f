/**
 * Names: what each thing copied will be called at the target. Pure, and the same for every
 * direction.
 *
 * - One thing copied to a name that ends with `/`, to a bucket alone or to an existing directory
 *   keeps its own last name there; to anything else, it takes that name.
 * - Several things, or a recursive copy, always go below the target.
 * - A recursive copy keeps the source's own last name, unless the source ends with `/`: `cp -r
 *   photos local/b` makes `photos/…`, `cp -r photos/ local/b` does not. A bucket named alone, `.`
 *   and `..` lend no name.
 */

/**
 * The part of a source's name that a recursive copy keeps in front of each name: "" or `photos/`.
 */
export function keptPrefix(source: string): string {
  const last = lastName(source);
  return last === "" || last === "." || last === ".." ? "" : `${last}/`;
}

/** The last segment; empty when the name ends with `/`. */
export function lastName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The name a single key keeps: its last segment, with the trailing `/` of a key that has one. */
export function ownName(key: string): string {
  const body = key.endsWith("/") ? key.slice(0, -1) : key;
  return key.slice(body.lastIndexOf("/") + 1);
}

/** `name` below `prefix`; a prefix without a trailing `/` gets one. */
export function joinKey(prefix: string, name: string): string {
  if (prefix === "" || prefix.endsWith("/")) return prefix + name;
  return `${prefix}/${name}`;
}

/**
 * The keys that a recursive operation on a key takes: the key itself where there is one, and
 * everything below it. `foo` takes `foo` and `foo/…`, never `foobar`; `foo/` only what is below.
 */
export function recursiveScope(key: string): {
  readonly exact: string | undefined;
  readonly below: string;
} {
  if (key === "" || key.endsWith("/")) return { exact: undefined, below: key };
  return { exact: key, below: `${key}/` };
}
