/** Wires the parts of a running console together: keys in, frames out, effects to the core. */
import type { ReadStream, WriteStream } from "node:tty";

import type { Context } from "../context.js";
import { interrupted } from "../core/failures/errors.js";
import { createController } from "./controller/index.js";
import { createLoop } from "./loop.js";
import type { Action, Effect } from "./state/actions.js";
import type { State } from "./state/types.js";
import { createFrameSink } from "./terminal/frame-sink.js";
import { createPictures } from "./terminal/pictures.js";
import { type InputEvent, createInputParser } from "./terminal/input.js";
import { enterTerminal } from "./terminal/session.js";
import { busy } from "./state/busy.js";
import { running } from "./state/running.js";
import { createScreen } from "./view/screen.js";
import { type Row, spanAt } from "./view/rows.js";
import { styledText } from "./view/sgr.js";

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
/** How long a paste may pause, in milliseconds, before it is taken as whole. */
const PASTE_DELAY = 1000;
/** Milliseconds between two steps of a spinner. */
const TICK = 120;

/** Runs until the console is quit, a signal comes, or the terminal goes away. */
export async function run(options: RunOptions): Promise<void> {
  const { stdin, stdout } = options;
  const sink = createFrameSink(
    (data) => stdout.write(data),
    () => stdout.columns,
  );
  const screen = createScreen();
  let rows: readonly Row[] = [];
  let failed: unknown;
  let lost: NodeJS.Signals | true | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const fail = (error: unknown) => {
    failed ??= error;
    end();
  };

  const { pictures: protocol } = options.initial.look;
  const pictures =
    protocol &&
    createPictures(
      protocol,
      (data) => stdout.write(data),
      () => sink.invalidate(),
    );
  const invalidate = () => {
    pictures?.forget();
    sink.invalidate();
  };

  const show = (state: State) => {
    if (session.lent()) return;
    const { look, dialog } = state;
    rows = screen.draw(state);
    // A dialog stands over the cells of a picture.
    const drawn = dialog === undefined || dialog.type === "filter" ? rows : [];
    pictures?.clear(drawn);
    sink.paint(rows.map((row) => styledText(row, look)));
    pictures?.show(drawn);
  };
  const loop = createLoop(
    options.initial,
    (effect) => controller.perform(effect),
    (state) => {
      try {
        show(state);
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
    suspend: () => session.suspend(),
    lend: (work) => session.lend(work),
    redraw: () => {
      invalidate();
      show(loop.state());
    },
  });

  const session = enterTerminal(stdin, stdout, {
    askBackground: options.askBackground,
    onLost: (signal) => {
      lost ??= signal ?? true;
      end();
    },
    onGive: () => pictures?.forget(),
    onReturn: () => {
      sink.invalidate();
      loop.dispatch({ type: "resize", size: { columns: stdout.columns, rows: stdout.rows } });
    },
  });
  const actionOf = (event: InputEvent): Action => {
    const pressed = event.type === "mouse" && event.kind === "press";
    const click = pressed ? spanAt(rows, event.x, event.y)?.click : undefined;
    return click === undefined ? { type: "input", event } : { type: "click", click };
  };
  const keys = readKeys(stdin, (events) => loop.act(events.map(actionOf)));
  const onResize = () => {
    invalidate();
    loop.dispatch({ type: "resize", size: { columns: stdout.columns, rows: stdout.rows } });
  };
  stdout.on("resize", onResize);
  const ticker = setInterval(() => {
    if (busy(loop.state())) loop.dispatch({ type: "tick" });
  }, TICK);

  try {
    loop.dispatch({ type: "resize", size: { columns: stdout.columns, rows: stdout.rows } });
    for (const effect of options.effects) controller.perform(effect);
    await ended;
  } finally {
    loop.stop();
    clearInterval(ticker);
    keys.stop();
    stdout.off("resize", onResize);
    session.leave();
    if (lost === undefined && running(loop.state()).length > 0)
      stdout.write("Canceling transfers\n");
    await controller.close();
    screen.close();
  }
  if (failed !== undefined) throw failed;
  if (lost !== undefined) endAs(lost);
}

/** Ends as what was sent the signal: by the signal itself, as the shell expects it, or by Ctrl-C's code. */
export function endAs(signal: NodeJS.Signals | true): never {
  if (signal !== true && signal !== "SIGINT") process.kill(process.pid, signal);
  throw interrupted();
}

/** Feeds chunks to the parser; a sequence left unfinished for a moment was a lone ESC, or a paste. */
function readKeys(stdin: ReadStream, onEvents: (events: readonly InputEvent[]) => void) {
  const parser = createInputParser();
  let timer: NodeJS.Timeout | undefined;
  const onData = (chunk: string | Buffer) => {
    clearTimeout(timer);
    onEvents(parser.push(chunk.toString()));
    const pending = parser.pending();
    if (pending === undefined) return;
    timer = setTimeout(
      () => onEvents(parser.flush()),
      pending === "paste" ? PASTE_DELAY : ESC_DELAY,
    );
  };
  stdin.on("data", onData);
  return {
    stop: () => {
      clearTimeout(timer);
      stdin.off("data", onData);
    },
  };
}
