/** Ink, started on the console's own painter. */
import { PassThrough } from "node:stream";

import { Box, type DOMElement, render } from "ink";
import type { ReactNode } from "react";

import type { State } from "../state/types.js";
import { type Leaf, leavesOf, paint } from "./painter.js";
import type { Row } from "./rows.js";

export interface InkScreen {
  /** Reconciles and lays out components. Throws what a component threw. */
  compose(tree: ReactNode, state: State): void;
  /** The rows of the components, for a state. */
  draw(state: State): readonly Row[];
  unmount(): void;
}

/**
 * Starts Ink on a stand-in for a terminal. Ink reads no keys and writes nothing: the console has
 * its own parser, and frames go out by the frame sink.
 */
export function startInk(): InkScreen {
  let columns = 80;
  let laidOut = 0;
  let leaves: readonly Leaf[] | undefined;
  let crash: unknown;
  let root: DOMElement | undefined;
  const keepRoot = (node: DOMElement | null) => {
    root ??= rootOf(node);
  };
  const output = {
    get columns() {
      return columns;
    },
    rows: 1000,
    isTTY: true,
    destroyed: false,
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
  if (root === undefined) throw new Error("Ink has no root");
  const top = root;
  // Ink calls this after each layout to make its string; nobody reads that here.
  top.onRender = () => undefined;
  const layOut = top.onComputeLayout;
  top.onComputeLayout = () => {
    if (laidOut === columns && top.yogaNode?.isDirty() === false) return;
    layOut?.();
    laidOut = columns;
  };

  return {
    compose: (tree, state) => {
      columns = state.size.columns;
      leaves = undefined;
      instance.rerender(tree);
      if (crash !== undefined) throw crash;
    },
    draw: (state) => paint((leaves ??= leavesOf(top)), state),
    unmount: () => {
      // A screen that is gone gets no last frame.
      output.destroyed = true;
      instance.unmount();
    },
  };
}

function rootOf(node: DOMElement | null): DOMElement | undefined {
  let top = node ?? undefined;
  while (top?.parentNode !== undefined) top = top.parentNode;
  return top;
}
