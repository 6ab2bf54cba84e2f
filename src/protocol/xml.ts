/**
 * XML as S3 uses it: a strict parser for small documents (requests, errors) and a writer.
 *
 * No DTD, hence no entity but XML's own five: nothing a document says can make it grow. Depth and
 * size are bounded, and parsing is linear in the size.
 */

export interface XmlElement {
  /** Without a namespace prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The element's own character data, its children's left out. */
  readonly text: string;
}

export interface XmlLimits {
  /** UTF-16 units. Default 4 Mi: a DeleteObjects of 1000 keys, each byte of each escaped, fits. */
  readonly size?: number | undefined;
  /** Default 32. */
  readonly depth?: number | undefined;
  /** Default: as many as fit. */
  readonly elements?: number | undefined;
}

/** The document is not well-formed, or past a limit. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

interface OpenElement {
  readonly qualifiedName: string;
  readonly children: XmlElement[];
  text: string;
}

const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
const OPEN_TAG = new RegExp(
  `(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
  "y",
);
const CLOSE_TAG = new RegExp(`(${NAME})\\s*>`, "y");

/** Parses a document into its root element. Throws an XmlError. */
export function parseXml(document: string, limits: XmlLimits = {}): XmlElement {
  const { size = 4 * 1024 * 1024, depth = 32, elements = Number.POSITIVE_INFINITY } = limits;
  if (document.length > size) throw new XmlError(`document is larger than ${size} characters`);

  const stack: OpenElement[] = [{ qualifiedName: "", children: [], text: "" }];
  let position = document.startsWith("\uFEFF") ? 1 : 0;
  let count = 0;

  /** Jumps behind `end` and answers what was before it. */
  const until = (end: string, what: string): string => {
    const at = document.indexOf(end, position);
    if (at < 0) throw new XmlError(`${what} is not closed`);
    const content = document.slice(position, at);
    position = at + end.length;
    return content;
  };
  const match = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = position;
    const found = pattern.exec(document);
    if (found === null) throw new XmlError(`malformed tag at character ${position}`);
    position = pattern.lastIndex;
    return found;
  };
  const addText = (text: string): void => {
    const parent = stack.at(-1)!;
    if (stack.length > 1) parent.text += text;
    else if (text.trim() !== "") throw new XmlError("character data outside the root element");
  };
  const close = (qualifiedName: string): void => {
    const closed = stack.pop()!;
    if (stack.length === 0 || closed.qualifiedName !== qualifiedName) {
      throw new XmlError(`</${qualifiedName}> closes nothing`);
    }
    const name = qualifiedName.slice(qualifiedName.indexOf(":") + 1);
    stack.at(-1)!.children.push({ name, children: closed.children, text: closed.text });
  };

  while (position < document.length) {
    const next = document.indexOf("<", position);
    const end = next < 0 ? document.length : next;
    if (end > position) addText(unescapeXml(document.slice(position, end)));
    position = end + 1;
    if (next < 0) break;

    if (document.startsWith("![CDATA[", position)) {
      if (stack.length === 1) throw new XmlError("CDATA outside the root element");
      position += 8;
      addText(until("]]>", "CDATA"));
    } else if (document.startsWith("!--", position)) {
      position += 3;
      until("-->", "comment");
    } else if (document.startsWith("?", position)) {
      until("?>", "processing instruction");
    } else if (document.startsWith("!", position)) {
      throw new XmlError("document type declarations are not accepted");
    } else if (document.startsWith("/", position)) {
      position += 1;
      close(match(CLOSE_TAG)[1]!);
    } else {
      const [, qualifiedName, , empty] = match(OPEN_TAG);
      if (++count > elements) throw new XmlError(`document has more than ${elements} elements`);
      if (stack.length > depth) throw new XmlError(`elements are nested deeper than ${depth}`);
      stack.push({ qualifiedName: qualifiedName!, children: [], text: "" });
      if (empty === "/") close(qualifiedName!);
    }
  }

  const [root, ...others] = stack[0]!.children;
  if (stack.length > 1) throw new XmlError(`<${stack.at(-1)!.qualifiedName}> is not closed`);
  if (root === undefined) throw new XmlError("document has no element");
  if (others.length > 0) throw new XmlError("document has more than one root element");
  return root;
}

/** The first child of that name. */
export function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((candidate) => candidate.name === name);
}

/** All children of that name, in order. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((candidate) => candidate.name === name);
}

/** The text of the first child of that name; undefined when there is none. */
export function childText(element: XmlElement, name: string): string | undefined {
  return child(element, name)?.text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]{2,4}));|&/g, (...found) => {
    const [whole, decimal, hex, entity] = found as unknown as (string | undefined)[];
    if (entity !== undefined && entity in ENTITIES) return ENTITIES[entity]!;
    const digits = decimal ?? hex;
    const code =
      digits === undefined ? Number.NaN : Number.parseInt(digits, hex === undefined ? 10 : 16);
    // XML knows no reference to zero, but a key may hold one and has no other spelling.
    const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) throw new XmlError(`unknown reference ${whole!.slice(0, 12)}`);
    return String.fromCodePoint(code);
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/**
 * Escapes character data and attribute values. Control characters become numeric references, as S3
 * writes them; XML 1.0 has no other way to carry the ones a parser would normalise or refuse.
 */
export function escapeXml(text: string): string {
  if (!/[&<>"'\u0000-\u001f\u007f\ufffe\uffff]/.test(text)) return text;
  return text.replaceAll(
    /[&<>"'\u0000-\u001f\u007f\ufffe\uffff]/g,
    (character) =>
      ESCAPES[character] ?? `&#x${character.codePointAt(0)!.toString(16).toUpperCase()};`,
  );
}

/**
 * The content of an element: text, children by name, or a sequence of such. A child whose value is an
 * array is repeated; one that is undefined is left out. A name may carry attributes behind a space.
 */
export type XmlContent =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlContent[]
  | { readonly [name: string]: XmlContent };

/** Writes a document. */
export function writeXml(root: string, content: XmlContent, namespace?: string): string {
  const attribute = namespace === undefined ? "" : ` xmlns="${escapeXml(namespace)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner(content)}</${root}>`;
}

function inner(content: XmlContent): string {
  if (content === undefined) return "";
  if (typeof content === "string") return escapeXml(content);
  if (typeof content !== "object") return String(content);
  let text = "";
  if (isSequence(content)) {
    for (const item of content) text += inner(item);
    return text;
  }
  for (const name of Object.keys(content)) {
    const value = content[name];
    if (!isSequence(value)) text += element(name, value);
    else for (const item of value) text += element(name, item);
  }
  return text;
}

function element(name: string, content: XmlContent): string {
  if (content === undefined) return "";
  const end = name.indexOf(" ");
  return `<${name}>${inner(content)}</${end < 0 ? name : name.slice(0, end)}>`;
}

function isSequence(content: XmlContent): content is readonly XmlContent[] {
  return Array.isArray(content);
}
