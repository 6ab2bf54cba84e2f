/**
 * `node bench/chart.mjs [--check]`: draws the tables of docs/performance.md, each as a picture of
 * its own above it, and writes the rows that pail loses at the page's beginning. It reads nothing
 * but the tables, so neither can say anything else; `--check` fails where one does.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const PICTURES = fileURLToPath(new URL("../docs/pictures/", import.meta.url));
/** The columns of pail's ratios to the others are named by these words. */
const RATIO = "pail ÷ this";
/** Less is noise. */
const LOST = 1.05;

/** The tables of a page that compare pail: `{section, work, rows}`, in order. */
export function tablesOf(page) {
  const found = [];
  let section = "";
  let header;
  for (const line of page.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    const cells = line.startsWith("|")
      ? line
          .slice(1, -1)
          .split("|")
          .map((c) => c.trim())
      : undefined;
    if (cells === undefined) header = undefined;
    else if (header === undefined) {
      header = cells;
      if (cells.at(-1) === RATIO && cells[0] === "work") found.push({ section, rows: [] });
    } else if (header[0] === "work" && header.at(-1) === RATIO && !/^-+$/.test(cells[0])) {
      const wall = Number(cells[header.findIndex((name) => name.endsWith("wall s"))]);
      found.at(-1).rows.push({ work: cells[0], who: cells[1], wall, ratio: Number(cells.at(-1)) });
    }
  }
  return found;
}

/** Lines of the rows in which another client is quicker, the worst first. */
function losses(tables) {
  const lost = tables.flatMap(({ section, rows }) =>
    rows
      .filter(({ who, ratio }) => !who.startsWith("(") && ratio > LOST)
      .map((row) => ({
        ...row,
        section,
        own: rows.find(({ work, who }) => work === row.work && who.startsWith("pail")),
      })),
  );
  lost.sort((one, other) => other.ratio - one.ratio);
  const lines = lost.map(
    ({ section, work, who, wall, own, ratio }) =>
      `| ${section} | ${work} | ${who} | ${own?.wall ?? ""} | ${wall} | ${ratio.toFixed(2)} |`,
  );
  const head = [
    "| where | work | quicker | pail s | its s | pail ÷ this |",
    "|---|---|---|---|---|---|",
  ];
  return [...head, ...lines].join("\n");
}

const WIDTH = 800;
const LEFT = 300;
const RIGHT = 20;
const ROW = 22;
const TOP = 58;
/** Nothing is drawn further out: 1/8 to 64 times pail's time. */
const [LEAST, MOST] = [-3, 6];
const COLOURS = {
  s5cmd: "#d1495b",
  rclone: "#2e86ab",
  "rclone, 4 at a time": "#7fb7d1",
  "rclone --hash-filter": "#2e86ab",
  aws: "#e08e1b",
  mc: "#5b8c5a",
  juicefs: "#8e5ea2",
  "juicefs --start --end": "#8e5ea2",
  "obstore (library)": "#a0643c",
  minio: "#5b8c5a",
  versitygw: "#d1495b",
};
/** The color of names in brackets, which are no clients. */
const GREY = "#888888";

/** A line for each work, a dot for each client: its time, where pail's time is 1. */
function draw({ section, rows }) {
  const others = [...new Set(rows.map(({ who }) => who))].filter((who) => !who.startsWith("pail"));
  const works = [...new Set(rows.map(({ work }) => work))];
  const at = (times) => {
    const place = Math.min(MOST, Math.max(LEAST, Math.log2(times)));
    return (LEFT + ((place - LEAST) / (MOST - LEAST)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  };
  const height = TOP + works.length * ROW + 12;
  const colour = (who) => COLOURS[who] ?? GREY;
  const ticks = [];
  for (let power = LEAST; power <= MOST; power += 1) {
    const x = at(2 ** power);
    const label = power < 0 ? `1/${2 ** -power}` : `${2 ** power}×`;
    ticks.push(
      `<line class="${power === 0 ? "own" : "tick"}" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${height - 10}"/>`,
    );
    ticks.push(
      `<text x="${x}" y="${TOP - 14}" text-anchor="middle">${power === 0 ? "pail" : label}</text>`,
    );
  }
  let x = 10;
  const named = others.filter((who) => !who.startsWith("("));
  const legend = [...named, ...(named.length < others.length ? ["(in brackets)"] : [])].map(
    (who) => {
      const item = `<circle cx="${x}" cy="14" r="5" fill="${colour(who)}"/><text x="${x + 9}" y="18">${safe(who)}</text>`;
      x += 30 + who.length * 6.7;
      return item;
    },
  );
  const lines = works.map((work, i) => {
    const y = TOP + i * ROW + 8;
    const dots = rows
      .filter((row) => row.work === work && row.ratio > 0)
      .map(({ who, wall, ratio }) => {
        const told = `${who}: ${wall} s, ${(1 / ratio).toFixed(2)} × pail's time`;
        return `<circle cx="${at(1 / ratio)}" cy="${y}" r="5" fill="${colour(who)}"><title>${safe(told)}</title></circle>`;
      });
    return `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${safe(work)}</text><line class="row" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>${dots.join("")}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${safe(altOf(section))}">
<style>text{font:12px system-ui,sans-serif;fill:#24292f}.tick,.row{stroke:#d0d7de;stroke-width:1}.own{stroke:#24292f;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.tick,.row{stroke:#30363d}.own{stroke:#e6edf3}}</style>
${[...legend, ...ticks, ...lines].join("\n")}
</svg>
`;
}

function altOf(section) {
  return `${section}: each client's time, as a multiple of pail's; a dot left of the line was quicker`;
}

function safe(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The page and the pictures that its tables ask for. */
export function illustrate(page) {
  const files = new Map();
  // Earlier pictures are removed, so that a removed table leaves none.
  let text = page.replaceAll(/!\[[^\]]*\]\(pictures\/[^)]*\)\n\n/g, "");
  const tables = tablesOf(text);
  for (const table of tables) {
    const words = table.section
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      .join("-");
    const count = [...files.keys()].filter((name) => name.startsWith(words)).length;
    const name = `${words}${count > 0 ? `-${count + 1}` : ""}.svg`;
    files.set(name, draw(table));
    const first = `| ${table.rows[0].work} | ${table.rows[0].who} |`;
    const lines = text.split("\n");
    const from = lines.indexOf(`## ${table.section}`);
    const at = lines.findIndex((line, i) => i > from && line.startsWith(first)) - 2;
    lines.splice(at, 0, `![${altOf(table.section)}](pictures/${name})`, "");
    text = lines.join("\n");
  }
  const [begin, end] = ["<!-- what pail loses -->", "<!-- end -->"];
  const [before, rest] = text.split(`${begin}\n`);
  const after = rest.slice(rest.indexOf(end));
  return { page: `${before}${begin}\n\n${losses(tables)}\n\n${after}`, files };
}

function main() {
  const page = readFileSync(PAGE, "utf8");
  const wanted = illustrate(page);
  mkdirSync(PICTURES, { recursive: true });
  const there = readdirSync(PICTURES);
  const isSame =
    wanted.page === page &&
    there.length === wanted.files.size &&
    there.every((name) => readFileSync(PICTURES + name, "utf8") === wanted.files.get(name));
  if (process.argv.includes("--check")) {
    if (isSame) return;
    console.error("docs/performance.md and its pictures differ: node bench/chart.mjs");
    process.exitCode = 1;
    return;
  }
  for (const name of there) rmSync(PICTURES + name);
  for (const [name, picture] of wanted.files) writeFileSync(PICTURES + name, picture);
  writeFileSync(PAGE, wanted.page);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
