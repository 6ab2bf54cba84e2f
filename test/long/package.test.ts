/** The package that `npm pack` makes is a working `pail`. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, expect, test } from "vitest";

import { quit } from "../support/console-home.js";
import { createHome } from "../support/run.js";
import { openTerminal } from "../support/terminal.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "pail-package-"));
const home = createHome();
afterAll(() => {
  home.remove();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});

const npm = (args: string[]) =>
  // --ignore-scripts: dist is built already, and building it anew would disturb other tests.
  execFileSync("npm", [...args, "--ignore-scripts", "--offline"], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();

/** Every file below a directory with its hash. */
function hashes(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  const named = files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file): [string, string] => [
      relative(directory, file),
      createHash("sha256").update(readFileSync(file)).digest("hex"),
    ]);
  return new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test("two builds of the same sources are the same, byte for byte", () => {
  const builds = ["dist-once", "dist-twice"];
  try {
    const [once, twice] = builds.map((directory) => {
      execFileSync(process.execPath, ["scripts/build.mjs", directory], { cwd: root });
      return hashes(join(root, directory));
    });
    expect(twice).toEqual(once);
  } finally {
    for (const name of builds)
      rmSync(join(root, name), { recursive: true, force: true, maxRetries: 5 });
  }
});

test("the packed tarball, installed where nothing else is, runs every face", async () => {
  const [{ filename, files, unpackedSize }] = JSON.parse(
    npm(["pack", "--json", "--pack-destination", scratch]),
  ) as [{ filename: string; files: { path: string }[]; unpackedSize: number }];

  const paths = files.map(({ path }) => path);
  const wanted = ["bin/run.js", "bin/package.json", "dist/main.cjs", "dist/THIRD-PARTY.txt"];
  expect(paths).toEqual(expect.arrayContaining(wanted));
  expect(paths).toEqual(expect.arrayContaining(["oclif.manifest.json", "README.md", "LICENSE"]));
  expect(paths.filter((path) => /^(?:src|test|bench|scripts|dist\/commands)\//.test(path))).toEqual(
    [],
  );
  expect(unpackedSize).toBeLessThan(25 * 1024 * 1024);

  npm(["install", "--global", "--prefix", scratch, join(scratch, filename)]);
  const modules = join(scratch, "lib", "node_modules");
  const packages = readdirSync(modules, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(name),
  );
  expect(packages).toEqual(["pail-cli/package.json"]);

  const bin = join(scratch, "bin", "pail");
  const pail = (...args: string[]) =>
    execFileSync(bin, args, { cwd: home.directory, env: home.env, stdio: "pipe" }).toString();
  expect(pail("--version")).toMatch(/^pail\/\d/);
  expect(pail("--help")).toMatch(/COMMANDS/);
  expect(pail("cp", "--help")).toMatch(/USAGE/);
  writeFileSync(join(home.directory, "1.txt"), "packed");
  pail("mb", "--with-versioning", "local/demo");
  pail("cp", "1.txt", "local/demo");
  expect(pail("cat", "local/demo/1.txt")).toBe("packed");

  const terminal = openTerminal({ home, program: bin, args: ["tui", "local"] });
  await terminal.see("demo");
  await quit(terminal);

  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: bin,
    args: ["mcp", "serve"],
    cwd: home.directory,
    env: home.env as Record<string, string>,
    stderr: "ignore",
  });
  await client.connect(transport);
  const buckets = await client.callTool({ name: "list_buckets", arguments: {} });
  expect(JSON.stringify(buckets.content)).toContain("demo");
  await client.close();

  // The other entry, used by another project: as a module, by require, and with its types.
  const project = join(scratch, "lib");
  symlinkSync(join(root, "node_modules", "@types"), join(modules, "@types"));
  const use =
    "const s = await startStore({ buckets: ['bucket'] }); const a = await fetch(s.endpoint + '/_health'); await s.reset(); await s.stop(); console.log(a.status);";
  const node = (name: string, text: string, command = process.execPath, args: string[] = []) => {
    writeFileSync(join(project, name), text);
    return execFileSync(command, [...args, name], { cwd: project, stdio: "pipe" }).toString();
  };
  expect(node("use.mjs", `import { startStore } from "pail-cli/store"; ${use}`)).toBe("200\n");
  const required = `const { startStore } = require("pail-cli/store"); (async () => { ${use} })();`;
  expect(node("use.cjs", required)).toBe("200\n");
  const typed = `import { startStore, type StartedStore } from "pail-cli/store";
export const store: StartedStore = await startStore({ memory: true, port: false });
const url: string = store.endpoint;
// @ts-expect-error: there is no such option
await startStore({ nonsense: url });
`;
  const tsc = [
    "--strict",
    "--noEmit",
    "--types",
    "node",
    "--module",
    "nodenext",
    "--target",
    "es2022",
  ];
  node("use.mts", typed, join(root, "node_modules", ".bin", "tsc"), tsc);
}, 240_000);
