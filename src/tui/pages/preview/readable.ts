/** Content as it is best read: unpacked, laid out, in columns, with the parts of it told apart. */
import * as zlib from "node:zlib";

import type { ZipDirectory } from "../../../core/operations/zip.js";
import { formatCount, formatSize } from "../../../text/format.js";
import { cut, fit, safe, width } from "../../text/cells.js";
import { type Row, span } from "../../view/rows.js";
import type { PreviewContent, TextContent } from "./state.js";
import { windowOf } from "./window.js";

/** Bytes that are unpacked of a gzip. */
const UNPACKED = 64 * 1024;
/** Cells of the widest column. */
const WIDEST = 40;

/** A window as it is best read: gzip and zstd unpacked, tar listed, JSON laid out, CSV in columns. */
export function readable(
  bytes: Buffer,
  offset: number,
  { key, size }: { readonly key: string; readonly size: number },
): PreviewContent {
  const packing =
    offset === 0 ? PACKINGS.find(({ magic }) => bytes.indexOf(magic) === 0) : undefined;
  const head = packing && unpacked(bytes, packing.unpack);
  const files = offset === 0 ? tarText(head ?? bytes, size, packing?.name) : undefined;
  if (files !== undefined) return files;
  const inside = head && windowOf(head, 0, { size: head.length });
  const content: PreviewContent =
    inside?.type === "text"
      ? { ...inside, end: size, note: `${packing?.name}, its beginning` }
      : windowOf(bytes, offset, { size });
  if (content.type !== "text") return content;
  const name = key.toLowerCase().replace(/\.(?:gz|zst)$/, "");
  const separator = name.endsWith(".tsv") ? "\t" : name.endsWith(".csv") ? "," : undefined;
  if (separator !== undefined) return { ...content, ...inColumns(content.lines, separator) };
  const lines = laidOut(content.lines);
  const isJson = lines !== undefined || /\.(?:geo)?json[l5]?$|\.ndjson$/.test(name);
  return isJson ? { ...content, lines: lines ?? content.lines, isJson } : content;
}

/** The names in a zip archive, a line for each. */
export function archiveText({ count, entries }: ZipDirectory, size: number): TextContent {
  const more = count > entries.length ? `, the first ${entries.length} listed` : "";
  return listed(entries, size, `zip of ${formatCount(count, "entry", "entries")}${more}`);
}

function listed(
  entries: readonly { readonly name: string; readonly size: number }[],
  end: number,
  note: string,
): TextContent {
  const lines = entries.map(({ name, size }) => `${fit(formatSize(size), 9, "right")}  ${name}`);
  return { type: "text", lines, end, note };
}

/** The files whose headers are in the first bytes of a tar: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html. */
function tarText(bytes: Buffer, end: number, packing: string | undefined): TextContent | undefined {
  const entries: { name: string; size: number }[] = [];
  const field = (at: number, length: number) => {
    const text = bytes.toString("utf8", at, at + length);
    return text.slice(0, text.indexOf("\0") >>> 0);
  };
  let long: string | undefined;
  for (let at = 0; bytes.toString("latin1", at + 257, at + 262) === "ustar";) {
    const size = Math.max(0, Number.parseInt(field(at + 124, 12), 8) || 0);
    const type = bytes.toString("latin1", at + 156, at + 157);
    const prefix = field(at + 345, 155).trim();
    // A name that is too long for its field stands before it, as GNU or as POSIX has it.
    if (type === "L") long = field(at + 512, size);
    else if (type === "x") long = / path=(.*)\n/.exec(field(at + 512, size))?.[1];
    else if (type !== "g") {
      entries.push({ name: long ?? (prefix && `${prefix}/`) + field(at, 100), size });
      long = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  if (entries.length === 0) return undefined;
  return listed(
    entries,
    end,
    `${packing === undefined ? "" : `${packing} of a `}tar, its beginning`,
  );
}

type Unpack = (
  bytes: Buffer,
  options: { readonly finishFlush: number; readonly maxOutputLength: number },
) => Buffer;

/** Node has zstd since 22.15. */
const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: Unpack };
const PACKINGS: readonly {
  readonly name: string;
  readonly magic: Buffer;
  readonly unpack: Unpack;
}[] = [
  { name: "gzip", magic: Buffer.from([0x1f, 0x8b]), unpack: zlib.gunzipSync },
  ...(zstdDecompressSync === undefined
    ? []
    : [
        {
          name: "zstd",
          magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
          unpack: zstdDecompressSync,
        },
      ]),
];

/** The beginning of what is in the beginning of a stream; undefined for what is damaged. */
function unpacked(bytes: Buffer, unpack: Unpack): Buffer | undefined {
  try {
    // The head of a stream has no end; it is unpacked as far as possible.
    const finishFlush = zlib.constants.Z_SYNC_FLUSH;
    return unpack(bytes, { finishFlush, maxOutputLength: UNPACKED * 64 }).subarray(0, UNPACKED);
  } catch {
    return undefined;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON with a line for each member, when all of it is there; every value stays as it is written. */
function laidOut(lines: readonly string[]): string[] | undefined {
  const text = lines.join("\n");
  if (!/^\s*[[{]/.test(text) || lines.length > 3) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const out = [""];
  let depth = 0;
  const tokens = text.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1] ?? "";
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const empty = closes && (before === "{" || before === "[");
    const starts = (closes && !empty) || ["{", "[", ","].includes(before);
    if (starts && !empty) out.push("  ".repeat(Math.min(depth, 40)));
    out[out.length - 1] += token === ":" ? ": " : token;
    if (opens) depth += 1;
  }
  return out;
}

/** Lines whose fields stand below each other, and how wide each column is. */
function inColumns(lines: readonly string[], separator: string) {
  const semicolons = separator === "," && !lines[0]?.includes(",") && lines[0]?.includes(";");
  const rows = lines.map((line) => fieldsOf(line, semicolons ? ";" : separator).map(safe));
  const columns: number[] = [];
  for (const row of rows) {
    for (const [index, field] of row.entries()) {
      columns[index] = Math.max(columns[index] ?? 1, Math.min(WIDEST, width(field)));
    }
  }
  const padded = rows.map((row) =>
    row
      .map((field, index) => fit(field, columns[index] ?? WIDEST))
      .join(GAP)
      .trimEnd(),
  );
  return { lines: padded, columns };
}

const GAP = "  ";

/** The fields of one line; a quoted one may hold the separator, and quotes twice. */
function fieldsOf(line: string, separator: string): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const quoted = line[at] === '"' ? /"((?:[^"]|"")*)"/y : undefined;
    if (quoted !== undefined) quoted.lastIndex = at;
    const match = quoted?.exec(line);
    const from = match ? at + match[0].length : at;
    const next = line.indexOf(separator, from);
    const rest = line.slice(from, next < 0 ? undefined : next);
    fields.push(match ? match[1]!.replaceAll('""', '"') + rest : rest);
    if (next < 0) return fields;
    at = next + 1;
  }
}

const PARTS = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** A line of a text, which must be `safe`, with its parts in styles; `line` counts from 0. */
export function inStyles(text: string, content: TextContent, line: number): Row {
  if (content.columns !== undefined) return columnsOf(text, content.columns, line === 0);
  if (content.isJson !== true) return [span(text)];
  const row: Row[number][] = [];
  let from = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, string, colon, number] = match;
    const style =
      string === undefined
        ? number === undefined
          ? "mark"
          : "warning"
        : colon === undefined
          ? "success"
          : "accent";
    row.push(span(text.slice(from, match.index)), span(whole, style));
    from = match.index + whole.length;
  }
  return [...row, span(text.slice(from))];
}

/** Every other column in another style, so that the eye keeps to one. */
function columnsOf(text: string, columns: readonly number[], heading: boolean): Row {
  const row: Row[number][] = [];
  let rest = text;
  for (const [index, cells] of columns.entries()) {
    const field = cut(rest, cells + GAP.length, "");
    row.push(span(field, heading ? "strong" : index % 2 === 0 ? "plain" : "accent"));
    rest = rest.slice(field.length);
    if (rest === "") break;
  }
  return [...row, span(rest)];
}
