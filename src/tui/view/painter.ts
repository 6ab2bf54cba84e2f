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

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly click?: Click | undefined;
}

/** Left, top, width and height within the parent. */
type Place = readonly [number, number, number, number];

/** Where nodes stand, as long as the layout holds: each question to Yoga goes into WebAssembly. */
export type Places = Map<DOMElement, Place>;

/** As many rows as the screen has, each exactly as wide; `places` is filled. */
export function paint(root: DOMElement, state: State, places: Places): Row[] {
  const { columns, rows: height } = state.size;
  const blank = [gap(columns)];
  const rows: Row[] = Array.from({ length: height }, () => blank);
  const put = (x: number, y: number, row: Row, cells: number) => {
    if (y < 0 || y >= height || x >= columns) return;
    const room = Math.min(cells, columns - x);
    rows[y] = x === 0 && room === columns ? fitRow(row, columns) : over(rows[y]!, x, row, room);
  };
  walk(root, { x: 0, y: 0 });
  return rows;

  function walk(node: DOMElement, spot: Spot): void {
    const { attributes } = node;
    const [left, top, wide, high] = placeOf(node);
    const [x, y] = [spot.x + left, spot.y + top];
    const click = (attributes["click"] as unknown as Click | undefined) ?? spot.click;
    const clickable = (row: Row): Row =>
      click === undefined ? row : row.map((part) => ({ ...part, click: part.click ?? click }));
    if (node.nodeName === "ink-text") {
      const role = attributes["role"] as StyleName | undefined;
      put(x, y, clickable([span(cut(textOf(node), wide), role)]), wide);
      return;
    }
    const draw = attributes["draw"] as unknown as Draw | undefined;
    if (draw !== undefined) {
      const drawn = draw(wide, high, state);
      for (let row = 0; row < high; row++) put(x, y + row, clickable(drawn[row] ?? []), wide);
      return;
    }
    if (attributes["title"] !== undefined) {
      border(x, y, wide, high, safe(String(attributes["title"])));
    }
    for (const child of node.childNodes) {
      if (child.nodeName !== "#text") walk(child, { x, y, click });
    }
  }

  function placeOf(node: DOMElement): Place {
    let place = places.get(node);
    if (place === undefined) {
      const yoga = node.yogaNode!;
      const [left, top] = [yoga.getComputedLeft(), yoga.getComputedTop()];
      place = [left, top, yoga.getComputedWidth(), yoga.getComputedHeight()];
      places.set(node, place);
    }
    return place;
  }

  function border(x: number, y: number, wide: number, high: number, title: string): void {
    const { corners, rule, vertical, ellipsis } = glyphsOf(state.look);
    const inner = wide - 2;
    const shown = cut(title, inner - 4, ellipsis);
    put(
      x,
      y,
      [
        span(`${corners[0]}${rule} `, "rule"),
        span(shown, "strong"),
        span(` ${rule.repeat(Math.max(0, inner - width(shown) - 3))}${corners[1]}`, "rule"),
      ],
      wide,
    );
    for (let row = 1; row < high - 1; row++) {
      put(x, y + row, [span(vertical, "rule"), gap(inner), span(vertical, "rule")], wide);
    }
    put(x, y + high - 1, [span(corners[2] + rule.repeat(inner) + corners[3], "rule")], wide);
  }
}

function textOf(node: DOMElement): string {
  return node.childNodes
    .map((child) => (child.nodeName === "#text" ? child.nodeValue : textOf(child)))
    .join("");
}
