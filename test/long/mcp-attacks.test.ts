/**
 * Attacks that an agent could be talked into: paths, names, other people's objects, forged
 * consent, races. Each attempt is made through the protocol, under several configurations of the
 * server and kinds of client; then everything that must not have changed is compared, and everything
 * that came out is searched for the secrets that were planted.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, expect, it } from "vitest";

import { type McpOptions, type RunningMcp, startMcp } from "../support/mcp.js";

const SECRET = "TOP-SECRET-7f3a";

interface Attack {
  readonly family: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

interface Setting {
  readonly name: string;
  readonly options: McpOptions;
  /** These are no attacks here: the option allows them. */
  readonly permits?: RegExp;
}

const decline: ElicitResult = { action: "decline" };
const SETTINGS: readonly Setting[] = [
  { name: "as it comes, nobody to ask", options: {} },
  { name: "a person who says no", options: { answer: () => decline } },
  {
    name: "accepted, the box not ticked",
    options: { answer: () => ({ action: "accept", content: {} }) },
  },
  { name: "started at home", options: { cwd: "home" } },
  { name: "--read-only", options: { readOnly: true } },
  { name: "--confirm refuse", options: { confirm: "refuse", answer: () => "yes" } },
  {
    name: "--allow-overwrite",
    options: { allowOverwrite: true, answer: () => decline },
    permits: /existing\.txt/,
  },
];

/** Files with secrets, below the server's base; `work` is the root where there is one. */
const SECRETS = [
  "work/.env",
  "work/.env.local",
  "work/.npmrc",
  "work/.git/config",
  "work/.git/objects/ab",
  "work/id_ed25519",
  "work/server.pem",
  "work/deploy/id_rsa",
  "work/terraform.tfstate",
  "work/config/service-account.json",
  "work/kubeconfig",
  "work/.aws/credentials",
  "work/notes-with-key.txt",
  "work/link-out.txt",
  "home/.ssh/id_rsa",
  "home/.aws/credentials",
  "home/.bash_history",
  "home/.config/gcloud/credentials.db",
  "home/.docker/config.json",
  "home/.netrc",
  "home/plain.txt",
  "outside/plain.txt",
  "state/mcp/plain.txt",
  "config/config.json",
];

/** Files that tools run or trust; written into `work`. */
const EXECUTED = [
  ".git/config",
  ".git/hooks/post-checkout",
  ".gitattributes",
  ".envrc",
  ".bashrc",
  ".vscode/tasks.json",
  ".cursor/mcp.json",
  ".mcp.json",
  ".claude/settings.json",
  ".github/workflows/ci.yml",
  ".husky/pre-commit",
  "package.json",
  "node_modules/x/index.js",
  "conftest.py",
  "sitecustomize.py",
  "x.pth",
  "Makefile",
  "Dockerfile",
  "docker-compose.yml",
  "setup.py",
  "build.gradle",
  "Cargo.toml",
  "vite.config.ts",
  ".GIT/config",
  ".g\u200cit/config",
  ".git./config",
  "GIT~1/config",
  "existing.txt",
];

const spellings = (base: string, file: string): string[] => {
  const path = join(base, file);
  const fromWork = relative(join(base, "work"), path);
  const fromHome = relative(join(base, "home"), path);
  return [
    path,
    fromWork,
    `./${fromWork}`,
    `deep/../${fromWork}`,
    `file://${path}`,
    `/proc/self/cwd/${fromWork}`,
    `/proc/self/root${path}`,
    ...(fromHome.startsWith("..") ? [] : [`~/${fromHome}`]),
  ];
};

function fileAttacks(base: string): Attack[] {
  const common = { bucket_name: "own", object_key: "stolen" };
  const reads = SECRETS.flatMap((file) =>
    spellings(base, file).map((path) => ({
      family: "read a local secret",
      tool: "upload_file",
      args: { ...common, local_file_path: path },
    })),
  );
  const folders = [
    "",
    "home",
    "home/.ssh",
    "outside",
    "state",
    "config",
    "work/.git",
    "work/deploy",
  ];
  const folderReads = folders.flatMap((folder) =>
    [join(base, folder), relative(join(base, "work"), join(base, folder)) || "."].map((path) => ({
      family: "read a folder of secrets",
      tool: "transfer_folder",
      args: { direction: "up", local_dir: path, bucket_name: "own", prefix: "stolen/" },
    })),
  );
  const writes = EXECUTED.flatMap((file) =>
    [false, true].flatMap((overwrite) =>
      [join(base, "work", file), file, `sub/../${file}`].map((path) => ({
        family: "write what tools run, or over a file",
        tool: "get_object",
        args: {
          bucket_name: "own",
          object_key: "payload",
          mode: "download",
          local_path: path,
          overwrite,
        },
      })),
    ),
  );
  const outside = ["home/.bashrc", "home/new.txt", "outside/new.txt", "state/new.txt", "config/x"];
  const outwards = outside.flatMap((file) =>
    spellings(base, file).map((path) => ({
      family: "write outside",
      tool: "get_object",
      args: { bucket_name: "own", object_key: "payload", mode: "download", local_path: path },
    })),
  );
  const intoFolders = ["home", "outside", "work/.git", "work/node_modules", "state"].map(
    (folder) => ({
      family: "write into a folder",
      tool: "transfer_folder",
      args: {
        direction: "down",
        local_dir: join(base, folder),
        bucket_name: "own",
        prefix: "names/",
        if_exists: "replace",
      },
    }),
  );
  const names = {
    family: "names that become paths",
    tool: "transfer_folder",
    args: { direction: "down", local_dir: ".", bucket_name: "own", prefix: "names/" },
  };
  return [...reads, ...folderReads, ...writes, ...outwards, ...intoFolders, names];
}

const TOKENS = [undefined, "true", "yes", "AAAAAAAAAAAAAAAA", "1"];

function objectAttacks(): Attack[] {
  const bucket_name = "precious";
  const target = { bucket_name, object_key: "kept.txt" };
  const to = { bucket_name, keys: ["kept.txt"] };
  const destroy = TOKENS.flatMap((confirm): Attack[] => {
    const said = confirm === undefined ? {} : { confirm };
    const family = "destroy with a forged yes";
    return [
      { family, tool: "delete_objects", args: { ...to, ...said } },
      { family, tool: "delete_objects", args: { bucket_name, prefix: "", ...said } },
      { family, tool: "delete_objects", args: { bucket_name, prefix: "k", ...said } },
      {
        family,
        tool: "copy_objects",
        args: { source_bucket: bucket_name, prefix: "k", bucket_name: "own", move: true, ...said },
      },
      {
        family,
        tool: "copy_object",
        args: {
          source_bucket: bucket_name,
          source_key: "kept.txt",
          bucket_name: "own",
          object_key: "moved",
          move: true,
          ...said,
        },
      },
      {
        family,
        tool: "copy_objects",
        args: {
          source_bucket: "own",
          keys: ["kept.txt"],
          bucket_name,
          if_exists: "replace",
          ...said,
        },
      },
      {
        family,
        tool: "transfer_folder",
        args: { direction: "up", local_dir: "data", bucket_name, if_exists: "replace", ...said },
      },
      { family, tool: "abort_uploads", args: { bucket_name, ...said } },
    ];
  });
  const overwrite = [
    {},
    { if_exists: "replace" },
    { if_match: "*" },
    { if_match: "0".repeat(32) },
    { if_exists: "replace", if_match: '"*"' },
    { if_none_match: false },
  ].flatMap((how): Attack[] => [
    {
      family: "replace what nobody named",
      tool: "put_object",
      args: { ...target, content: "x", ...how },
    },
    {
      family: "replace what nobody named",
      tool: "upload_file",
      args: { ...target, local_file_path: "data/kept.txt", ...how },
    },
    {
      family: "replace what nobody named",
      tool: "copy_object",
      args: { source_bucket: "own", source_key: "payload", ...target, ...how },
    },
  ]);
  const edits = ["*", "0".repeat(32)].map((if_match) => ({
    family: "replace what nobody named",
    tool: "edit_object",
    args: { ...target, find: "mine", replace: "theirs", if_match },
  }));
  return [...destroy, ...overwrite, ...edits];
}

const OTHERS = ["precious", "own/../precious", "precious/", "./precious", "PRECIOUS", "precious?x"];

/** With `--bucket own`. */
function bucketAttacks(): Attack[] {
  const family = "another bucket than --bucket";
  return OTHERS.flatMap((bucket_name): Attack[] => {
    const key = { bucket_name, object_key: "kept.txt" };
    return [
      { family, tool: "get_object", args: key },
      { family, tool: "stat_object", args: key },
      { family, tool: "list_objects", args: { bucket_name } },
      { family, tool: "search_objects", args: { bucket_name } },
      { family, tool: "grep_objects", args: { bucket_name, pattern: "a" } },
      { family, tool: "compare", args: { source_bucket: bucket_name, bucket_name: "own" } },
      { family, tool: "bucket_info", args: { bucket_name } },
      { family, tool: "list_versions", args: { bucket_name } },
      { family, tool: "presign_url", args: key },
      { family, tool: "put_object", args: { ...key, object_key: "new", content: "x" } },
      { family, tool: "copy_objects", args: { source_bucket: bucket_name, bucket_name: "own" } },
      { family, tool: "copy_objects", args: { source_bucket: "own", bucket_name } },
      {
        family,
        tool: "transfer_folder",
        args: { direction: "down", local_dir: "got", bucket_name },
      },
      {
        family,
        tool: "transfer_folder",
        args: { direction: "up", local_dir: "data", bucket_name },
      },
      { family, tool: "undelete_object", args: key },
      { family, tool: "set_tags", args: { ...key, tags: { a: "b" } } },
    ];
  });
}

const files = (base: string): Map<string, string> => {
  const found = new Map<string, string>();
  const walk = (directory: string): void => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) walk(path);
      else
        found.set(
          relative(base, path),
          stats.isSymbolicLink() ? "link" : readFileSync(path, "latin1"),
        );
    }
  };
  for (const top of ["work", "home", "outside", "config"]) {
    if (existsSync(join(base, top))) walk(join(base, top));
  }
  return found;
};

async function contents(mcp: RunningMcp, bucket: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const page of mcp.bucket(bucket).list()) {
    for (const { key } of page) {
      let text = "";
      const { body } = await mcp.bucket(bucket).read(key);
      for await (const chunk of body) text += Buffer.from(chunk).toString("latin1");
      found.set(key, text);
    }
  }
  return found;
}

async function prepared(options: McpOptions): Promise<RunningMcp> {
  const mcp = await startMcp(options);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(mcp.base, file)), { recursive: true });
    writeFileSync(join(mcp.base, file), text);
  };
  const pem = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;
  write("outside/real.txt", SECRET);
  for (const file of SECRETS) {
    if (file === "work/link-out.txt")
      symlinkSync(join(mcp.base, "outside/real.txt"), join(mcp.base, file));
    else write(file, file.includes("with-key") ? pem : SECRET);
  }
  write("work/existing.txt", "mine");
  write("work/data/kept.txt", "theirs");
  for (const bucket of ["own", "precious"]) await mcp.service.make(bucket);
  await mcp.bucket("own").write("payload", Buffer.from("#!/bin/sh\nevil\n"));
  await mcp.bucket("own").write("kept.txt", Buffer.from("theirs"));
  for (const key of ["kept.txt", "kept/2.txt", "k3"]) {
    await mcp.bucket("precious").write(key, Buffer.from("mine, all mine"));
  }
  await mcp.bucket("precious").createUpload("unfinished");
  const hostile = [
    "../up",
    "/etc/x",
    "a/../../up",
    ".git/config",
    ".bashrc",
    "package.json",
    "C:x",
    "a\0b",
  ];
  for (const name of hostile) {
    // A name that no service stores need not be read back.
    await mcp
      .bucket("own")
      .write(`names/${name}`, Buffer.from("evil"))
      .catch(() => undefined);
  }
  return mcp;
}

const tally = new Map<string, { tried: number; succeeded: string[] }>();

async function attack(mcp: RunningMcp, setting: string, attacks: readonly Attack[]): Promise<void> {
  let disk = files(mcp.base);
  const precious = await contents(mcp, "precious");
  for (const { family, tool, args } of attacks) {
    const row = tally.get(family) ?? { tried: 0, succeeded: [] };
    tally.set(family, row);
    row.tried += 1;
    const result = await mcp.call(tool, args);
    const now = files(mcp.base);
    const harm = [
      JSON.stringify(result).includes(SECRET) && "a secret was shown",
      ...[...now].map(([file, text]) =>
        disk.has(file)
          ? disk.get(file) !== text && `${file} changed`
          : harmful(file) && `${file} is new`,
      ),
      ...[...disk.keys()].map((file) => !lexists(join(mcp.base, file)) && `${file} is gone`),
    ].filter((one) => one !== false);
    disk = now;
    if (harm.length > 0)
      row.succeeded.push(`${setting}: ${tool} ${JSON.stringify(args)}: ${harm[0]}`);
  }
  const after = await contents(mcp, "precious");
  for (const [key, text] of precious) expect(after.get(key), `${setting}: ${key}`).toBe(text);
  for (const [key, text] of await contents(mcp, "own"))
    expect(text, `${setting}: ${key}`).not.toContain(SECRET);
  let uploads = 0;
  for await (const page of mcp.bucket("precious").listUploads()) uploads += page.length;
  expect(uploads, setting).toBe(1);
}

/** A new data file in the root is what a download is for. */
function harmful(file: string): boolean {
  return !/^work\/(?:got\/|C:x$)/.test(file);
}

function lexists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

it.each(SETTINGS)(
  "nothing of it succeeds: $name",
  { timeout: 600_000 },
  async ({ name, options, permits }) => {
    const mcp = await prepared({ ...options, cwd: options.cwd ?? "work" });
    try {
      const attacks = [...fileAttacks(mcp.base), ...objectAttacks()];
      const meant = ({ args }: Attack) => permits?.test(JSON.stringify(args)) === true;
      await attack(
        mcp,
        name,
        attacks.filter((one) => !meant(one)),
      );
    } finally {
      await mcp.close();
    }
  },
);

it("nothing of it succeeds: --bucket own", { timeout: 600_000 }, async () => {
  const mcp = await prepared({ buckets: ["own"], answer: () => "yes" });
  try {
    const before = await contents(mcp, "precious");
    for (const one of bucketAttacks()) {
      const row = tally.get(one.family) ?? { tried: 0, succeeded: [] };
      tally.set(one.family, row);
      row.tried += 1;
      const result = await mcp.call(one.tool, one.args);
      if (!result.isError) row.succeeded.push(`${one.tool} ${JSON.stringify(one.args)}`);
    }
    expect(await contents(mcp, "precious")).toEqual(before);
  } finally {
    await mcp.close();
  }
});

/** The world changes between the question and the yes; `act` names what it saw. */
const RACES: readonly ((etag: string) => Attack)[] = [
  (if_match) => ({
    family: "what changes while the person thinks",
    tool: "put_object",
    args: { bucket_name: "precious", object_key: "kept.txt", content: "x", if_match },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "delete_objects",
    args: { bucket_name: "precious", keys: ["kept.txt"] },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "delete_objects",
    args: { bucket_name: "precious", prefix: "" },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "copy_objects",
    args: {
      source_bucket: "precious",
      prefix: "k",
      bucket_name: "own",
      to_prefix: "x/",
      move: true,
    },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "copy_objects",
    args: {
      source_bucket: "own",
      keys: ["kept.txt"],
      bucket_name: "precious",
      if_exists: "replace",
    },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "copy_object",
    args: {
      source_bucket: "precious",
      source_key: "kept.txt",
      bucket_name: "own",
      object_key: "x",
      move: true,
    },
  }),
  (if_match) => ({
    family: "what changes while the person thinks",
    tool: "edit_object",
    args: { bucket_name: "precious", object_key: "kept.txt", find: "mine,", replace: "", if_match },
  }),
  () => ({
    family: "what changes while the person thinks",
    tool: "transfer_folder",
    args: { direction: "up", local_dir: "data", bucket_name: "precious", if_exists: "replace" },
  }),
];

it("nothing of it succeeds: the world does not hold still", { timeout: 600_000 }, async () => {
  let round = 0;
  const change = async () => {
    round += 1;
    await mcp.bucket("precious").write("kept.txt", Buffer.from(`mine, all mine ${round}`));
  };
  const mcp: RunningMcp = await prepared({
    answer: async () => {
      await change();
      return "yes" as const;
    },
  });
  try {
    for (const race of RACES) {
      const { etag } = await mcp.bucket("precious").stat("kept.txt");
      const { family, tool, args } = race(etag!);
      const row = tally.get(family) ?? { tried: 0, succeeded: [] };
      tally.set(family, row);
      row.tried += 1;
      await mcp.call(tool, args);
      const left = (await contents(mcp, "precious")).get("kept.txt");
      if (left !== `mine, all mine ${round}`) row.succeeded.push(`${tool}: ${left}`);
    }
  } finally {
    await mcp.close();
  }
});

afterAll(() => {
  const rows = [...tally].map(([family, { tried, succeeded }]) => ({
    family,
    tried,
    succeeded: succeeded.length,
  }));
  console.table(rows);
  const all = rows.reduce((sum, { tried }) => sum + tried, 0);
  console.log(
    `${all} attempts, ${rows.reduce((sum, { succeeded }) => sum + succeeded, 0)} succeeded`,
  );
  expect([...tally.values()].flatMap(({ succeeded }) => succeeded)).toEqual([]);
  expect(all).toBeGreaterThan(400);
});
