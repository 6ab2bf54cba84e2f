/**
 * Reads one page of ListObjects, ListObjectsV2 or ListObjectVersions in a single pass over its
 * text. A general XML parser costs several times what everything else about a large listing does.
 *
 * Strict about the document being whole, lenient about the rest: elements in any order, missing or
 * unknown, with prefixes, attributes and whitespace, as services other than AWS write them.
 */
import type { Borrowed } from "../../protocol/message.js";
import { isoTime } from "./iso-time.js";
import { decodeKey } from "./key-encoding.js";
import { integer, type Layout, type Leaf, learnLayout } from "./list-layout.js";
import { PageRun } from "./page-run.js";
import { type Run, runOf } from "./run.js";
import type { ObjectEntry, PrefixEntry } from "./storage.js";

export interface ScannedPage {
  /** In document order. */
  readonly objects: Run<ObjectEntry>;
  readonly prefixes: PrefixEntry[];
  readonly isTruncated: boolean;
  /** The elements that continue the listing, by name: `NextContinuationToken`, `NextMarker`, … */
  readonly next: Readonly<Record<string, string>>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const ENTRY_ELEMENTS = new Set(["Contents", "Version", "DeleteMarker", "CommonPrefixes"]);
const FIELDS = [
  "Key",
  "Prefix",
  "Size",
  "LastModified",
  "ETag",
  "StorageClass",
  "VersionId",
  "IsLatest",
];
/** Names by their length and first letter: most of a listing are these, and need no new string. */
const NAMES = new Map(
  [...ENTRY_ELEMENTS, ...FIELDS].map((name) => [name.length * 128 + name.charCodeAt(0), name]),
);
/** Cursors that are keys, and so are URL-encoded when keys are. */
const KEY_CURSORS = ["NextMarker", "NextKeyMarker"];

/** How the last object that was read tag by tag is written: most likely, so are all others. */
let usual: Layout | undefined;

/** An element that stands for the objects that a layout has found. */
const FOUND = "pail-found";

/** The root of a listing of objects, or of versions. */
export type Root = "ListBucketResult" | "ListVersionsResult";

/**
 * Reads a page; its memory is given back once the objects are made. Throws a SyntaxError when it is no
 * such listing, or not all of one: the memory is the caller's still.
 */
export function scanListing(body: Borrowed, root: Root): ScannedPage {
  const { bytes } = body;
  const layout = usual;
  const from = layout === undefined ? -1 : bytes.indexOf(layout.tag);
  if (layout !== undefined && from >= 0) {
    const { starts, end } = layout.find(bytes, from);
    if (starts.length > 0) {
      const [before, behind] = [bytes.toString("utf8", 0, from), bytes.toString("utf8", end)];
      const around = scanText(`${before}<${FOUND}/>${behind}`, root);
      const { objects, urlEncoded, hasFound, ...page } = around;
      if (hasFound) {
        return { ...page, objects: PageRun.of(body, layout, starts, end, objects, urlEncoded) };
      }
    }
  }
  const { objects, urlEncoded: _, hasFound: __, ...page } = scanText(bytes.toString(), root);
  body.giveBack();
  return { ...page, objects: runOf(objects) };
}

/**
 * Reads a text tag by tag. `hasFound` tells whether what a layout found stands where objects do, and
 * before all others.
 */
function scanText(text: string, root: Root) {
  const objects: Mutable<ObjectEntry>[] = [];
  let hasFound = false;
  /** The parts of an object that may show the layout of the others. */
  let leaves: Leaf[] = [];
  let start = 0;
  const prefixes: Mutable<PrefixEntry>[] = [];
  const next: Record<string, string> = {};
  let isTruncated = false;
  let urlEncoded = false;

  // The entry being read; its kind is the name of its element.
  let kind = "";
  let key: string | undefined;
  let size = 0;
  let lastModified: number | undefined;
  let etag: string | undefined;
  let storageClass: string | undefined;
  let versionId: string | undefined;
  let isLatest: boolean | undefined;

  const field = (name: string, from: number, to: number): void => {
    switch (name) {
      case "Key":
      case "Prefix":
        key = unescape(text.slice(from, to));
        break;
      case "Size":
        size = integer(text, from, to);
        break;
      case "LastModified":
        lastModified = isoTime(text, from, to);
        break;
      case "ETag":
        etag = unquote(text, from, to);
        break;
      case "StorageClass":
        storageClass = text.slice(from, to);
        break;
      case "VersionId":
        versionId = unescape(text.slice(from, to));
        break;
      case "IsLatest":
        isLatest = text.startsWith("true", from);
        break;
      default: // Owner, RestoreStatus, ChecksumAlgorithm: not shown in listings.
    }
  };

  const finishEntry = (): void => {
    if (key === undefined) throw new SyntaxError(`<${kind}> has no key`);
    if (kind === "CommonPrefixes") {
      prefixes.push({ type: "prefix", key });
    } else if (kind === "Contents") {
      objects.push({ type: "object", key, size, lastModified, etag, storageClass });
      if (objects.length === 1) usual = learnLayout(text, start, position, leaves);
    } else {
      objects.push({
        type: "object",
        key,
        size,
        lastModified,
        etag,
        storageClass,
        versionId,
        isLatest,
        isDeleteMarker: kind === "DeleteMarker",
      });
    }
    key = lastModified = etag = storageClass = versionId = isLatest = undefined;
    size = 0;
  };

  let depth = 0;
  let position = 0;
  let whole = false;
  while (!whole) {
    const open = text.indexOf("<", position);
    if (open < 0) throw new SyntaxError("the listing is cut off");
    const first = text.charCodeAt(open + 1);

    if (first === 0x2f /* / */) {
      position = after(text, ">", open);
      depth--;
      if (depth === 1 && kind !== "") {
        finishEntry();
        kind = "";
      }
      whole = depth === 0;
      continue;
    }
    if (first === 0x3f /* ? */ || first === 0x21 /* ! */) {
      position = after(text, text.startsWith("<!--", open) ? "-->" : ">", open);
      continue;
    }

    let nameEnd = open + 1;
    while (isLetter(text.charCodeAt(nameEnd))) nameEnd++;
    const plain = text.charCodeAt(nameEnd) === 0x3e; // `>`
    const tag = plain ? undefined : openTag(text, open);
    const name = tag === undefined ? nameAt(text, open + 1, nameEnd) : tag.name;
    const close = tag === undefined ? nameEnd : tag.close;
    const empty = tag !== undefined && tag.empty;
    if (depth === 0 && name !== root) throw new SyntaxError(`<${name}> instead of <${root}>`);

    const end = empty ? close + 1 : text.indexOf("<", close);
    if (empty || text.charCodeAt(end + 1) === 0x2f) {
      // A leaf: its tags and its text in one step.
      position = empty ? close + 1 : after(text, ">", end);
      if (depth === 0) whole = true;
      else if (kind !== "") {
        if (depth === 2) field(name, close + 1, end);
        if (objects.length === 0) leaves.push({ name, depth, from: close + 1, to: end });
      } else if (depth > 1) continue;
      else if (name.startsWith("Next")) next[name] = unescape(text.slice(close + 1, end));
      else if (name === FOUND) hasFound = depth === 1 && objects.length === 0;
      else if (name === "IsTruncated") isTruncated = text.startsWith("true", close + 1);
      else if (name === "EncodingType") urlEncoded = text.startsWith("url", close + 1);
    } else {
      position = close + 1;
      depth++;
      if (depth === 2 && ENTRY_ELEMENTS.has(name)) [kind, start, leaves] = [name, open, []];
    }
  }

  if (urlEncoded) {
    for (const entry of objects) entry.key = decodeKey(entry.key);
    for (const entry of prefixes) entry.key = decodeKey(entry.key);
    for (const name of KEY_CURSORS) if (next[name]) next[name] = decodeKey(next[name]);
  }
  return { objects, prefixes, isTruncated, next, urlEncoded, hasFound };
}

function nameAt(text: string, from: number, to: number): string {
  const known = NAMES.get((to - from) * 128 + text.charCodeAt(from));
  return known !== undefined && text.startsWith(known, from) ? known : text.slice(from, to);
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  if (at < 0) throw new SyntaxError("the listing is cut off");
  return at + mark.length;
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}

// A tag that is more than a name: a namespace prefix, attributes, white space, a closing slash.
const OPEN_TAG = /<(?:[\w.-]+:)?([\w.-]+)(?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*(\/?)>/y;

function openTag(text: string, open: number): { name: string; close: number; empty: boolean } {
  OPEN_TAG.lastIndex = open;
  const match = OPEN_TAG.exec(text);
  if (match === null) throw new SyntaxError(`malformed tag at character ${open}`);
  return { name: match[1]!, close: OPEN_TAG.lastIndex - 1, empty: match[2] === "/" };
}

const QUOTE = "&quot;";

function unquote(text: string, from: number, to: number): string {
  if (text.startsWith(QUOTE, from) && text.startsWith(QUOTE, to - QUOTE.length)) {
    return text.slice(from + QUOTE.length, to - QUOTE.length);
  }
  return unescape(text.slice(from, to)).replaceAll('"', "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&apos;": "'",
};

function unescape(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:[a-z]+|#\d{1,7}|#x[\da-fA-F]{1,6});/g, (reference) => {
    if (reference.charCodeAt(1) !== 0x23 /* # */) return ENTITIES[reference] ?? reference;
    const digits = reference.slice(2, -1);
    const code = Number(digits.startsWith("x") ? `0${digits}` : digits);
    return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}
