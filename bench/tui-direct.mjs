/**
 * The rival of `bench/tui.mjs`: a program that shows the same list with nothing between its rows and
 * the terminal. It fetches every page, writes the frame of `pail tui`, and answers the same keys by
 * writing the lines that change, each as it is known to look.
 *
 *   node bench/tui-direct.mjs <endpoint>
 */
const [COLUMNS, ROWS] = [120, 40];
const HEIGHT = ROWS - 7;
const endpoint = process.argv[2];
const names = [];
const sizes = [];
let cursor = 0;
let top = 0;

const style = (codes, text) => `\u001B[${codes}m${text}\u001B[0m`;
const DIM = "38;2;139;148;158";
const at = (row, text) => `\u001B[${row};1H\u001B[2K${text}`;
const size = (bytes) => {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 ** 2
    ? `${(bytes / 1024).toFixed(1)}KiB`
    : `${(bytes / 1024 ** 2).toFixed(1)}MiB`;
};

function row(index) {
  if (index >= names.length) return "";
  const name = names[index].padEnd(COLUMNS - 35);
  const rest = `  ${size(sizes[index]).padStart(9)}  2026-01-02 03:04     `;
  return index === cursor
    ? style("38;2;121;192;255;48;2;31;58;95", "▌") +
        style("1;38;2;255;255;255;48;2;31;58;95", `  ${name}`) +
        style("38;2;201;209;217;48;2;31;58;95", rest)
    : `   ${name}${style(DIM, rest)}`;
}

const counted = () =>
  at(
    ROWS - 1,
    style(
      DIM,
      ` ${names.length.toLocaleString("en-US")} rows${`${cursor + 1}/${names.length}`.padStart(COLUMNS - 25)}`,
    ),
  );
const write = (text) => process.stdout.write(`\u001B[?2026h${text}\u001B[?2026l`);
const line = (index) => at(5 + index - top, row(index));

function frame() {
  const rule = style("38;2;61;68;77", "─".repeat(COLUMNS));
  const rows = Array.from({ length: HEIGHT }, (_, index) => line(top + index));
  write(
    `\u001B[2J${at(1, " pail  bench › bucket")}${at(2, "  New directory   New file   Upload")}${at(3, rule)}${at(4, "   NAME")}${rows.join("")}${at(ROWS - 2, rule)}${counted()}${at(ROWS, " open  upload  download")}`,
  );
}

function move(to) {
  const before = cursor;
  cursor = Math.max(0, Math.min(to, names.length - 1));
  const start = Math.min(Math.max(top, cursor - HEIGHT + 1), cursor);
  const by = start - top;
  top = start;
  if (by === 0) write(line(before) + line(cursor) + counted());
  else if (by === 1) {
    write(`\u001B[5;${4 + HEIGHT}r\u001B[1S\u001B[r${line(before)}${line(cursor)}${counted()}`);
  } else {
    write(Array.from({ length: HEIGHT }, (_, index) => line(top + index)).join("") + counted());
  }
}

process.stdin.setRawMode(true);
process.stdin.on("data", (data) => {
  for (const key of data.toString().match(/\u001B\[6~|./gs) ?? []) {
    if (key === "j") move(cursor + 1);
    else if (key === "\u001B[6~") move(cursor + HEIGHT);
  }
});
process.stdout.write("\u001B[?1049h\u001B[?25l");
for (let token = "", first = true; first || token !== ""; first = false) {
  const answer = await fetch(`${endpoint}/bucket?list-type=2&continuation-token=${token}`);
  const text = await answer.text();
  for (const [, key, bytes] of text.matchAll(/<Key>(.*?)<\/Key>.*?<Size>(\d+)<\/Size>/gs)) {
    names.push(key);
    sizes.push(Number(bytes));
  }
  token = /<NextContinuationToken>(.*?)</.exec(text)?.[1] ?? "";
  if (first) frame();
}
write(counted());
