/**
 * The console in lines, for a screen reader and for terminals that cannot place a cursor: the same
 * state and the same core, but lines are read and lines are written, and no escape sequence ever.
 */
import type { ReadStream } from "node:tty";

import { Box } from "ink";

import { createController } from "../controller/index.js";
import { dialogBody } from "../dialogs/index.js";
import { PLAIN_SIZE, bodyHeight } from "../layout.js";
import { createLoop } from "../loop.js";
import { currentPage, typeOf } from "../pages/page.js";
import { type RunOptions, endAs } from "../run.js";
import type { Action } from "../state/actions.js";
import { busy } from "../state/busy.js";
import { running } from "../state/running.js";
import type { State } from "../state/types.js";
import { safe } from "../text/cells.js";
import { startInk } from "../view/ink.js";
import { inAscii } from "../view/screen.js";
import { meant } from "./line.js";
import { type Drawn, dialogLines, here, isComing, place, question, rows, some } from "./say.js";

/** Runs until it is left, a signal comes, or the input ends. */
export async function runPlain({
  context,
  stdin,
  stdout,
  initial,
  effects,
}: RunOptions): Promise<void> {
  const ink = startInk();
  let before: State | undefined;
  /** Something was typed or opened, and what came of it is not said yet. */
  let owed = true;
  let asks = false;
  let lost: NodeJS.Signals | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));

  const draw = (state: State): Drawn => {
    const page = currentPage(state);
    const { body: Body } = typeOf(page);
    const whole = { width: PLAIN_SIZE.columns, height: bodyHeight(PLAIN_SIZE) };
    const sized = { ...state, size: PLAIN_SIZE };
    const paint = (tree: React.ReactNode) => {
      ink.compose(<Box {...whole}>{tree}</Box>, sized);
      return ink.draw(sized).map((row) => row.map(inAscii));
    };
    return { page: paint(<Body state={state} page={page} />), dialog: paint(dialogBody(state)) };
  };
  const say = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    stdout.write(`${asks ? "\n" : ""}${lines.join("\n")}\n`);
    asks = false;
  };
  const show = (state: State) => {
    const drawn = draw(state);
    const last = before;
    before = state;
    const opened = last === undefined || currentPage(last).id !== currentPage(state).id;
    const { dialog, notice } = state;
    if (notice !== undefined && notice !== last?.notice) {
      const tone = notice.tone === "error" || notice.tone === "warning" ? `${notice.tone}: ` : "";
      say([tone + safe(notice.text)]);
    }
    owed ||= opened || (last?.dialog !== undefined && dialog === undefined);
    if (dialog !== undefined) {
      const told = dialogLines(state, drawn).join("\n");
      const old =
        last?.dialog?.id === dialog.id
          ? dialogLines(last, { ...drawn, dialog: drawnDialog }).join("\n")
          : "";
      drawnDialog = drawn.dialog;
      if (told !== old) say(told.split("\n"));
    } else if (!isComing(state, drawn) && (owed || (!busy(state) && place(state) !== placed))) {
      owed = false;
      const facts = place(state);
      say([
        ...(facts === placed ? [] : [facts]),
        ...(opened || facts !== placed ? rows : here)(state, drawn),
      ]);
      placed = facts;
    }
    const field = dialog?.type === "form" ? dialog.fields[dialog.focus] : undefined;
    // Before it is asked for: what is typed at once is not echoed either.
    lines.hide(field?.kind === "secret");
    const asked = question(state);
    const ready = !owed || dialog !== undefined;
    if (ready && asked !== "" && (!asks || asked !== shown)) {
      stdout.write(`${asks ? "\n" : ""}${asked}`);
      shown = asked;
      asks = true;
    }
  };
  let placed = "";
  let shown = "";
  let drawnDialog: Drawn["dialog"] = [];

  const loop = createLoop(initial, (effect) => controller.perform(effect), show);
  const controller = createController({
    context,
    dispatch: (action: Action) => loop.dispatch(action),
    // The clipboard is asked for by an escape sequence; the text is said in any case.
    write: undefined,
    quit: () => end(),
    suspend: () => process.kill(0, "SIGTSTP"),
    lend: async (work) => {
      lines.pause();
      try {
        return await work();
      } finally {
        lines.resume();
      }
    },
    redraw: () => {
      placed = "";
      owed = true;
      show(loop.state());
    },
  });
  const lines = readLines(stdin, {
    onLine: (line) => {
      asks = false;
      const state = loop.state();
      const meaning = meant(state, line);
      owed = true;
      if (meaning === "list") say(some(state, draw(state)));
      else if (meaning === "again") say(here(state, draw(state)));
      else if ("say" in meaning) say(meaning.say);
      else {
        for (const action of meaning.actions) loop.dispatch(action);
        if (loop.state() !== state) return;
      }
      owed = meaning !== "list" && meaning !== "again" && !("say" in meaning);
      show(loop.state());
    },
    onEnd: () => loop.dispatch({ type: "input", event: { type: "key", key: "ctrl-c" } }),
  });
  const onSignal = (signal: NodeJS.Signals) => {
    lost ??= signal;
    end();
  };
  const onReturn = () => {
    asks = false;
    lines.resume();
    show(loop.state());
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  process.on("SIGCONT", onReturn);
  try {
    say([
      "A line is a row's number, a key or a command; Enter opens, list says the rows, help says all.",
    ]);
    show(loop.state());
    for (const effect of effects) controller.perform(effect);
    await ended;
  } finally {
    loop.stop();
    lines.stop();
    for (const signal of signals) process.off(signal, onSignal);
    process.off("SIGCONT", onReturn);
    if (lost === undefined && running(loop.state()).length > 0)
      stdout.write("Canceling transfers\n");
    await controller.close();
    ink.unmount();
  }
  if (lost !== undefined) endAs(lost);
}

/** Reads lines as the terminal makes them; a hidden one is read key by key, and not echoed. */
function readLines(
  stdin: ReadStream,
  { onLine, onEnd }: { readonly onLine: (line: string) => void; readonly onEnd: () => void },
) {
  let rest = "";
  let hidden = false;
  const onData = (chunk: string) => {
    for (const character of chunk) {
      if (character === "\r" || character === "\n") {
        const line = rest;
        rest = "";
        if (hidden) process.stdout.write("\n");
        onLine(line);
      } else if (hidden && (character === "\u007F" || character === "\b")) rest = rest.slice(0, -1);
      else if (hidden && character === "\u0003") process.kill(process.pid, "SIGINT");
      else if (hidden && character === "\u001A") process.kill(0, "SIGTSTP");
      else rest += character;
    }
  };
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  stdin.resume();
  return {
    hide: (on: boolean) => {
      if (on !== hidden) stdin.setRawMode(on);
      hidden = on;
    },
    pause: () => stdin.pause(),
    resume: () => {
      // The shell has set the terminal to its own mode meanwhile.
      if (hidden) stdin.setRawMode(false).setRawMode(true);
      stdin.resume();
    },
    stop: () => {
      if (hidden) stdin.setRawMode(false);
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.pause();
    },
  };
}
