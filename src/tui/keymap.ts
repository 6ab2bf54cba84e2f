/**
 * The keys of each command, as data. The keys one presses, the footer, the help and the
 * palette all read this; `tui.keys` in config.json rebinds it by command id.
 */

/** Keys by command id, first the one that is shown. */
export type Keymap = Readonly<Record<string, readonly string[]>>;

export const DEFAULT_KEYS: Keymap = {
  up: ["up", "k"],
  down: ["down", "j"],
  "page-up": ["pageup", "ctrl-b"],
  "page-down": ["pagedown", "ctrl-f"],
  "half-up": ["ctrl-u"],
  "half-down": ["ctrl-d"],
  first: ["home", "g"],
  last: ["end", "G"],
  open: ["enter", "right", "l"],
  parent: ["left", "h", "backspace"],
  back: ["esc", "q"],
  "switch-pane": ["tab"],
  "second-pane": ["|"],
  "focus-bar": ["shift-tab"],
  mark: ["space"],
  "mark-range": ["v"],
  "mark-all": ["ctrl-a"],
  filter: ["/"],
  search: ["f"],
  sort: ["s"],
  columns: ["C"],
  "new-directory": ["n"],
  "new-file": ["N"],
  "new-bucket": ["b"],
  "open-bucket": ["o"],
  "new-alias": ["n"],
  "edit-alias": ["e"],
  "remove-alias": ["x", "delete"],
  "remove-bucket": ["x", "delete"],
  upload: ["u", "U"],
  hidden: ["."],
  "start-upload": ["u"],
  "edit-target": ["t"],
  download: ["d"],
  remove: ["x", "delete"],
  details: ["i"],
  preview: ["p"],
  versions: ["V"],
  tags: ["T"],
  "copy-menu": ["y"],
  sync: ["S"],
  "start-sync": ["S"],
  "take-copy": ["Y"],
  "take-move": ["X"],
  paste: ["P"],
  usage: ["D"],
  "bucket-page": [","],
  "toggle-versioning": ["v"],
  "abort-upload": ["x", "delete"],
  "versions-too": ["."],
  "bring-back": ["b"],
  "find-text": ["/"],
  "find-next": ["n"],
  "find-previous": ["N"],
  wrap: ["w"],
  follow: ["F"],
  "show-outside": ["o"],
  "edit-outside": ["O"],
  "aside-right": [">", "right"],
  "aside-left": ["<", "left"],
  find: ["F", "alt-f"],
  places: ["'"],
  bookmark: ["B"],
  pane: ["\\"],
  rename: ["r"],
  copy: ["c"],
  move: ["m"],
  refresh: ["R"],
  "cancel-job": ["x", "delete"],
  "retry-job": ["r"],
  "clear-jobs": ["c"],
  undo: ["z"],
  "next-tab": ["right", "l"],
  "previous-tab": ["left", "h"],
  "show-value": ["enter"],
  edit: ["e"],
  restore: ["r"],
  expiry: ["s"],
  transfers: ["t"],
  log: ["E"],
  aliases: ["a"],
  "go-to": ["ctrl-g"],
  palette: [":"],
  help: ["?", "f1"],
  quit: ["ctrl-c", "Q"],
  suspend: ["ctrl-z"],
  redraw: ["ctrl-l"],
};

/**
 * The keymap with the settings' changes, and what was wrong with them. A setting is a command id
 * with a key or a list of keys; an empty list unbinds.
 */
export function resolveKeymap(settings: unknown): { keymap: Keymap; problems: string[] } {
  const keymap: Record<string, readonly string[]> = { ...DEFAULT_KEYS };
  const problems: string[] = [];
  if (settings === undefined) return { keymap, problems };
  if (typeof settings !== "object" || settings === null) {
    return { keymap, problems: ["tui.keys is not an object of command and keys"] };
  }
  for (const [command, value] of Object.entries(settings)) {
    const keys: unknown[] = Array.isArray(value) ? value : [value];
    if (!(command in DEFAULT_KEYS)) problems.push(`tui.keys: no command is called "${command}"`);
    else if (keys.every((key) => typeof key === "string" && key !== "")) {
      free(keymap, keys as string[], settings);
      keymap[command] = keys as string[];
    } else problems.push(`tui.keys.${command} is not a key or a list of keys`);
  }
  return { keymap, problems };
}

/** Takes keys off the commands that have them by default: a key that was asked for comes first. */
function free(keymap: Record<string, readonly string[]>, keys: string[], asked: object): void {
  for (const [command, bound] of Object.entries(keymap)) {
    if (command in asked || !bound.some((key) => keys.includes(key))) continue;
    keymap[command] = bound.filter((key) => !keys.includes(key));
  }
}

const SHOWN: Readonly<Record<string, string>> = {
  enter: "↵",
  esc: "Esc",
  tab: "Tab",
  space: "Space",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
  home: "Home",
  end: "End",
  delete: "Del",
  backspace: "Bksp",
  "shift-tab": "Shift-Tab",
  f1: "F1",
};

const SHOWN_ASCII: Readonly<Record<string, string>> = {
  ...SHOWN,
  enter: "Enter",
  up: "Up",
  down: "Down",
  left: "Left",
  right: "Right",
};

/** A key as it is written for people: `↵`, `Space`, `^A`, `n`. */
export function showKey(key: string, ascii = false): string {
  const control = /^ctrl-(.)$/.exec(key);
  if (control) return `^${control[1]!.toUpperCase()}`;
  return (ascii ? SHOWN_ASCII : SHOWN)[key] ?? key;
}
