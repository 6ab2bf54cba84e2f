/**
 * `node bench/page.mjs [--minutes N --only WORD,… --scratch DIR]`: measures the tables of
 * docs/performance.md at the null server one after the other, puts each into the page as it comes,
 * and draws the page's pictures again. Nothing else may run on the machine. A table that would
 * begin after N minutes (25 unless told) stays as it was. `--only` takes words of the sections'
 * titles.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "25" },
    only: { type: "string" },
    scratch: { type: "string", default: tmpdir() },
  },
});
const PAGE = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const ONE = "2048 MiB up,verified";
const GO = "s5cmd,rclone,mc";
/** Arguments of run.mjs: flags without spaces in them, words of the rows, names of clients. */
const run = (words, only, clients) => {
  const args = ["run.mjs", "--scratch", flags.scratch, "--patience", "60", ...words.split(" ")];
  return [...args, "--only", only, ...(clients === undefined ? [] : ["--clients", clients])];
};
const onLine = (rtt, clients) => ({
  title: `A line of ${rtt} ms, null server`,
  note: `\`npm run bench -- --rtt ${rtt} --small 1000 --large 512\`, 4 MiB under way in a connection, one round.`,
  args: run(
    `--rtt ${rtt} --small 1000 --large 512 --rounds 1`,
    "1000 × 4 KiB,512 MiB up,verified",
    clients,
  ),
});

/** The sections of the page that this makes, the most important first. */
const sections = [
  {
    title: "Null server, http",
    note: "3 rounds.",
    args: run("--rounds 3 --small 5000", "version,10 keys,5000 ,2048 MiB"),
  },
  {
    title: "Sizes in between, mixed trees",
    note:
      "`bench/trees.mjs`, null server, http, 2 rounds. The source tree is every fifth file of this " +
      "program's own packages; the photo library has 100 pictures of 2 to 9 MiB, a note of 4 KiB beside " +
      "each, and six films of 60 MiB.",
    args: run("--rounds 2 --small 10 --large 1", "2000 × 64,256 × 1,32 × 16,source,photo"),
  },
  {
    title: "Listings of six shapes of keys",
    note:
      "`bench/listing.mjs`: in order, near and behind a line of 30 ms in turns, 3 rounds. The other " +
      "clients list page after page whatever the keys are like, and had one round for each shape. The " +
      "objects of the null server are empty, and of one time.",
    args: ["listing.mjs", "--scratch", flags.scratch, "--clients", GO, "--patience", "150"],
  },
  onLine(100, `${GO},aws,obstore (library)`),
  {
    title: "Null server behind nginx, https",
    note: "2 rounds.",
    args: run("--rounds 2 --tls --small 5000", `5000 × 4 KiB,${ONE}`, GO),
  },
  {
    title: "Many machines, one sync",
    note:
      "`bench/shards.mjs`: the workers one after the other, so the longest stands for the time of as many " +
      "machines. juicefs starts the workers of its cluster mode by ssh, which was left out: its ranges were " +
      "given by hand, to one process each.",
    args: ["shards.mjs", "--scratch", flags.scratch],
  },
  onLine(30, GO),
  {
    title: "A line of 100 ms with a small window, null server",
    note: "`npm run bench -- --rtt 100 --window 1024 --large 256`, one round.",
    args: run(
      "--rtt 100 --window 1024 --large 256 --small 10 --rounds 1",
      "256 MiB up,verified",
      `${GO},aws`,
    ),
  },
  onLine(50, "s5cmd,rclone"),
  onLine(1, GO),
];

const began = performance.now();
const machine = `${cpus().length} × ${cpus()[0].model}, Node ${process.version}`;
for (const section of sections) {
  if (flags.only && !flags.only.split(",").some((word) => section.title.includes(word))) continue;
  if ((performance.now() - began) / 60_000 > Number(flags.minutes)) {
    console.error(`no time is left for: ${section.title}`);
    continue;
  }
  const [program, ...args] = section.args;
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: "utf8" });
  const table = stdout.split("\n").filter((line) => line.startsWith("|"));
  console.log(`\n## ${section.title} (${Math.round((performance.now() - began) / 1000)} s)\n`);
  console.log(table.join("\n"));
  if (stderr.trim() !== "") console.error(stderr.trim().slice(0, 2000));
  if (table.length > 2) put(section, table);
}
spawnSync(process.execPath, [fileURLToPath(new URL("chart.mjs", import.meta.url))], {
  stdio: "inherit",
});

/** Replaces the section of this title, or puts a new one before the embedded store's. */
function put({ title, note }, table) {
  const page = readFileSync(PAGE, "utf8");
  const text = `## ${title}\n\n${note} ${machine}.\n\n${table.join("\n")}\n\n`;
  const from = page.indexOf(`## ${title}\n`);
  const start = from < 0 ? page.indexOf("## The embedded store") : from;
  const end = from < 0 ? start : page.indexOf("\n## ", from) + 1;
  writeFileSync(PAGE, page.slice(0, start) + text + page.slice(end));
}
