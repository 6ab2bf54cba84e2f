/**
 * A person at a terminal: the built `pail` in a pseudo-terminal, its screen kept by a headless
 * xterm. It waits for text on the screen, never for time; a wait that fails shows the screen.
 */
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

import { BIN, type Home, RUNTIME } from "./run.js";

/** The longest wait, in milliseconds: only a failing test ever takes it all. */
const PATIENCE = 20_000;

export interface TerminalOptions {
  readonly home: Home;
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** A program to run in the place of the one under test. */
  readonly program?: string;
}

export interface Terminal {
  /** The lines on screen, without trailing blanks. */
  readonly screen: () => string[];
  /** For each line that matches, the cell where the match begins. */
  readonly cellOf: (what: RegExp) => number[];
  /** Types keys: names such as `<enter>`, `<down>`, `<esc>`, `<ctrl-c>`; the rest is text. */
  readonly press: (...keys: string[]) => void;
  /** Sends bytes as they are. */
  readonly send: (data: string) => void;
  /** Clicks a cell, counted from 0. */
  readonly click: (x: number, y: number) => void;
  /** Resolves once the screen satisfies; a text or pattern is looked for in the whole screen. */
  readonly see: (what: string | RegExp | ((lines: string[]) => boolean)) => Promise<void>;
  /** Resolves once the screen no longer shows it. */
  readonly miss: (what: string | RegExp) => Promise<void>;
  readonly resize: (columns: number, rows: number) => void;
  /** Everything written so far. */
  readonly output: () => string;
  /** The terminal's modes that are on, and the cell of the cursor. */
  readonly modes: () => {
    alternate: boolean;
    mouse: boolean;
    cursorHidden: boolean;
    bracketedPaste: boolean;
  };
  /** Resolves once it ended: its exit code, or the signal that ended it. */
  readonly exit: () => Promise<{ code: number; signal: number }>;
  readonly hasEnded: () => boolean;
  readonly kill: (signal?: string) => void;
  /** Takes the terminal away, as a window that is closed does. */
  readonly hangUp: () => void;
  readonly pid: number;
}

const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  esc: "\u001B",
  tab: "\t",
  "shift-tab": "\u001B[Z",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  home: "\u001B[H",
  end: "\u001B[F",
  pageup: "\u001B[5~",
  pagedown: "\u001B[6~",
  delete: "\u001B[3~",
  backspace: "\u007F",
  space: " ",
  "ctrl-a": "\u0001",
  "ctrl-c": "\u0003",
  "ctrl-g": "\u0007",
  "ctrl-u": "\u0015",
};

/** Starts `pail tui` (or other arguments) on a terminal of its own. */
export function openTerminal(options: TerminalOptions): Terminal {
  const { home, args = ["tui"], columns = 80, rows = 24 } = options;
  const { program } = options;
  const command = program === undefined ? [BIN, ...args] : [program, ...args];
  const pty = spawn(program === undefined ? RUNTIME : "/usr/bin/env", command, {
    name: options.env?.["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd: options.cwd ?? home.directory,
    env: { ...home.env, LANG: "C.UTF-8", ...options.env },
  });
  const term = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const watchers = new Set<() => void>();
  let output = "";
  let exit: { code: number; signal: number } | undefined;
  let drawn = 0;
  pty.onData((data) => {
    output += data;
    const end = output.length;
    term.write(data, () => {
      drawn = end;
      for (const watch of watchers) watch();
    });
  });
  pty.onExit(({ exitCode, signal }) => {
    // The last output is still on its way to the screen.
    term.write("", () => {
      exit = { code: exitCode, signal: signal ?? 0 };
      for (const watch of watchers) watch();
    });
  });

  const screen = () => {
    const { active } = term.buffer;
    return Array.from({ length: term.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
    );
  };
  const wait = async (what: string, holds: () => boolean) => {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const done = (end: () => void) => {
        watchers.delete(check);
        clearTimeout(timer);
        end();
      };
      const check = () => {
        if (holds()) done(resolve);
      };
      const timer = setTimeout(() => {
        const shown = screen().map((line) => `  |${line}`);
        done(() => reject(new Error(`${what}; the screen is\n${shown.join("\n")}`)));
      }, PATIENCE);
      watchers.add(check);
    });
  };
  // Half a frame still has lines of the last one: a test that believed them would be a key ahead.
  const isWhole = () =>
    exit !== undefined ||
    output.lastIndexOf("\u001B[?2026l", drawn) >= output.lastIndexOf("\u001B[?2026h", drawn);
  const shows = (what: string | RegExp | ((lines: string[]) => boolean)) => {
    if (typeof what === "function") return what(screen());
    const text = screen().join("\n");
    return typeof what === "string" ? text.includes(what) : what.test(text);
  };

  return {
    pid: pty.pid,
    screen,
    cellOf: (what) =>
      Array.from({ length: term.rows }, (_, row) => term.buffer.active.getLine(row)).flatMap(
        (line) => {
          const match = what.exec(line?.translateToString(true) ?? "");
          if (line === undefined || match === null) return [];
          // A wide character takes two cells and is one in the text.
          let cell = 0;
          for (let left = match.index; left > 0; cell++) {
            left -=
              line.getCell(cell)?.getChars().length || (line.getCell(cell)?.getWidth() ? 1 : 0);
          }
          return [cell];
        },
      ),
    send: (data) => pty.write(data),
    press: (...keys) => {
      for (const key of keys) pty.write(KEYS[/^<(.+)>$/.exec(key)?.[1] ?? ""] ?? key);
    },
    click: (x, y) => pty.write(`\u001B[<0;${x + 1};${y + 1}M\u001B[<0;${x + 1};${y + 1}m`),
    see: (what) => wait(`never saw ${String(what)}`, () => isWhole() && shows(what)),
    miss: (what) => wait(`still saw ${String(what)}`, () => isWhole() && !shows(what)),
    resize: (columns, rows) => {
      term.resize(columns, rows);
      pty.resize(columns, rows);
    },
    output: () => output,
    modes: () => ({
      alternate: term.buffer.active.type === "alternate",
      mouse: term.modes.mouseTrackingMode !== "none",
      bracketedPaste: term.modes.bracketedPasteMode,
      cursorHidden: output.lastIndexOf("\u001B[?25l") > output.lastIndexOf("\u001B[?25h"),
    }),
    exit: async () => {
      await wait("never ended", () => exit !== undefined);
      return exit!;
    },
    hasEnded: () => exit !== undefined,
    kill: (signal) => pty.kill(signal),
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
  };
}
