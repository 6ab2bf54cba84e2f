/**
 * The lines of a catalog: `+key;` says that a key may be there, `-key;` that it is not. A line
 * counts only when it is whole, so that one which a full disk cut short says nothing.
 *
 * Keys are byte strings here (names.ts), and `<` compares them as S3 lists them.
 */

export interface Entry {
  readonly key: string;
  /** Whether the key may have a record; when false it has none. */
  readonly there: boolean;
}

/** Entries in the order of their keys. */
export interface Source {
  /** Undefined past the last. */
  readonly current: Entry | undefined;
  advance(): void;
  /** Goes to the first entry whose key is not below this one. */
  seek(from: string): void;
  close(): void;
}

/** The longest line: every byte of a key of 1024 escaped. */
export const LONGEST_LINE = 3 * 1024 + 3;

const ESCAPED = /[%;\n]/g;

export function toLine({ key, there }: Entry): string {
  const escaped = key.replace(
    ESCAPED,
    (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `${there ? "+" : "-"}${escaped};\n`;
}

/** The entries of a text, in its order. */
export function parseLines(text: string): Entry[] {
  const entries: Entry[] = [];
  for (let from = 0, end = 0; end >= 0; from = end + 1) {
    end = text.indexOf("\n", from);
    const last = (end < 0 ? text.length : end) - 1;
    const there = text[from] === "+";
    // A line that was cut short says nothing.
    if (last <= from || text[last] !== ";" || !(there || text[from] === "-")) continue;
    const escaped = text.slice(from + 1, last);
    entries.push({ key: escaped.includes("%") ? unescape(escaped) : escaped, there });
  }
  return entries;
}

function unescape(text: string): string {
  return text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Entries that are in memory, sorted by key. */
export function fromArray(entries: readonly Entry[]): Source {
  let index = 0;
  return {
    get current() {
      return entries[index];
    },
    advance: () => void (index += 1),
    seek: (from) => void (index = firstNotBelow(entries, from)),
    close: () => undefined,
  };
}

/** The index of the first entry whose key is not below `from`. */
export function firstNotBelow(entries: readonly Entry[], from: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.key < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Several sources as one, the newest first: of a key in several the newest one's entry counts. */
export function merge(sources: readonly Source[]): Source {
  const find = (): Entry | undefined => {
    let least: Entry | undefined;
    for (const { current } of sources) {
      if (current !== undefined && (least === undefined || current.key < least.key)) {
        least = current;
      }
    }
    return least;
  };
  let current = find();
  return {
    get current() {
      return current;
    },
    advance() {
      const key = current?.key;
      for (const source of sources) if (source.current?.key === key) source.advance();
      current = find();
    },
    seek(from) {
      for (const source of sources) source.seek(from);
      current = find();
    },
    close() {
      for (const source of sources) source.close();
    },
  };
}
