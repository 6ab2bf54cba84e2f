/**
 * Puts frames on the screen with as little work and as few bytes as it can.
 *
 * Ink's own writer clears the terminal when a frame is as high as the screen, and its incremental
 * one draws a line off, so this writes the lines. A line that did not change is not written; lines
 * that moved together are moved by the terminal; everything else is addressed absolutely, so that
 * nothing a line holds can push its neighbors about.
 */
import { lineWithAnchors } from "../text/cells.js";
import { findShift, type Shift } from "./shift.js";

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
const CLEAR = "\u001B[2J";

export interface FrameSink {
  /** Shows a frame: its lines from the top, with sequences for styles and links only. */
  paint(lines: readonly string[]): void;
  /** Forgets what is on the screen, so that the next frame is painted whole (after a resize). */
  invalidate(): void;
}

/** Makes a sink that writes to a terminal of `columns`. */
export function createFrameSink(write: (data: string) => void, columns: () => number): FrameSink {
  let shown: readonly string[] | undefined;

  return {
    invalidate: () => {
      shown = undefined;
    },
    paint: (lines) => {
      const shift = shown && findShift(shown, lines);
      const before = shown === undefined ? [] : shift ? shifted(shown, shift) : shown;
      let out = shown === undefined ? CLEAR : shift ? scroll(shift) : "";
      for (let row = 0; row < lines.length; row++) {
        const line = lines[row]!;
        if (line === before[row]) continue;
        // Erased before it is written: erasing after a full line would take its last cell.
        out += `\u001B[${row + 1};1H\u001B[2K${lineWithAnchors(line, columns())}`;
      }
      shown = lines;
      if (out !== "") write(`${BEGIN}${out}${END}`);
    },
  };
}

/** Moves the lines of a region, then gives the whole screen back to writing. */
function scroll({ top, bottom, by }: Shift): string {
  const move = by > 0 ? `\u001B[${by}S` : `\u001B[${-by}T`;
  return `\u001B[${top + 1};${bottom + 1}r${move}\u001B[r`;
}

/** The lines on screen after the terminal has scrolled; undefined for rows that it left blank. */
function shifted(
  lines: readonly string[],
  { top, bottom, by }: Shift,
): readonly (string | undefined)[] {
  return lines.map((line, row) => {
    if (row < top || row > bottom) return line;
    const from = row + by;
    return from < top || from > bottom ? undefined : lines[from];
  });
}
