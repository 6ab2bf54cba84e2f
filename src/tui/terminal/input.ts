/**
 * Turns what a terminal sends into events: keys by name, pasted text, the mouse, replies.
 *
 * A chunk may hold many keys (a held arrow, a paste without brackets) or half of one; every
 * character counts, and the rest of a sequence is waited for.
 */

export type InputEvent =
  /** `n`, `N`, `ctrl-a`, `alt-x`, `enter`, `shift-tab`; `text` when the key writes something. */
  | { readonly type: "key"; readonly key: string; readonly text?: string | undefined }
  | { readonly type: "paste"; readonly text: string }
  /** Cells from 0. */
  | {
      readonly type: "mouse";
      readonly kind: "press" | "wheel-up" | "wheel-down";
      readonly x: number;
      readonly y: number;
    }
  /** The terminal's answer to the question for its background color. */
  | { readonly type: "background"; readonly light: boolean };

export interface InputParser {
  /** Events complete in this chunk. */
  push(chunk: string): InputEvent[];
  /** The events of an unfinished sequence that nothing follows: ESC, or a whole paste. */
  flush(): InputEvent[];
  /** The kind of the sequence that is unfinished. */
  pending(): "escape" | "paste" | undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007F": "backspace",
  "\b": "backspace",
  " ": "space",
};

const FINAL: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  Z: "shift-tab",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

const TILDE: Readonly<Record<string, string>> = {
  "1": "home",
  "2": "insert",
  "3": "delete",
  "4": "end",
  "5": "pageup",
  "6": "pagedown",
  "7": "home",
  "8": "end",
  "15": "f5",
};

const PASTE_START = "\u001B[200~";
const PASTE_END = "\u001B[201~";
const CSI = /^\u001B\[([<?]?)([0-9;]*)([@-~])/;
const OSC = /^\u001B\]([\s\S]*?)(?:\u0007|\u001B\\)/;

/** Makes a parser for one terminal. */
export function createInputParser(): InputParser {
  let rest = "";

  const parse = (final: boolean): InputEvent[] => {
    const events: InputEvent[] = [];
    while (rest !== "") {
      const taken = rest.startsWith("\u001B") ? escape(rest, final, events) : plain(rest, events);
      if (taken === 0) break;
      rest = rest.slice(taken);
    }
    return events;
  };

  return {
    push: (chunk) => {
      rest += chunk;
      return parse(false);
    },
    flush: () => parse(true),
    pending: () => (rest === "" ? undefined : rest.startsWith(PASTE_START) ? "paste" : "escape"),
  };
}

/** Reads one character; the result is how much was taken. */
function plain(text: string, events: InputEvent[]): number {
  const character = String.fromCodePoint(text.codePointAt(0)!);
  const name = NAMED[character];
  const code = character.codePointAt(0)!;
  if (name !== undefined) {
    events.push({ type: "key", key: name, text: name === "space" ? " " : undefined });
  } else if (code < 0x20) {
    events.push({ type: "key", key: `ctrl-${String.fromCodePoint(code + 0x60)}` });
  } else {
    events.push({ type: "key", key: character, text: character });
  }
  return character.length;
}

/** Reads one sequence that begins with ESC; 0 when more must come. */
function escape(text: string, final: boolean, events: InputEvent[]): number {
  if (text.startsWith(PASTE_START)) {
    const found = text.indexOf(PASTE_END);
    if (found < 0 && !final) return 0;
    const end = found < 0 ? text.length : found;
    const pasted = text.slice(PASTE_START.length, end).replaceAll(/\r\n?/g, "\n");
    events.push({ type: "paste", text: pasted });
    return found < 0 ? end : end + PASTE_END.length;
  }
  const osc = OSC.exec(text);
  if (osc) {
    const reply = background(osc[1]!);
    if (reply) events.push(reply);
    return osc[0].length;
  }
  const csi = CSI.exec(text);
  if (csi) {
    const event = sequence(csi[1]!, csi[2]!, csi[3]!);
    if (event) events.push(event);
    return csi[0].length;
  }
  if (text.startsWith("\u001BO") && text.length > 2) {
    const key = FINAL[text[2]!];
    if (key !== undefined) events.push({ type: "key", key });
    return 3;
  }
  const second = text[1];
  const unfinished = second === undefined || second === "[" || second === "O" || second === "]";
  if (unfinished && !final) return 0;
  if (second !== undefined && !unfinished && second > " " && second !== "\u007F") {
    const character = String.fromCodePoint(text.codePointAt(1)!);
    events.push({ type: "key", key: `alt-${character}` });
    return 1 + character.length;
  }
  events.push({ type: "key", key: "esc" });
  return 1;
}

function sequence(mark: string, parameters: string, last: string): InputEvent | undefined {
  if (mark === "<") return mouse(parameters, last);
  if (mark !== "") return undefined;
  const [first = "", modifier] = parameters.split(";");
  const key = last === "~" ? TILDE[first] : FINAL[last];
  if (key === undefined) return undefined;
  const bits = modifier === undefined ? 0 : Number(modifier) - 1;
  const prefix = `${bits & 4 ? "ctrl-" : ""}${bits & 2 ? "alt-" : ""}${bits & 1 ? "shift-" : ""}`;
  return { type: "key", key: prefix + key };
}

/** SGR mouse reports: button, column, row; https://invisible-island.net/xterm/ctlseqs. */
function mouse(parameters: string, last: string): InputEvent | undefined {
  const [button = 0, column = 1, row = 1] = parameters.split(";").map(Number);
  const at = { x: column - 1, y: row - 1 };
  if (button === 64) return { type: "mouse", kind: "wheel-up", ...at };
  if (button === 65) return { type: "mouse", kind: "wheel-down", ...at };
  return button === 0 && last === "M" ? { type: "mouse", kind: "press", ...at } : undefined;
}

/** The reply to OSC 11 names the background as `rgb:RRRR/GGGG/BBBB`. */
function background(body: string): InputEvent | undefined {
  const match = /^11;rgb:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/i.exec(body);
  if (!match) return undefined;
  const [red = 0, green = 0, blue = 0] = match
    .slice(1)
    .map((hex) => parseInt(hex, 16) / (16 ** hex.length - 1));
  return { type: "background", light: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 };
}
