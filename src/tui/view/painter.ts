/**
 * From Ink's tree to rows of spans. Ink reconciles the components and lays them out; its own last
 * step, which turns the tree into one string and reads that again cell by cell, costs more than all
 * the rest (ARCHITECTURE.md has the figures), so this stands in its place.
 */
import type { DOMElement } from "ink";

import type { Click } from "../state/actions.js";
import type { State } from "../state/types.js";
import { cut, safe, width } from "../text/cells.js";
import { type StyleName, glyphsOf } from "../theme.js";
import type { Draw } from "./parts.js";
import { type Row, fitRow, gap, over, span } from "./rows.js";

/** A part of the screen that draws itself, where the layout has put it. */
export interface Leaf {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
  readonly high: number;
  readonly click?: Click | undefined;
  readonly draw: Draw;
  /** Draws the same as long as the components are the same. */
  readonly still: boolean;
  drawn?: readonly Row[] | undefined;
}

/** The leaves of a tree that is laid out, each after those that it covers. */
export function leavesOf(root: DOMElement): Leaf[] {
  const leaves: Leaf[] = [];
  walk(root, 0, 0, undefined);
  return leaves;

  function walk(node: DOMElement, left: number, top: number, outer: Click | undefined): void {
    const { attributes } = node;
    // Each question to Yoga goes into WebAssembly.
    const yoga = node.yogaNode!;
    const [x, y] = [left + yoga.getComputedLeft(), top + yoga.getComputedTop()];
    const click = (attributes["click"] as unknown as Click | undefined) ?? outer;
    const draw = drawOf(node);
    if (draw !== undefined) {
      const [wide, high] = [yoga.getComputedWidth(), yoga.getComputedHeight()];
      const still = attributes["still"] === true;
      const isText = node.nodeName === "ink-text";
      leaves.push({ x, y, wide, high: isText ? 1 : high, click, draw, still });
      if (isText) return;
    }
    for (const child of node.childNodes) {
      if (child.nodeName !== "#text") walk(child, x, y, click);
    }
  }
}

/** As many rows as the screen has, each exactly as wide. */
export function paint(leaves: readonly Leaf[], state: State): Row[] {
  const { columns, rows: height } = state.size;
  const blank = [gap(columns)];
  const rows = Array.from({ length: height }, (): Row => blank);
  for (const leaf of leaves) {
    const { x, y, wide, high, click } = leaf;
    const drawn = (leaf.still && leaf.drawn) || leaf.draw(wide, high, state);
    leaf.drawn = drawn;
    const room = Math.min(wide, columns - x);
    const end = room > 0 ? Math.min(height, y + high) : 0;
    for (let at = Math.max(0, y); at < end; at++) {
      let row = drawn[at - y] ?? [];
      if (click !== undefined) row = row.map((part) => ({ ...part, click: part.click ?? click }));
      rows[at] = room === columns ? fitRow(row, columns) : over(rows[at]!, x, row, room);
    }
  }
  return rows;
}

/** The function that draws a node; undefined for a box that only holds others. */
function drawOf(node: DOMElement): Draw | undefined {
  const { attributes } = node;
  if (node.nodeName === "ink-text") {
    const role = attributes["role"] as StyleName | undefined;
    return (wide) => [[span(cut(textOf(node), wide), role)]];
  }
  const title = attributes["title"];
  if (title !== undefined) {
    return (wide, high, state) => border(wide, high, safe(String(title)), state);
  }
  return attributes["draw"] as unknown as Draw | undefined;
}

function border(wide: number, high: number, title: string, { look }: State): Row[] {
  const { corners, rule, vertical, ellipsis } = glyphsOf(look);
  const inner = wide - 2;
  const shown = cut(title, inner - 4, ellipsis);
  const side = span(vertical, "rule");
  return [
    [
      span(`${corners[0]}${rule} `, "rule"),
      span(shown, "strong"),
      span(` ${rule.repeat(Math.max(0, inner - width(shown) - 3))}${corners[1]}`, "rule"),
    ],
    ...Array.from({ length: high - 2 }, () => [side, gap(inner), side]),
    [span(corners[2] + rule.repeat(inner) + corners[3], "rule")],
  ];
}

function textOf(node: DOMElement): string {
  return node.childNodes
    .map((child) => (child.nodeName === "#text" ? child.nodeValue : textOf(child)))
    .join("");
}
