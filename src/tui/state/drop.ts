/** The text that terminals paste when files are dropped on their window. */
import { fileURLToPath } from "node:url";

/** A path as it is, in quotes, or with escaped special characters; several with blanks between. */
const WORDS = /'([^']*)'|"([^"]*)"|((?:\\.|[^\s\\'"])+)/g;

/** Absolute paths in a pasted text; none when any part of it is something else. */
export function droppedPaths(text: string): readonly string[] {
  const whole = text.trim();
  // A name may hold blanks that the terminal has not escaped: then it stands alone, in one line.
  const words = Array.from(whole.matchAll(WORDS), ([, single, double, plain]) => {
    return single ?? double ?? plain!.replaceAll(/\\(.)/g, "$1");
  });
  const paths = words.map((word) => (word.startsWith("file://") ? ofUrl(word) : word));
  if (paths.length > 0 && paths.every(isAbsolute)) return paths;
  return isAbsolute(whole) && !whole.includes("\n") ? [whole] : [];
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])./.test(path);
}

function ofUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    // The URL is of another host, or is no URL at all.
    return "";
  }
}
