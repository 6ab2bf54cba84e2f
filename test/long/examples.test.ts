/** Every example in the help, and every command in the pages, runs as it is written. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, expect, test } from "vitest";

import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

/**
 * Need a terminal (`tui`), take a port that may be taken (`serve`), or ask the world (`alias set`):
 * these have tests of their own. Those of `lock` and `restore` need a service that has such things,
 * and run in test/interop/encryption.test.ts; `report merge` needs the reports of a whole job, as
 * test/e2e/shards.test.ts makes them.
 */
const LEFT_OUT = /^(?:tui|serve|alias:set|lock|restore|report:merge)$/;
/** The same among the commands of the pages. */
const NOT_HERE = /^(?:npm|node|tar xz)|pail(?: +#| tui| serve| alias set|$)|--http /;

/** The exit codes of the examples that do not end with 0 among the files made here. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  "pail mb local/photos": 5,
  "pail rb local/photos": 5,
  "pail find local --larger 100MiB --older-than 30d": 3,
  "pail find local/demo --deleted --json": 3,
  "pail find work/photos --larger 10MiB --older-than 30d": 3,
  "pail alias remove play": 2,
  "pail diff photos local/backup/photos": 5,
  // Nothing has made such a change, or such a key.
  "pail mcp undo tovih15a4f-3": 3,
  "pail serve key remove AKIAEXAMPLE": 3,
};

/** The commands that make what a group's examples begin with. */
const BEFORE: Readonly<Record<string, string>> = {
  split: `printf '"photos","cat.jpg"\\n' | gzip > inventory.csv.gz && pail mb play/ops`,
  undo: "pail version enable local/photos && pail sync -q --report sync.report photos local/old",
};

interface Manifest {
  readonly commands: Readonly<
    Record<string, { readonly examples?: readonly { command: string }[] }>
  >;
}
const manifest = JSON.parse(
  readFileSync(new URL("../../oclif.manifest.json", import.meta.url), "utf8"),
) as Manifest;
const groups = Object.entries(manifest.commands)
  .filter(([id]) => !LEFT_OUT.test(id))
  .map(([id, { examples = [] }]) => ({
    id,
    examples: examples.map(({ command }) =>
      command
        .replaceAll("<%= config.bin %>", "pail")
        .replaceAll("<%= command.id %>", id.replaceAll(":", " "))
        .replace(/^\$ /, ""),
    ),
  }));

const hasJq = spawnSync("jq", ["--version"]).status === 0;
const PAGES = ["README.md", "docs/mcp.md", "docs/configuration.md"];
const pages = PAGES.map((id) => {
  const text = readFileSync(new URL(`../../${id}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block]) => block!);
  const lines = blocks.flatMap((block) => block.match(/^\$ .*$/gm) ?? []);
  const examples = lines
    .map((line) => line.slice(2))
    .filter((line) => {
      return !NOT_HERE.test(line) && (hasJq || !line.includes("| jq "));
    });
  return { id, examples };
});

const FILES: Readonly<Record<string, string | Buffer>> = {
  "demo/1.txt": "one\n",
  "demo/2.txt": "two\n",
  "demo/old.txt": "old",
  "demo/2024/a.txt": "a",
  "demo/odd.tmp": "x",
  "archive/x": "x",
  "inbox/report.pdf": "pdf",
  "demo/photos/a.jpg": "a",
  "photos/cat.jpg": "cat",
  "photos/note.txt": "note",
  "photos/2025/dog.jpg": "dog",
  "notes/todo.txt": "do",
  "logs/1.gz": gzipSync("1\n"),
  "logs/2.gz": gzipSync("2\n"),
  "logs/big.log": "x".repeat(1000),
  "backup/old": "old",
  "backup/photos/cat.jpg": "cat",
  "backups/x": "x",
  "site/index.html": "<html>",
  "old/x": "x",
  "2025/beach.jpg": "beach",
  "src/main.c": "main",
  "reports/2025/old.pdf": "old",
  "photos/beach.jpg": "beach",
};

let template: Home;
let play: RunningStore;
let other: RunningStore;
let aliases: NodeJS.ProcessEnv;
beforeAll(async () => {
  template = createHome();
  const at = (name: string) => join(template.directory, "tree", name);
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
  for (const name of ["1.txt", "2.txt"]) cpSync(at(join("demo", name)), at(name));
  cpSync(at("photos/cat.jpg"), at("cat.jpg"));
  writeFileSync(at("report.pdf"), "pdf");
  writeFileSync(at("rclone.conf"), "[drive]\ntype = drive\n");
  writeFileSync(at("commands.txt"), "ls local/demo\n# and\nstat local/demo/1.txt\n");
  const Statement = [
    {
      Effect: "Allow",
      Principal: "*",
      Action: "s3:GetObject",
      Resource: "arn:aws:s3:::demo/*",
    },
  ];
  writeFileSync(at("policy.json"), JSON.stringify({ Version: "2012-10-17", Statement }));
  const rule = { AllowedOrigins: ["*"], AllowedMethods: ["GET"] };
  writeFileSync(at("cors.json"), JSON.stringify({ CORSRules: [rule] }));
  writeFileSync(at("keys.txt"), "local/demo/2.txt\nlocal/demo/none\n");
  [play, other] = await Promise.all([startStore(), startStore()]);
  aliases = {
    ...hostVariable("play", play),
    ...hostVariable("work", play),
    ...hostVariable("minio", play),
    ...hostVariable("other", other),
    SECRET: "an-example-of-a-secret-key",
  };
  const env = aliases;
  const buckets = [...new Set(Object.keys(FILES).map((name) => name.split("/")[0]!))];
  const here = (name: string) => ["local", "play", "other"].map((alias) => `${alias}/${name}`);
  const made = await template.pail(["mb", ...buckets.flatMap(here)], { env });
  expect(made).toMatchObject({ code: 0 });
  for (const [alias, filled] of [
    ["local", buckets],
    ["play", buckets],
    ["other", ["site"]],
  ] as const) {
    for (const bucket of filled) {
      const copied = await template.pail(["cp", "-rq", `./tree/${bucket}/`, `${alias}/${bucket}`], {
        env,
      });
      expect(copied).toMatchObject({ code: 0 });
    }
  }
  for (const [command, ...args] of [
    ["tag", "set", "local/demo/1.txt", "stage=raw"],
    ["cp", "./tree/demo/1.txt", "local/demo/all.tar"],
  ]) {
    expect(await template.pail([command!, ...args])).toMatchObject({ code: 0 });
  }
  const bin = join(template.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pail"), `#!/bin/sh\nexec "${RUNTIME}" "${BIN}" "$@"\n`);
  chmodSync(join(bin, "pail"), 0o755);
});
afterAll(async () => {
  template.remove();
  await Promise.all([play.close(), other.close()]);
});

interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

function run(example: string, options: RunOptions): Promise<{ code: number; stderr: string }> {
  const running = promisify(execFile)("bash", ["-c", example], options);
  running.child.stdin?.end();
  return running.then(
    ({ stderr }) => ({ code: 0, stderr }),
    (failed: { code: number; stderr: string }) => failed,
  );
}

/** Runs a command that never ends by itself, and ends it with a signal once it waits. */
async function watched(example: string, options: RunOptions) {
  const child = spawn("bash", ["-c", `exec ${example}`], options);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    if (stderr.includes("waiting for changes")) child.kill("SIGINT");
  });
  child.stdout.resume();
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

test.each([...groups, ...pages.filter(({ examples }) => examples.length > 0)])(
  "$id",
  async ({ id, examples }) => {
    expect(examples.length).toBeGreaterThan(0);
    const home = createHome();
    try {
      cpSync(join(template.directory, "store"), join(home.directory, "store"), { recursive: true });
      cpSync(join(template.directory, "tree"), join(home.directory, "tree"), { recursive: true });
      mkdirSync(join(home.directory, ".mc"));
      mkdirSync(join(home.directory, "Pictures"));
      writeFileSync(join(home.directory, ".mc", "config.json"), '{"aliases":{}}');
      const before = BEFORE[id];
      for (const example of before === undefined ? examples : [before, ...examples]) {
        const env = {
          ...home.env,
          ...aliases,
          PATH: `${join(template.directory, "bin")}:${process.env["PATH"]}`,
        };
        const options = { cwd: join(home.directory, "tree"), env };
        const { code, stderr } = await (example.includes("--watch") ? watched : run)(
          example,
          options,
        );
        expect(code, `${example}\n${stderr}`).toBe(EXIT_CODES[example] ?? 0);
        if (code === 0) expect(stderr).not.toMatch(/^pail: /m);
      }
    } finally {
      home.remove();
    }
  },
);
