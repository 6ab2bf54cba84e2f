/** Ink as a function: rows in, styled lines out. */
import { PassThrough } from "node:stream";

import { render } from "ink";
import { createElement } from "react";

import { App, type AppProps } from "./app.js";

export interface InkRenderer {
  /** The styled text of rows. Throws what a component threw. */
  layOut(props: AppProps): readonly string[];
  unmount(): void;
}

/**
 * Starts Ink in its debug mode, in which each render hands over all its lines at once, to a
 * stand-in for a terminal. Ink reads no keys: the console has its own parser.
 */
export function startInk(): InkRenderer {
  let frame = "";
  let columns = 80;
  let crash: unknown;
  const output = {
    get columns() {
      return columns;
    },
    rows: 1000,
    isTTY: true,
    writable: true,
    write: (text: string) => {
      frame = text;
      return true;
    },
    on: () => output,
    off: () => output,
  };
  let instance: ReturnType<typeof render> | undefined;

  return {
    layOut: (props) => {
      columns = props.columns;
      const element = createElement(App, props);
      if (instance === undefined) {
        instance = render(element, {
          stdout: output as unknown as NodeJS.WriteStream,
          stdin: new PassThrough() as unknown as NodeJS.ReadStream,
          debug: true,
          exitOnCtrlC: false,
          patchConsole: false,
        });
        instance.waitUntilExit().catch((error: unknown) => {
          crash = error;
        });
      } else instance.rerender(element);
      if (crash !== undefined) throw crash;
      return frame.split("\n");
    },
    unmount: () => instance?.unmount(),
  };
}
