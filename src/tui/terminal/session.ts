/** Taking the terminal over, and giving it back as it was, however the process ends. */
import type { ReadStream, WriteStream } from "node:tty";

/** Alternate screen, no cursor, no autowrap, SGR mouse, bracketed paste. */
const ENTER = "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?1000h\u001B[?1006h\u001B[?2004h";
const LEAVE =
  "\u001B[?2026l\u001B[r\u001B[0m\u001B[?2004l\u001B[?1006l\u001B[?1000l\u001B[?7h\u001B[?25h\u001B[?1049l";
/** Asks for the background color; terminals that do not know it stay silent. */
const ASK_BACKGROUND = "\u001B]11;?\u0007";

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

export interface TerminalSession {
  /** Gives the terminal back; calling it again does nothing. */
  leave(): void;
  /** Stops the job as Ctrl-Z does in a shell; `onReturn` is told when it goes on. */
  suspend(): void;
  /** Hands the terminal to another program while `work` runs. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Whether another program has it. */
  lent(): boolean;
}

/** Takes the terminal over. `onLost` is called when a signal or the terminal's end says to go. */
export function enterTerminal(
  stdin: ReadStream,
  stdout: WriteStream,
  options: {
    readonly askBackground: boolean;
    readonly onLost: (signal?: NodeJS.Signals) => void;
    /** Called before the screen is given back. */
    readonly onGive: () => void;
    /** Called when the screen is ours again; nothing of ours is on it. */
    readonly onReturn: () => void;
  },
): TerminalSession {
  let left = false;
  let stopped = false;
  let lent = false;
  const write = (data: string) => {
    if (stdout.writable) stdout.write(data);
  };
  const setRaw = (raw: boolean) => {
    try {
      stdin.setRawMode(raw);
    } catch {
      // A terminal that is gone has no mode.
    }
  };
  const give = () => {
    options.onGive();
    write(LEAVE);
  };
  const leave = () => {
    if (left) return;
    left = true;
    if (!stopped && !lent) give();
    setRaw(false);
    stdin.pause();
    process.off("exit", leave);
    process.off("uncaughtExceptionMonitor", leave);
    process.off("SIGTSTP", stop);
    process.off("SIGCONT", goOn);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    // Ctrl-C in the other program is not meant for this one.
    if (lent && (signal === "SIGINT" || signal === "SIGQUIT")) return;
    options.onLost(signal);
  };
  const onGone = () => options.onLost();
  const stop = () => {
    if (stopped) return;
    stopped = true;
    if (!lent) {
      give();
      setRaw(false);
    }
    // The shell has the terminal by the time this returns.
    process.kill(process.pid, "SIGSTOP");
  };
  const goOn = () => {
    if (!stopped) return;
    stopped = false;
    if (!lent) takeBack();
  };
  const takeBack = () => {
    setRaw(true);
    write(ENTER);
    options.onReturn();
  };

  process.on("exit", leave);
  // A crash prints its trace after this, on the screen people can read.
  process.on("uncaughtExceptionMonitor", leave);
  process.on("SIGTSTP", stop);
  process.on("SIGCONT", goOn);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  stdout.on("error", onGone);
  stdin.on("error", onGone);
  stdin.on("end", onGone);

  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  write(ENTER + (options.askBackground ? ASK_BACKGROUND : ""));
  stdin.resume();
  return {
    leave,
    // The signal goes to the whole group, as from the terminal: a parent program stops as well.
    suspend: () => {
      if (process.platform !== "win32") process.kill(0, "SIGTSTP");
    },
    lent: () => lent,
    lend: async (work) => {
      give();
      setRaw(false);
      stdin.pause();
      lent = true;
      try {
        return await work();
      } finally {
        lent = false;
        if (!left) {
          stdin.resume();
          takeBack();
        }
      }
    },
  };
}
