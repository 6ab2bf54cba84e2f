/** Ink, started on the console's own painter. */
import { PassThrough } from "node:stream";

import { Box, type DOMElement, render } from "ink";
import type { ReactNode } from "react";

import type { Look } from "../theme.js";
import type { Size } from "../state/types.js";
import { paint } from "./painter.js";
import type { Row } from "./rows.js";

export interface InkScreen {
  /** Renders components on a screen of a size. Throws what a component threw. */
  draw(tree: ReactNode, size: Size, look: Look): readonly Row[];
  unmount(): void;
}

/**
 * Starts Ink on a stand-in for a terminal. Ink reads no keys and writes nothing: the console has
 * its own parser, and frames go out by the frame sink.
 */
export function startInk(): InkScreen {
  let size: Size = { columns: 80, rows: 24 };
  let crash: unknown;
  let root: DOMElement | undefined;
  const keepRoot = (node: DOMElement | null) => {
    root ??= rootOf(node);
  };
  const output = {
    get columns() {
      return size.columns;
    },
    rows: 1000,
    isTTY: true,
    writable: true,
    write: () => true,
    on: () => output,
    off: () => output,
  };
  const instance = render(<Box ref={keepRoot} />, {
    stdout: output as unknown as NodeJS.WriteStream,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  instance.waitUntilExit().catch((error: unknown) => {
    crash = error;
  });
  // Ink calls this after each layout to make its string; nobody reads that here.
  if (root !== undefined) (root as { onRender?: () => void }).onRender = () => undefined;

  return {
    draw: (tree, at, look) => {
      size = at;
      instance.rerender(tree);
      if (crash !== undefined) throw crash;
      if (root === undefined) throw new Error("Ink has no root");
      return paint(root, at.columns, at.rows, look);
    },
    unmount: () => instance.unmount(),
  };
}

function rootOf(node: DOMElement | null): DOMElement | undefined {
  let top = node ?? undefined;
  while (top?.parentNode !== undefined) top = top.parentNode;
  return top;
}
