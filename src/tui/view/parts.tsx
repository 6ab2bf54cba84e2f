/** The leaves of the screen: Ink's host elements, with what the painter needs as attributes. */
import type { BoxProps } from "ink";
import { type ReactNode, createElement } from "react";

import type { Click } from "../state/actions.js";
import type { State } from "../state/types.js";
import type { StyleName } from "../theme.js";
import type { Row } from "./rows.js";

/** Makes the rows of a region, from its size in cells; it is asked for each frame. */
export type Draw = (width: number, height: number, state: State) => readonly Row[];

/**
 * A region that is drawn rather than composed, such as a list or a text in the place that Ink's
 * layout gives it. It fills the room that is left, unless it is given a size. One that is still is
 * drawn again only after components have changed.
 */
export function Region({
  draw,
  still,
  ...style
}: BoxProps & { readonly draw: Draw; readonly still?: boolean }): ReactNode {
  return createElement("ink-box", { style: { flexGrow: 1, flexShrink: 1, ...style }, draw, still });
}

/** One row of spans as wide as there is room. */
export function Line({ row }: { readonly row: Row }): ReactNode {
  return createElement("ink-box", {
    style: { height: 1, width: "100%", flexShrink: 0 },
    draw: () => [row],
  });
}

/** A text by its role, on one line; what does not fit is cut. */
export function Say(props: {
  readonly as?: StyleName | undefined;
  readonly children: string;
  readonly grow?: boolean;
}): ReactNode {
  const { as, children, grow = false } = props;
  const style = { flexGrow: grow ? 1 : 0, flexShrink: 1, textWrap: "truncate-end" };
  return createElement("ink-text", { style, role: as ?? "plain" }, children);
}

/** Boxes that take clicks. */
export function Target({
  click,
  children,
  ...style
}: BoxProps & { readonly click: Click; readonly children: ReactNode }): ReactNode {
  return createElement("ink-box", { style: { flexDirection: "row", ...style }, click }, children);
}

/** A box with a border and a title in it, opaque to what is below. */
export function Frame({
  title,
  children,
  ...style
}: BoxProps & { readonly title: string; readonly children: ReactNode }): ReactNode {
  const box = { flexDirection: "column", borderStyle: "round", paddingX: 1, ...style };
  return createElement("ink-box", { style: box, title }, children);
}
