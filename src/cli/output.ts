/**
 * The one place that writes: results to stdout, everything else to stderr. A command hands over
 * values and says how one looks to a person; this decides between that and JSON, escapes what a
 * terminal must not get, and waits for a slow reader.
 */
import type { AppError } from "../core/failures/errors.js";
import { visible, visibleJson } from "../text/sanitize.js";

export interface OutputOptions {
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** Leaves out notes and per-item lines; results and errors stay. */
  readonly quiet: boolean;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** The number of the line of `run` that this is the output of. */
  readonly line?: number | undefined;
}

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether stdout is a terminal. */
  readonly interactive: boolean;
  /** Set for one command of several: it shows no progress and no totals. */
  readonly line?: number | undefined;

  /** Writes one result. `human` may be several lines; without it only `--json` shows anything. */
  result(value: object, human?: string | readonly string[]): void;
  /** Writes a page of results in one go; resolves when the reader has taken it. */
  page<T>(
    items: readonly T[],
    human: (item: T) => string,
    json: (item: T) => object,
  ): Promise<void>;
  /** Writes bytes as they are; resolves when the reader has taken them. */
  bytes(chunk: Uint8Array): Promise<void>;
  /** Waits until all results are out; throws when some of them could not be written. */
  flush(): Promise<void>;
  /** A remark on stderr; `-q` leaves it out. */
  note(text: string): void;
  /** Writes an error to stderr, or as a line of JSON to stdout; never left out. */
  error(error: AppError): void;
  /** The failure of one item of many: like error, with what `about` says of the item. */
  itemError(about: object, error: AppError): void;
}

// Enough for one write to be worth its system call, little enough to stay unnoticed in memory.
const BATCH = 65_536;

/** Makes an output over a pair of streams. */
export function createOutput({ json, quiet, stdout, stderr, line }: OutputOptions): Output {
  const interactive = stdout.isTTY;
  const shown = interactive ? visible : (text: string) => text;
  const plain = interactive ? visibleJson : (value: unknown) => JSON.stringify(value);
  const asJson = line === undefined ? plain : (value: object) => plain({ line, ...value });
  const prefix = line === undefined ? "pail" : `pail: line ${line}`;
  let buffer = "";
  let scheduled = false;

  /** The first failure to write; what comes after it is lost, so every later flush repeats it. */
  let broken: Error | undefined;
  const write = (data: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stdout.write(data, (error) => {
        broken ??= error ?? undefined;
        if (error) reject(error);
        else resolve();
      });
    });
  const flush = async () => {
    const text = buffer;
    buffer = "";
    if (text !== "") await write(text);
    if (broken !== undefined) throw broken;
  };
  const addLine = (text: string) => {
    buffer += `${text}\n`;
    // A failure to write is thrown by the flush that ends the command.
    if (buffer.length >= BATCH) flush().catch(() => undefined);
    else if (!scheduled) {
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        flush().catch(() => undefined);
      });
    }
  };
  // Prose on stderr ends up on terminals sooner or later, even by way of a log.
  const say = (text: string) => {
    // On a terminal both streams are one: what was said first comes first.
    flush().catch(() => undefined);
    stderr.write(`${visible(text)}\n`);
  };

  return {
    json,
    quiet,
    interactive,
    line,
    result: (value, human) => {
      if (json) addLine(asJson(value));
      else if (typeof human === "string") addLine(shown(human));
      else for (const text of human ?? []) addLine(shown(text));
    },
    page: async (items, human, toJson) => {
      for (const item of items) {
        buffer += json ? `${asJson(toJson(item))}\n` : `${shown(human(item))}\n`;
      }
      await flush();
    },
    bytes: async (chunk) => {
      await flush();
      if (chunk.length > 0) await write(chunk);
    },
    flush,
    note: (text) => {
      if (!quiet) say(text);
    },
    error: (error) => {
      if (json) {
        addLine(asJson({ error: errorRecord(error) }));
        return;
      }
      say(`${prefix}: ${error.message}`);
      if (error.hint !== undefined) say(`hint: ${error.hint}`);
    },
    itemError: (about, error) => {
      if (json) addLine(asJson({ ...about, error: errorRecord(error) }));
      else say(`${prefix}: ${named(about, error.message)}`);
    },
  };
}

/** Says which item a message is about, when it does not say so itself. */
function named(about: object, message: string): string {
  const { source, target } = about as { readonly source?: string; readonly target?: string };
  const known = [source, target].some((name) => name !== undefined && message.includes(name));
  return known || target === undefined ? message : `${target}: ${message}`;
}

/** An error as `--json` shows it; documented in docs/json.md. */
function errorRecord({ kind, code, message, hint, details }: AppError): object {
  return {
    kind,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
