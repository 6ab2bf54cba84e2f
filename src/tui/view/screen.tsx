/** The whole screen as rows, from the state. */
import type { State } from "../state/types.js";
import { App } from "./app.js";
import { startInk } from "./ink.js";
import { onlyMoved } from "./kept.js";
import type { Row, Span } from "./rows.js";

export interface Screen {
  /** As many rows as the screen has, each as wide as the screen. */
  draw(state: State): readonly Row[];
  close(): void;
}

/** Makes a screen; it keeps the tree of components from one frame to the next. */
export function createScreen(): Screen {
  const ink = startInk();
  let composed: State | undefined;
  return {
    draw: (state) => {
      if (composed === undefined || !onlyMoved(composed, state)) {
        ink.compose(<App state={state} />, state);
        composed = state;
      }
      const rows = ink.draw(state);
      return state.look.ascii ? rows.map((row) => row.map(inAscii)) : rows;
    },
    close: () => ink.unmount(),
  };
}

/** The characters the console itself writes beyond ASCII, besides the theme's glyphs. */
const LOOKALIKES: Readonly<Record<string, string>> = { "…": "~", "–": "-", "×": "x", "›": ">" };

/** The span with those characters only. */
export function inAscii(part: Span): Span {
  const text = part.text.replace(/[…–×›]/gu, (character) => LOOKALIKES[character] ?? character);
  return text === part.text ? part : { ...part, text };
}
