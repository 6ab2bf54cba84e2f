/**
 * Draws the console for README and documentation: runs the built program in a pseudo-terminal on a
 * store of its own, presses keys, and writes some screens as one SVG that shows them in turn. The
 * clock of the program begins at a fixed time, so that the same build draws the same picture.
 *
 *   npm run build && node scripts/console-svg.mjs      writes docs/console.svg
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const BIN = fileURLToPath(new URL("../bin/run.js", import.meta.url));
const PICTURE = fileURLToPath(new URL("../docs/console.svg", import.meta.url));
const SIZE = { cols: 120, rows: 24 };
/** When the pictures in it were taken. */
const TAKEN = new Date("2026-05-02T17:40:00Z");
/** Seconds each screen is shown. */
const SHOWN = 4;
/** Pixels of a cell, and the letters in it. */
const CELL = { width: 8.4, height: 18, font: 14 };
const COLORS = { fg: "#c9d1d9", bg: "#0d1117" };
const PATIENCE = 20_000;

const home = mkdtempSync(join(tmpdir(), "pail-svg-"));
const clock = join(home, "clock.cjs");
writeFileSync(
  clock,
  `const away = Date.parse("2026-05-04T09:26:00Z") - Date.now();
const real = Date.now;
globalThis.Date = class extends Date {
  constructor(...args) { args.length === 0 ? super(real() + away) : super(...args); }
  static now() { return real() + away; }
};`,
);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  NODE_OPTIONS: `--require ${clock}`,
  TERM: "xterm-256color",
  COLORTERM: "truecolor",
  LANG: "C.UTF-8",
  TZ: "UTC",
  PAIL_CONFIG_DIR: join(home, "config"),
  PAIL_STATE_DIR: join(home, "state"),
  PAIL_STORE_DIR: join(home, "store"),
};

try {
  fill();
  const { press, see, screen, quit } = open();
  const screens = [];
  await see("5 rows");
  press("j", "j");
  await see('"camera"');
  screens.push(screen());
  press("D");
  await see(/in \d+ objects(?! so far)/);
  screens.push(screen());
  press("\u001B");
  await see("5 rows");
  press(" ", " ");
  await see("2500000 bytes");
  press("x");
  await see("For good");
  screens.push(screen());
  await quit();
  writeFileSync(PICTURE, svg(screens));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A bucket with some objects. */
function fill() {
  const files = join(home, "pictures");
  mkdirSync(join(files, "album"), { recursive: true });
  const camera = '{"camera":"X100","lens":{"mm":23,"f":2}}';
  const contents = {
    "album/one.jpg": Buffer.alloc(900_000, 0xd8),
    "album/two.jpg": Buffer.alloc(1_400_000, 0xd8),
    "beach.jpg": Buffer.alloc(2_600_000, 0xd8),
    "forest.jpg": Buffer.alloc(2_400_000, 0xd8),
    "harbor.jpg": Buffer.alloc(2_500_000, 0xd8),
    "camera.json": camera,
  };
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(join(files, name), content);
    utimesSync(join(files, name), TAKEN, TAKEN);
  }
  const pail = (...args) =>
    execFileSync(process.execPath, [BIN, ...args], { env, stdio: "ignore" });
  pail("mb", "local/pics");
  pail("cp", "-r", `${files}/`, "local/pics/");
}

function open() {
  const pty = spawn(process.execPath, [BIN, "tui", "local/pics"], { ...SIZE, env, cwd: home });
  const term = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
  let check = () => undefined;
  pty.onData((data) => term.write(data, () => check()));
  const line = (row) => term.buffer.active.getLine(row);
  const text = () =>
    Array.from({ length: SIZE.rows }, (_, row) => line(row).translateToString(true)).join("\n");
  return {
    press: (...keys) => {
      for (const key of keys) pty.write(key);
    },
    see: (what) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new Error(`never saw ${what} in\n${text()}`));
        const timer = setTimeout(late, PATIENCE);
        check = () => {
          if (typeof what === "string" ? !text().includes(what) : !what.test(text())) return;
          clearTimeout(timer);
          resolve();
        };
        check();
      }),
    screen: () => rows(line),
    quit: () =>
      new Promise((resolve) => {
        pty.onExit(resolve);
        pty.kill();
      }),
  };
}

/** A screen as SVG: a rectangle for each background, a text for each run of one style. */
function rows(line) {
  const parts = [];
  for (let row = 0; row < SIZE.rows; row++) {
    for (const { x, cells, text, fg, bg, bold } of runs(line(row))) {
      const [left, top] = [round(8 + x * CELL.width), round(8 + row * CELL.height)];
      const wide = round(cells * CELL.width);
      if (bg !== COLORS.bg) {
        parts.push(
          `<rect x="${left}" y="${top}" width="${wide}" height="${CELL.height}" fill="${bg}"/>`,
        );
      }
      if (text.trim() === "") continue;
      const weight = bold ? ' font-weight="bold"' : "";
      const place = `x="${left}" y="${round(top + 13.5)}" textLength="${wide}"`;
      parts.push(`<text ${place} fill="${fg}"${weight}>${escaped(text)}</text>`);
    }
  }
  return parts.join("\n");
}

/** The screens one after the other; the first alone where motion is not wanted. */
function svg(screens) {
  const [width, height] = [SIZE.cols * CELL.width + 16, SIZE.rows * CELL.height + 16];
  const share = 100 / screens.length;
  const delays = screens.map((_, at) => `.s${at}{animation-delay:${at * SHOWN}s}`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}">
<title>The console of pail: a bucket, what it takes, a question before a deletion</title>
<style>text{white-space:pre}.s{visibility:hidden}.s0{visibility:visible}@keyframes turn{0%,${round(share)}%{visibility:visible}${round(share + 0.1)}%,100%{visibility:hidden}}@media(prefers-reduced-motion:no-preference){.s{visibility:hidden;animation:turn ${SHOWN * screens.length}s step-end infinite}${delays}}</style>
<rect width="100%" height="100%" rx="8" fill="${COLORS.bg}"/>
${screens.map((screen, at) => `<g class="s s${at}">\n${screen}\n</g>`).join("\n")}
</svg>
`;
}

function runs(line) {
  const found = [];
  for (let x = 0; x < SIZE.cols; x++) {
    const cell = line.getCell(x);
    if (cell.getWidth() === 0) continue;
    let fg = color(cell.isFgRGB(), cell.getFgColor()) ?? COLORS.fg;
    let bg = color(cell.isBgRGB(), cell.getBgColor()) ?? COLORS.bg;
    if (cell.isInverse()) [fg, bg] = [bg, fg];
    const bold = Boolean(cell.isBold());
    const last = found.at(-1);
    const same = last?.fg === fg && last.bg === bg && last.bold === bold;
    if (same) {
      last.text += cell.getChars() || " ";
      last.cells += cell.getWidth();
    } else found.push({ x, cells: cell.getWidth(), text: cell.getChars() || " ", fg, bg, bold });
  }
  return found;
}

function color(rgb, value) {
  return rgb ? `#${value.toString(16).padStart(6, "0")}` : undefined;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value) {
  return Math.round(value * 10) / 10;
}
