/**
 * Draws pictures of the console for the documentation: runs the built program in a pseudo-terminal
 * on a store of its own, presses keys, and writes the screens as SVG.
 *
 *   npm run build && node scripts/console-svg.mjs      writes docs/console-*.svg
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const BIN = fileURLToPath(new URL("../bin/run.js", import.meta.url));
const DOCS = fileURLToPath(new URL("../docs/", import.meta.url));
const SIZE = { cols: 120, rows: 30 };
/** Pixels of a cell, and the letters in it. */
const CELL = { width: 8.4, height: 18, font: 14 };
const COLORS = { fg: "#c9d1d9", bg: "#0d1117" };
const PATIENCE = 20_000;

const home = mkdtempSync(join(tmpdir(), "pail-svg-"));
const env = {
  ...process.env,
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
  const { press, see, picture, quit } = open();
  await see("5 rows");
  press("j", "j", "j");
  await see('"camera"');
  picture("list");
  press("D");
  await see(/in \d+ objects(?! so far)/);
  picture("usage");
  press("\u001B");
  await see("5 rows");
  press(" ", "x");
  await see("For good");
  picture("delete");
  press("\u001B");
  quit();
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A bucket with something in it. */
function fill() {
  const files = join(home, "pictures");
  mkdirSync(join(files, "album"), { recursive: true });
  for (const [name, size] of [
    ["album/one.jpg", 900_000],
    ["album/two.jpg", 1_400_000],
    ["beach.jpg", 2_600_000],
    ["forest.jpg", 2_400_000],
    ["harbor.jpg", 2_500_000],
  ]) {
    writeFileSync(join(files, name), Buffer.alloc(size, 7));
  }
  writeFileSync(join(files, "camera.json"), '{"camera":"X100","lens":{"mm":23,"f":2}}');
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
    picture: (name) => writeFileSync(join(DOCS, `console-${name}.svg`), svg(line)),
    quit: () => pty.kill(),
  };
}

/** The screen as SVG: a rectangle for each background, a text for each run of one style. */
function svg(line) {
  const [width, height] = [SIZE.cols * CELL.width + 16, SIZE.rows * CELL.height + 16];
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
      parts.push(
        `<text ${place} fill="${fg}"${weight} xml:space="preserve">${escaped(text)}</text>`,
      );
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}">
<rect width="100%" height="100%" rx="8" fill="${COLORS.bg}"/>
${parts.join("\n")}
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
