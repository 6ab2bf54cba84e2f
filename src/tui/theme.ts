/**
 * How the console looks, as data: styles by role, and the few glyphs that are not letters. Every
 * state that matters has a glyph or a word too, so that nothing is said by color alone.
 */

import type { PictureProtocol } from "./picture/protocol.js";

/** The role of a piece of text, not its color. */
export type StyleName =
  | "plain"
  | "dim"
  | "strong"
  | "brand"
  | "accent"
  | "prefix"
  | "heading"
  | "rule"
  | "cursor"
  | "cursorDim"
  | "match"
  | "cursorMatch"
  | "mark"
  | "button"
  | "buttonFocus"
  | "danger"
  | "dangerFocus"
  | "error"
  | "warning"
  | "success"
  | "key"
  | "input"
  | "inputFocus"
  | "caret"
  | "disabled"
  | "progress";

/** A color: 0 to 15 of the terminal's palette, up to 255 of the fixed one, or `#rrggbb`. */
export type Color = number | string;

export interface Style {
  readonly fg?: Color;
  readonly bg?: Color;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly inverse?: boolean;
  readonly underline?: boolean;
}

export interface Glyphs {
  readonly rule: string;
  readonly vertical: string;
  readonly corners: readonly [string, string, string, string];
  readonly pointer: string;
  readonly mark: string;
  readonly crumb: string;
  readonly ellipsis: string;
  readonly ascending: string;
  readonly descending: string;
  readonly barFull: string;
  readonly barEmpty: string;
  readonly dot: string;
  readonly done: string;
  readonly failed: string;
  readonly upload: string;
  readonly download: string;
  readonly enter: string;
  readonly arrows: string;
  readonly spinner: readonly string[];
}

export type ThemeName = "dark" | "light" | "mono";

/** Colors a terminal can show: none, 16, 256, all. */
export type ColorLevel = 0 | 1 | 2 | 3;

export interface Look {
  readonly theme: ThemeName;
  /** Only characters of ASCII in what the console itself draws. */
  readonly ascii: boolean;
  readonly colors: ColorLevel;
  /** Said in lines, not drawn on a screen. */
  readonly plain?: boolean | undefined;
  /** How the terminal takes pictures; undefined when it does not. */
  readonly pictures?: PictureProtocol | undefined;
}

type Styles = Readonly<Record<StyleName, Style>>;

const MONO: Styles = {
  plain: {},
  dim: { dim: true },
  strong: { bold: true },
  brand: { bold: true, inverse: true },
  accent: { bold: true },
  prefix: { bold: true },
  heading: { dim: true },
  rule: { dim: true },
  cursor: { inverse: true },
  cursorDim: { inverse: true },
  match: { bold: true, underline: true },
  cursorMatch: { inverse: true, bold: true, underline: true },
  mark: { bold: true },
  button: {},
  buttonFocus: { inverse: true, bold: true },
  danger: { bold: true },
  dangerFocus: { inverse: true, bold: true },
  error: { bold: true },
  warning: { bold: true },
  success: { bold: true },
  key: { bold: true },
  input: { underline: true },
  inputFocus: { underline: true, bold: true },
  caret: { inverse: true },
  disabled: { dim: true },
  progress: { bold: true },
};

/** The colors of a theme where there are 256 or more; `pick` takes one of the two spellings. */
type Pick = (rgb: string, index: number) => Color;

const dark = (pick: Pick): Styles => {
  const [blue, sky] = [pick("#58a6ff", 75), pick("#79c0ff", 117)];
  const [white, text, gray] = [pick("#ffffff", 231), pick("#c9d1d9", 252), pick("#8b949e", 246)];
  const [row, raised, ink] = [pick("#1f3a5f", 24), pick("#2b323b", 236), pick("#0d1117", 16)];
  const [yellow, red] = [pick("#e3b341", 179), pick("#ff7b72", 210)];
  return {
    ...MONO,
    dim: { fg: gray },
    brand: { fg: ink, bg: blue, bold: true },
    accent: { fg: sky },
    prefix: { fg: sky },
    heading: { fg: gray },
    rule: { fg: pick("#3d444d", 239) },
    cursor: { fg: white, bg: row, bold: true },
    cursorDim: { fg: text, bg: row },
    match: { fg: yellow, bold: true, underline: true },
    cursorMatch: { fg: yellow, bg: row, bold: true, underline: true },
    mark: { fg: yellow, bold: true },
    button: { fg: text, bg: raised },
    buttonFocus: { fg: ink, bg: blue, bold: true },
    danger: { fg: red, bg: raised },
    dangerFocus: { fg: white, bg: pick("#b62324", 124), bold: true },
    error: { fg: red },
    warning: { fg: yellow },
    success: { fg: pick("#56d364", 78) },
    key: { fg: sky },
    input: { fg: text, bg: pick("#21262d", 235) },
    inputFocus: { fg: white, bg: pick("#2d3b4e", 238) },
    disabled: { fg: pick("#6e7681", 242) },
    progress: { fg: blue },
  };
};

const light = (pick: Pick): Styles => {
  const [blue, deep, white] = [pick("#0969da", 26), pick("#0550ae", 25), pick("#ffffff", 231)];
  const [text, gray, row] = [pick("#24292f", 235), pick("#57606a", 241), pick("#cfe4ff", 153)];
  const [raised, brown, red] = [pick("#e4e8ed", 254), pick("#9a6700", 94), pick("#cf222e", 160)];
  return {
    ...MONO,
    dim: { fg: gray },
    brand: { fg: white, bg: blue, bold: true },
    accent: { fg: deep },
    prefix: { fg: deep },
    heading: { fg: gray },
    rule: { fg: pick("#afb8c1", 249) },
    cursor: { fg: pick("#0a2540", 17), bg: row, bold: true },
    cursorDim: { fg: pick("#32465c", 238), bg: row },
    match: { fg: brown, bold: true, underline: true },
    cursorMatch: { fg: brown, bg: row, bold: true, underline: true },
    mark: { fg: brown, bold: true },
    button: { fg: text, bg: raised },
    buttonFocus: { fg: white, bg: blue, bold: true },
    danger: { fg: red, bg: raised },
    dangerFocus: { fg: white, bg: red, bold: true },
    error: { fg: red },
    warning: { fg: brown },
    success: { fg: pick("#1a7f37", 28) },
    key: { fg: deep },
    input: { fg: text, bg: pick("#eef1f4", 255) },
    inputFocus: { fg: pick("#0a2540", 17), bg: pick("#dbeafe", 189) },
    disabled: { fg: pick("#8c959f", 246) },
    progress: { fg: blue },
  };
};

const [BLACK, RED, GREEN, YELLOW, BLUE, CYAN, WHITE] = [0, 1, 2, 3, 4, 6, 7] as const;

/**
 * The terminal's owner may have changed the sixteen colors, so nothing relies on one being lighter
 * than another: rows and buttons stand out by a background of their own.
 */
const sixteen = (accent: Color, warning: Color): Styles => ({
  ...MONO,
  brand: { fg: WHITE, bg: BLUE, bold: true },
  accent: { fg: accent },
  prefix: { fg: accent, bold: true },
  cursor: { fg: WHITE, bg: BLUE, bold: true },
  cursorDim: { fg: WHITE, bg: BLUE },
  match: { fg: warning, bold: true, underline: true },
  cursorMatch: { fg: WHITE, bg: BLUE, bold: true, underline: true },
  mark: { fg: warning, bold: true },
  button: { fg: BLACK, bg: WHITE },
  buttonFocus: { fg: WHITE, bg: BLUE, bold: true },
  danger: { fg: RED, bg: WHITE },
  dangerFocus: { fg: WHITE, bg: RED, bold: true },
  error: { fg: RED, bold: true },
  warning: { fg: warning },
  success: { fg: GREEN },
  key: { fg: accent },
  inputFocus: { fg: WHITE, bg: BLUE },
  progress: { fg: accent },
});

const all: Pick = (rgb) => rgb;
const fixed: Pick = (_rgb, index) => index;

const STYLES: Readonly<Record<ThemeName, readonly [Styles, Styles, Styles, Styles]>> = {
  dark: [MONO, sixteen(CYAN, YELLOW), dark(fixed), dark(all)],
  light: [MONO, sixteen(BLUE, RED), light(fixed), light(all)],
  mono: [MONO, MONO, MONO, MONO],
};

const UNICODE: Glyphs = {
  rule: "─",
  vertical: "│",
  corners: ["╭", "╮", "╰", "╯"],
  pointer: "▌",
  mark: "●",
  crumb: "›",
  ellipsis: "…",
  ascending: "↑",
  descending: "↓",
  barFull: "━",
  barEmpty: "─",
  dot: "·",
  done: "✓",
  failed: "✗",
  upload: "↑",
  download: "↓",
  enter: "↵",
  arrows: "↑↓",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII: Glyphs = {
  rule: "-",
  vertical: "|",
  corners: ["+", "+", "+", "+"],
  pointer: ">",
  mark: "*",
  crumb: ">",
  ellipsis: "~",
  ascending: "^",
  descending: "v",
  barFull: "#",
  barEmpty: "-",
  dot: "-",
  done: "ok",
  failed: "!!",
  upload: "^",
  download: "v",
  enter: "enter",
  arrows: "arrows",
  spinner: ["|", "/", "-", "\\"],
};

/** The styles of a look. */
export function stylesOf({ theme, colors }: Look): Styles {
  return STYLES[theme][colors];
}

/** The glyphs of a look. */
export function glyphsOf(look: Look): Glyphs {
  return look.ascii ? ASCII : UNICODE;
}
