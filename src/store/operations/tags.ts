/** Tags: their two spellings, and the rules for them. */
import { childText, childrenOf, type XmlContent, type XmlElement } from "../../protocol/xml.js";
import { refuse } from "../refuse.js";
import { decodeText } from "../uri.js";
import { splitParameter } from "../verify/canonical.js";

export type Tags = Readonly<Record<string, string>>;

export const MAX_OBJECT_TAGS = 10;
export const MAX_BUCKET_TAGS = 50;

/** Parses the header form, `a=1&b=2`, percent-encoded. Throws InvalidTag. */
export function parseTagHeader(header: string | undefined): Tags {
  if (header === undefined || header === "") return {};
  const pairs = header.split("&").map((pair): [string, string] => {
    const [name, value] = splitParameter(pair.replaceAll("+", "%20"));
    return [decodeText(name), decodeText(value)];
  });
  return checkedTags(pairs, MAX_OBJECT_TAGS);
}

/** Reads a `<Tagging>` document. Throws MalformedXML, InvalidTag. */
export function parseTagging(document: XmlElement, max: number): Tags {
  const [set, ...others] = childrenOf(document, "TagSet");
  if (document.name !== "Tagging" || set === undefined || others.length > 0) {
    throw refuse("MalformedXML");
  }
  const pairs = childrenOf(set, "Tag").map((tag): [string, string] => {
    const key = childText(tag, "Key");
    const value = childText(tag, "Value");
    if (key === undefined || value === undefined) throw refuse("MalformedXML");
    return [key, value];
  });
  return checkedTags(pairs, max);
}

/** The content of a `<Tagging>` document, by key: JavaScript's own order puts numbers first. */
export function tagSet(tags: Tags): XmlContent {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    TagSet: { Tag: sorted.map(([Key, Value]) => ({ Key, Value })) },
  };
}

const ALLOWED = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

function checkedTags(pairs: readonly (readonly [string, string])[], max: number): Tags {
  if (pairs.length > max) throw refuse("InvalidTag", `There cannot be more than ${max} tags.`);
  // A null prototype, so that a tag may be called `__proto__`.
  const tags = Object.create(null) as Record<string, string>;
  for (const [key, value] of pairs) {
    const details = { TagKey: key, TagValue: value };
    if (key.length === 0 || key.length > 128 || !ALLOWED.test(key) || /^aws:/i.test(key)) {
      throw refuse("InvalidTag", "The TagKey you have provided is invalid", details);
    }
    if (value.length > 256 || !ALLOWED.test(value)) {
      throw refuse("InvalidTag", "The TagValue you have provided is invalid", details);
    }
    if (key in tags) {
      throw refuse("InvalidTag", "Cannot provide multiple Tags with the same key", details);
    }
    tags[key] = value;
  }
  return tags;
}
