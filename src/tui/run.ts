/** Wires the parts of a running console together: keys in, frames out, effects to the core. */
import { render } from "ink";
import type { ReadStream, WriteStream } from "node:tty";
import { PassThrough } from "node:stream";
import { createElement } from "react";

import type { Context } from "../context.js";
import { interrupted } from "../core/errors.js";
import { createController } from "./controller/index.js";
import { createLoop } from "./loop.js";
import type { Effect } from "./state/actions.js";
import type { State } from "./state/types.js";
import { createFrameSink } from "./terminal/frame-sink.js";
import { createInputParser } from "./terminal/input.js";
import { enterTerminal } from "./terminal/session.js";
import { App } from "./view/app.js";
import { screen } from "./view/screen.js";
import { type Row, spanAt } from "./view/rows.js";
import { busy } from "./state/busy.js";

export interface RunOptions {
  readonly context: Context;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly initial: State;
  readonly effects: readonly Effect[];
  readonly askBackground: boolean;
}

/** How long a lone ESC may be the beginning of something, in milliseconds. */
const ESC_DELAY = 25;
/** Milliseconds between two steps of a spinner. */
const TICK = 120;

/** Runs until the console is quit, a signal comes, or the terminal goes away. */
export async function run(options: RunOptions): Promise<void> {
  const { stdin, stdout } = options;
  const sink = createFrameSink(
    (data) => stdout.write(data),
    () => stdout.rows,
  );
  let rows: readonly Row[] = [];
  let failed: unknown;
  let lost = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fail = (error: unknown) => {
    failed ??= error;
    end();
  };

  const ink = inkInto((frame) => sink.paint(frame), stdout);
  const loop = createLoop(
    options.initial,
    (effect) => controller.perform(effect),
    (state) => {
      try {
        rows = screen(state);
        ink.show(state, rows);
      } catch (error) {
        fail(error);
      }
    },
  );
  const controller = createController({
    context: options.context,
    dispatch: (action) => loop.dispatch(action),
    write: (data) => stdout.write(data),
    quit: end,
  });

  const session = enterTerminal(stdin, stdout, {
    askBackground: options.askBackground,
    onLost: () => {
      lost = true;
      end();
    },
  });
  const keys = readKeys(stdin, (event) => {
    if (event.type === "mouse" && event.kind === "press") {
      const click = spanAt(rows, event.x, event.y)?.click;
      if (click !== undefined) return loop.dispatch({ type: "click", click });
    }
    loop.dispatch({ type: "input", event });
  });
  const onResize = () => {
    sink.invalidate();
    loop.dispatch({ type: "resize", size: { columns: stdout.columns, rows: stdout.rows } });
  };
  stdout.on("resize", onResize);
  const ticker = setInterval(() => {
    if (busy(loop.state())) loop.dispatch({ type: "tick" });
  }, TICK);

  try {
    loop.dispatch({ type: "resize", size: { columns: stdout.columns, rows: stdout.rows } });
    for (const effect of options.effects) controller.perform(effect);
    await Promise.race([ended, ink.crashed.catch(fail)]);
  } finally {
    loop.stop();
    clearInterval(ticker);
    keys.stop();
    stdout.off("resize", onResize);
    session.leave();
    await controller.close();
    ink.unmount();
  }
  if (failed !== undefined) throw failed;
  if (lost) throw interrupted();
}

/** Ink in its debug mode: every render hands over the whole frame, to be painted by the sink. */
function inkInto(paint: (frame: string) => void, stdout: WriteStream) {
  let unmounting = false;
  const target = {
    get columns() {
      return stdout.columns;
    },
    get rows() {
      return stdout.rows;
    },
    isTTY: true,
    writable: true,
    write: (frame: string) => {
      if (!unmounting) paint(frame);
      return true;
    },
    on: () => target,
    off: () => target,
  };
  // Ink never reads keys here: the console has its own parser.
  const stdin = new PassThrough();
  let instance: ReturnType<typeof render> | undefined;
  let crash: (error: unknown) => void = () => undefined;
  const crashed = new Promise<never>((_resolve, reject) => {
    crash = reject;
  });
  return {
    crashed,
    show: (state: State, rows: readonly Row[]) => {
      const element = createElement(App, { state, rows });
      if (instance !== undefined) return instance.rerender(element);
      instance = render(element, {
        stdout: target as unknown as WriteStream,
        stdin: stdin as unknown as ReadStream,
        debug: true,
        exitOnCtrlC: false,
        patchConsole: false,
      });
      instance.waitUntilExit().then(() => undefined, crash);
    },
    unmount: () => {
      unmounting = true;
      instance?.unmount();
    },
  };
}

/** Feeds chunks to the parser; a sequence left unfinished for a moment was a lone ESC. */
function readKeys(
  stdin: ReadStream,
  onEvent: (event: ReturnType<ReturnType<typeof createInputParser>["push"]>[number]) => void,
) {
  const parser = createInputParser();
  let timer: NodeJS.Timeout | undefined;
  const onData = (chunk: string | Buffer) => {
    clearTimeout(timer);
    for (const event of parser.push(chunk.toString())) onEvent(event);
    if (!parser.pending()) return;
    timer = setTimeout(() => {
      for (const event of parser.flush()) onEvent(event);
    }, ESC_DELAY);
  };
  stdin.on("data", onData);
  return {
    stop: () => {
      clearTimeout(timer);
      stdin.off("data", onData);
    },
  };
}
