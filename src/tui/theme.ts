/**
 * How the console looks, as data: styles by role, and the few glyphs that are not letters. Every
 * state that matters has a glyph or a word too, so that nothing is said by color alone.
 */

/** What a piece of text is, not what color it has. */
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

/** The part of Ink's text properties that a style may set. */
export interface Style {
  readonly color?: string;
  readonly backgroundColor?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
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

export interface Look {
  readonly theme: ThemeName;
  /** Only characters of ASCII in what the console itself draws. */
  readonly ascii: boolean;
}

const MONO: Record<StyleName, Style> = {
  plain: {},
  dim: { dimColor: true },
  strong: { bold: true },
  brand: { bold: true, inverse: true },
  accent: { bold: true },
  prefix: { bold: true },
  heading: { dimColor: true },
  rule: { dimColor: true },
  cursor: { inverse: true },
  cursorDim: { inverse: true },
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
  disabled: { dimColor: true },
  progress: { bold: true },
};

const DARK: Record<StyleName, Style> = {
  ...MONO,
  dim: { color: "#8b949e" },
  brand: { color: "#0d1117", backgroundColor: "#58a6ff", bold: true },
  accent: { color: "#79c0ff" },
  prefix: { color: "#79c0ff" },
  heading: { color: "#8b949e" },
  rule: { color: "#3d444d" },
  cursor: { backgroundColor: "#1f3a5f", color: "#ffffff", bold: true },
  cursorDim: { backgroundColor: "#1f3a5f", color: "#c9d1d9" },
  mark: { color: "#e3b341", bold: true },
  button: { color: "#c9d1d9", backgroundColor: "#2b323b" },
  buttonFocus: { color: "#0d1117", backgroundColor: "#58a6ff", bold: true },
  danger: { color: "#ff7b72", backgroundColor: "#2b323b" },
  dangerFocus: { color: "#ffffff", backgroundColor: "#b62324", bold: true },
  error: { color: "#ff7b72" },
  warning: { color: "#e3b341" },
  success: { color: "#56d364" },
  key: { color: "#79c0ff" },
  input: { color: "#c9d1d9", backgroundColor: "#21262d" },
  inputFocus: { color: "#ffffff", backgroundColor: "#2d3b4e" },
  caret: { inverse: true },
  disabled: { color: "#6e7681" },
  progress: { color: "#58a6ff" },
};

const LIGHT: Record<StyleName, Style> = {
  ...MONO,
  dim: { color: "#57606a" },
  brand: { color: "#ffffff", backgroundColor: "#0969da", bold: true },
  accent: { color: "#0550ae" },
  prefix: { color: "#0550ae" },
  heading: { color: "#57606a" },
  rule: { color: "#afb8c1" },
  cursor: { backgroundColor: "#cfe4ff", color: "#0a2540", bold: true },
  cursorDim: { backgroundColor: "#cfe4ff", color: "#32465c" },
  mark: { color: "#9a6700", bold: true },
  button: { color: "#24292f", backgroundColor: "#e4e8ed" },
  buttonFocus: { color: "#ffffff", backgroundColor: "#0969da", bold: true },
  danger: { color: "#cf222e", backgroundColor: "#e4e8ed" },
  dangerFocus: { color: "#ffffff", backgroundColor: "#cf222e", bold: true },
  error: { color: "#cf222e" },
  warning: { color: "#9a6700" },
  success: { color: "#1a7f37" },
  key: { color: "#0550ae" },
  input: { color: "#24292f", backgroundColor: "#eef1f4" },
  inputFocus: { color: "#0a2540", backgroundColor: "#dbeafe" },
  caret: { inverse: true },
  disabled: { color: "#8c959f" },
  progress: { color: "#0969da" },
};

const STYLES: Readonly<Record<ThemeName, Record<StyleName, Style>>> = {
  dark: DARK,
  light: LIGHT,
  mono: MONO,
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
export function stylesOf(look: Look): Readonly<Record<StyleName, Style>> {
  return STYLES[look.theme];
}

/** The glyphs of a look. */
export function glyphsOf(look: Look): Glyphs {
  return look.ascii ? ASCII : UNICODE;
}
