/**
 * Puts whole frames on the screen with as few bytes as it can.
 *
 * Ink's own writer clears the terminal when a frame is as high as the screen, and its incremental
 * one draws a line off; so Ink only lays out, and this writes. A line that did not change costs
 * nothing; lines that moved together are moved by the terminal; everything else is addressed
 * absolutely, so that nothing a line holds can push its neighbours about.
 */
import { lineWithAnchors } from "../text/cells.js";
import { findShift } from "./shift.js";

const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";
const CLEAR = "\u001B[2J";

export interface FrameSink {
  /** Shows a frame: lines joined with newlines, styled with SGR sequences only. */
  paint(frame: string): void;
  /** Forgets what is on the screen, so that the next frame is painted whole (after a resize). */
  invalidate(): void;
}

/** Makes a sink; `rows` is the screen's height, and lines beyond it are not written. */
export function createFrameSink(write: (data: string) => void, rows: () => number): FrameSink {
  let shown: string[] | undefined;

  return {
    invalidate: () => {
      shown = undefined;
    },
    paint: (frame) => {
      const next = frame.split("\n").slice(0, rows());
      let out = "";
      let before = shown;
      if (before === undefined) {
        out += CLEAR;
        before = [];
      } else {
        const shift = findShift(before, next);
        if (shift !== undefined) {
          const { top, bottom, by } = shift;
          const move = by > 0 ? `\u001B[${by}S` : `\u001B[${-by}T`;
          out += `\u001B[${top + 1};${bottom + 1}r${move}\u001B[r`;
          before = shifted(before, shift);
        }
      }
      for (let row = 0; row < Math.max(next.length, before.length); row++) {
        const line = next[row] ?? "";
        if (line === (before[row] ?? "")) continue;
        // Erased before it is written: erasing after a full line would take its last cell.
        out += `\u001B[${row + 1};1H\u001B[2K${lineWithAnchors(line)}`;
      }
      shown = next;
      if (out !== "") write(`${BEGIN}${out}${END}`);
    },
  };
}

function shifted(
  lines: readonly string[],
  { top, bottom, by }: { top: number; bottom: number; by: number },
): string[] {
  return lines.map((line, row) => {
    if (row < top || row > bottom) return line;
    const from = row + by;
    return from < top || from > bottom ? "" : (lines[from] ?? "");
  });
}
