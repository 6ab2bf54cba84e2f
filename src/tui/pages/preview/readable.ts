/** Content as it is best read: unpacked, laid out, in columns, with the parts of it told apart. */
import { constants, gunzipSync } from "node:zlib";

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

/** A window as it is best read: gzip unpacked, JSON laid out, CSV in columns. */
export function readable(
  bytes: Buffer,
  offset: number,
  { key, size }: { readonly key: string; readonly size: number },
): PreviewContent {
  const head = offset === 0 && bytes[0] === 0x1f && bytes[1] === 0x8b ? unpacked(bytes) : undefined;
  const inside = head && windowOf(head, 0, { size: head.length });
  const content: PreviewContent =
    inside?.type === "text"
      ? { ...inside, end: size, note: "gzip, its beginning" }
      : windowOf(bytes, offset, { size });
  if (content.type !== "text") return content;
  const name = key.toLowerCase().replace(/\.gz$/, "");
  const separator = name.endsWith(".tsv") ? "\t" : name.endsWith(".csv") ? "," : undefined;
  if (separator !== undefined) return { ...content, ...inColumns(content.lines, separator) };
  const lines = laidOut(content.lines);
  const isJson = lines !== undefined || /\.(?:geo)?json[l5]?$|\.ndjson$/.test(name);
  return isJson ? { ...content, lines: lines ?? content.lines, isJson } : content;
}

/** The names in an archive, a line for each. */
export function archiveText({ count, entries }: ZipDirectory, size: number): TextContent {
  const lines = entries.map(({ name, size }) => `${fit(formatSize(size), 9, "right")}  ${name}`);
  const more = count > entries.length ? `, the first ${entries.length} listed` : "";
  return {
    type: "text",
    lines,
    end: size,
    note: `zip of ${formatCount(count, "entry", "entries")}${more}`,
  };
}

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    // The head of a stream has no end; it is unpacked as far as possible.
    const finishFlush = constants.Z_SYNC_FLUSH;
    const most = UNPACKED * 64;
    return gunzipSync(bytes, { finishFlush, maxOutputLength: most }).subarray(0, UNPACKED);
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
