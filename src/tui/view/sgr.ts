/** Styles as the sequences that switch them on. */
import { type Color, type ColorLevel, type Look, type Style, stylesOf } from "../theme.js";
import type { Row } from "./rows.js";

const RESET = "\u001B[0m";

let made = new WeakMap<Row, string>();
let madeFor: Look | undefined;
let sequences: Readonly<Record<string, string>> = {};

/** A row as text for the terminal; it ends without any style. Made once for each row. */
export function styledText(row: Row, look: Look): string {
  if (madeFor !== look) {
    [made, madeFor] = [new WeakMap(), look];
    const styles = Object.entries(stylesOf(look));
    sequences = Object.fromEntries(styles.map(([name, style]) => [name, sequence(style)]));
  }
  let text = made.get(row);
  if (text === undefined) made.set(row, (text = textOf(row, look)));
  return text;
}

function textOf(row: Row, look: Look): string {
  let text = "";
  let now = "";
  let open: string | undefined;
  for (const { text: part, style, pixels, link: asked } of row) {
    // Simple terminals do not know links, and some would print them.
    const link = look.colors < 2 ? undefined : asked;
    if (link !== open) text += `\u001B]8;${link === undefined ? ";" : `id=pail;${link}`}\u001B\\`;
    open = link;
    const wanted =
      pixels === undefined
        ? sequences[style ?? "plain"]!
        : colors(reduced(pixels[0], look.colors), reduced(pixels[1], look.colors));
    if (wanted !== now) text += now === "" ? wanted : RESET + wanted;
    text += part;
    now = wanted;
  }
  if (open !== undefined) text += "\u001B]8;;\u001B\\";
  return now === "" ? text : text + RESET;
}

function sequence(style: Style): string {
  const codes = [
    ...(style.bold ? ["1"] : []),
    ...(style.dim ? ["2"] : []),
    ...(style.underline ? ["4"] : []),
    ...(style.inverse ? ["7"] : []),
  ];
  return (codes.length > 0 ? `\u001B[${codes.join(";")}m` : "") + colors(style.fg, style.bg);
}

function colors(fg: Color | undefined, bg: Color | undefined): string {
  const codes = [...colorCodes(fg, 30), ...colorCodes(bg, 40)];
  return codes.length > 0 ? `\u001B[${codes.join(";")}m` : "";
}

/** The codes of a color; `base` is 30 for the foreground, 40 for the background. */
function colorCodes(color: Color | undefined, base: 30 | 40): readonly number[] {
  if (color === undefined) return [];
  if (typeof color === "string") return [base + 8, 2, ...channels(color)];
  if (color < 8) return [base + color];
  return color < 16 ? [base + 60 + color - 8] : [base + 8, 5, color];
}

function channels(color: string): readonly number[] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A pixel's color in the cube of 256 colors where there are no more. */
function reduced(color: string, level: ColorLevel): Color {
  if (level === 3) return color;
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => Math.round(value / 51));
  return 16 + 36 * red + 6 * green + blue;
}
