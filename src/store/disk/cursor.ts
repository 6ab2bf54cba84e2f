/** Walking the keys of a bucket in the order of their bytes, reading only the directories needed. */
import { join } from "node:path";
import { isBranch, nameOf, prefixNames } from "./names.js";

/** Keys in order; every key is a byte string (names.ts). */
export interface Cursor {
  /** The next key and its record's file; undefined when there are no more. */
  next(): Promise<{ readonly key: string; readonly file: string } | undefined>;
  /** Passes over all keys below this. */
  skipTo(from: string): void;
}

interface Frame {
  readonly directory: string;
  /** What the keys in this directory begin with. */
  readonly base: string;
  readonly entries: readonly string[];
  index: number;
}

/** A cursor over the keys with a prefix that are not below `from`. */
export function openCursor(
  root: string,
  readNames: (directory: string) => Promise<readonly string[]>,
  prefix: string,
  from: string,
): Cursor {
  let least = from > prefix ? from : prefix;
  let stack: Frame[] | undefined;

  const enter = async (directory: string, base: string): Promise<Frame> => ({
    directory,
    base,
    entries: await readNames(directory),
    index: 0,
  });

  /** Whether an entry is, or may hold, a key that is not below `least`. */
  const reaches = (frame: Frame, index: number): boolean => {
    const entry = frame.entries[index]!;
    const bytes = frame.base + entry;
    return bytes >= least || (isBranch(entry) && least.startsWith(bytes));
  };

  return {
    skipTo(next) {
      if (next > least) least = next;
    },
    async next() {
      if (stack === undefined) {
        const { names, base } = prefixNames(prefix);
        stack = [await enter(join(root, ...names), base)];
      }
      for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
        frame.index = firstReaching(frame, reaches);
        const entry = frame.entries[frame.index];
        const bytes = frame.base + (entry ?? "");
        // Past the prefix, everything that follows is past it too.
        if (entry === undefined || !(bytes.startsWith(prefix) || prefix.startsWith(bytes))) {
          stack.pop();
          continue;
        }
        frame.index += 1;
        const path = join(frame.directory, nameOf(entry));
        if (isBranch(entry)) stack.push(await enter(path, bytes));
        else if (bytes.startsWith(prefix)) return { key: bytes, file: path };
      }
      return undefined;
    },
  };
}

/** Binary search from where the frame is; entries are sorted, so what reaches comes last. */
function firstReaching(frame: Frame, reaches: (frame: Frame, index: number) => boolean): number {
  let low = frame.index;
  let high = frame.entries.length;
  if (low < high && reaches(frame, low)) return low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reaches(frame, middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
