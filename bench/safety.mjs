/**
 * `node bench/safety.mjs [--server pail|minio|versitygw] [--markdown]`: how pail and the other
 * clients handle a sync that could lose data. Behaviour, not time: a cell says whether the data
 * survived, and the exit code. A client that is not on the PATH is left out, and said.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { clients } from "./clients.mjs";
import { startServer } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    server: { type: "string", default: "pail" },
    markdown: { type: "boolean", default: false },
    scratch: { type: "string", default: tmpdir() },
  },
});
const LIMIT_MS = 30_000;
const OLD = 1_500_000_000;
const MiB = 1024 * 1024;

/**
 * Each case: what it is, and a test that gets a bench of one client and resolves with `[whether
 * nothing was lost and nothing false was said, what was seen]`.
 */
const cases = [
  ["empty source, with removals", (t) => keeps(t, () => {})],
  [
    "source that is not there, with removals",
    (t) => keeps(t, () => rmSync(t.dir, { recursive: true })),
  ],
  [
    "most of the source gone (3 of 300 left), with removals",
    (t) => {
      t.write("keep", "1");
      for (let i = 0; i < 300; i++) t.write(`f${i}`, "x");
      t.up();
      for (let i = 3; i < 300; i++) rmSync(join(t.dir, `f${i}`));
      const code = t.up(...t.client.removes);
      return outcome(t, t.keys().length > 250, "kept", "removed", code, code !== 0);
    },
  ],
  [
    "unreadable folder in the source, with removals",
    (t) =>
      keeps(t, () => {
        t.write("other", "1");
        t.write("sub/b", "2");
        t.up();
        t.locked = join(t.dir, "sub");
        execFileSync("chmod", ["000", t.locked]);
      }),
  ],
  [
    "link to nothing where the target has an object, with removals",
    (t) =>
      keeps(t, () => {
        t.write("other", "1");
        symlinkSync("nowhere", join(t.dir, "kept"));
      }),
  ],
  [
    "same size, other content, older time (up)",
    (t) => {
      t.write("a", "one");
      t.up();
      t.write("a", "two");
      utimesSync(join(t.dir, "a"), OLD, OLD);
      const code = t.up();
      return outcome(t, t.get("a") === "two", "sent", "left the old bytes", code);
    },
  ],
  [
    "same size, other content, newer time (down)",
    (t) => {
      t.write("a", "one");
      t.up();
      const down = join(t.root, "down");
      t.down(down);
      const { atimeMs, mtimeMs } = statSync(join(down, "a"));
      writeFileSync(join(down, "a"), "own");
      utimesSync(join(down, "a"), atimeMs / 1000, mtimeMs / 1000 + 3_600);
      const code = t.down(down);
      const there = readFileSync(join(down, "a"), "utf8");
      return outcome(t, there === "one", "fetched", "left other bytes", code);
    },
  ],
  [
    "touched only: a file of 1 KiB with a new time",
    (t) => {
      t.write("a", "x".repeat(1024));
      t.up();
      const before = t.modified("a");
      const soon = Date.now() / 1000 + 60;
      utimesSync(join(t.dir, "a"), soon, soon);
      const code = t.up();
      return outcome(t, t.modified("a") === before, "not written", "written again", code);
    },
  ],
  [
    "multipart object of 20 MiB, second run",
    (t) => {
      t.write("big", Buffer.alloc(20 * MiB, "abc"));
      t.up();
      const before = t.modified("big");
      const code = t.up();
      return outcome(t, t.modified("big") === before, "not written", "written again", code);
    },
  ],
  [
    "key that climbs out of the target directory",
    (t) => {
      t.put("good", "1");
      t.put("../climbed", "stranger's");
      const down = join(t.root, "down");
      const code = t.down(down);
      const climbed = existsSync(join(t.root, "climbed"));
      const good = existsSync(join(down, "good"));
      const said = climbed ? "written outside" : good ? "stayed inside" : "stopped";
      return [!climbed && code !== 0, said, code];
    },
  ],
  [
    "named pipe in the source",
    (t) => {
      t.write("a", "1");
      execFileSync("mkfifo", [join(t.dir, "pipe")]);
      const code = t.up();
      return outcome(t, t.keys().includes("a") && code !== null, "went on", "hung", code);
    },
  ],
  [
    "links in a circle",
    (t) => {
      t.write("a", "1");
      symlinkSync(".", join(t.dir, "self"));
      const code = t.up();
      const keys = t.keys().length;
      return outcome(t, keys <= 2, "ended", `${keys} objects`, code);
    },
  ],
  [
    "a file here, a folder of that name at the target",
    (t) => {
      t.put("name/inner", "1");
      t.put("name", "file");
      const down = join(t.root, "down");
      const code = t.down(down);
      return [code !== 0, code === 0 ? "one of them, in silence" : "said", code];
    },
  ],
];

function keeps(t, spoil) {
  t.put("kept", "1");
  t.put("sub/b", "2");
  spoil();
  const code = t.up(...t.client.removes);
  return outcome(
    t,
    t.keys().includes("kept") && t.keys().includes("sub/b"),
    "kept",
    "removed",
    code,
    code !== 0,
  );
}

/** A reported loss is still a loss; the exit code must report anything left undone. */
function outcome(_, good, yes, no, code, honest = true) {
  return [good && honest && code !== null, good ? yes : no, code];
}

const scratch = mkdtempSync(join(flags.scratch, "pail-safety-"));
const server = await startServer(flags.server, join(scratch, "server"));
try {
  run();
} finally {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}

function run() {
  const all = clients(server.endpoint, server.endpoint, scratch);
  const [pail] = all;
  const there = all.filter(({ versionText }) => versionText !== undefined);
  for (const { name, versionText } of all)
    console.error(`${name}: ${versionText ?? "not installed here"}`);
  const table = [["", ...there.map(({ name }) => name)]];
  let bad = 0;
  for (const [index, [title, test]] of cases.entries()) {
    const row = [title];
    for (const client of there) {
      const bench = benchOf(client, pail, `case-${index}-${client.name}`);
      const [good, seen, code] = test(bench);
      bench.end();
      if (!good && client === pail) bad += 1;
      row.push(`${good ? "✓" : "✗"} ${seen} (${code ?? "killed after 30 s"})`);
    }
    table.push(row);
  }
  print(table);
  process.exitCode = bad === 0 ? 0 : 1;
}

/** The means of a case: a directory, a bucket, and one client's commands. */
function benchOf(client, pail, bucket) {
  const root = join(scratch, bucket);
  const dir = join(root, "source");
  mkdirSync(dir, { recursive: true });
  const call = ({ command, env }, args, options = {}) =>
    spawnSync(command, args, {
      env: { ...process.env, ...env },
      encoding: "utf8",
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
      ...options,
    });
  // A superuser may read everything; without these two powers, it is like any other user.
  const powers = "-dac_override,-dac_read_search";
  const plain = (args) =>
    process.getuid() === 0 && bench.locked !== undefined
      ? call({ ...client, command: "setpriv" }, [
          `--bounding-set=${powers}`,
          `--inh-caps=${powers}`,
          client.command,
          ...args,
        ])
      : call(client, args);
  const ours = (...args) => call(pail, [pail.version[0], ...args]);
  const list = () =>
    ours("ls", "-r", "--json", `bench/${bucket}`)
      .stdout.split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  ours("mb", `bench/${bucket}`);
  const bench = {
    client,
    root,
    dir,
    locked: undefined,
    write: (name, content) => {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
    },
    put: (key, content) => {
      const { status, stderr } = call(
        pail,
        [pail.version[0], "cp", "-q", "-", `bench/${bucket}/${key}`],
        { input: content },
      );
      if (status !== 0) throw new Error(stderr);
    },
    keys: () => list().map(({ key }) => key),
    modified: (key) => list().find((one) => one.key === key)?.lastModified,
    get: (key) => ours("cat", `bench/${bucket}/${key}`).stdout,
    up: (...more) => plain(client.syncUp(dir, bucket, ...more)).status,
    down: (to, ...more) => {
      mkdirSync(to, { recursive: true });
      return plain(client.syncDown(bucket, to, ...more)).status;
    },
    end: () => {
      if (bench.locked !== undefined) execFileSync("chmod", ["755", bench.locked]);
    },
  };
  return bench;
}

function print(table) {
  if (flags.markdown) {
    for (const [index, row] of table.entries()) {
      console.log(`| ${row.join(" | ")} |`);
      if (index === 0) console.log(`|${row.map(() => "---").join("|")}|`);
    }
    return;
  }
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    console.log(
      row
        .map((text, i) => text.padEnd(widths[i]))
        .join("  ")
        .trimEnd(),
    );
}
