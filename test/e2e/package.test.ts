/** What `npm pack` packs is a working `pail`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect, test } from "vitest";

import { createHome } from "../support/run.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "pail-package-"));
const home = createHome();
afterAll(() => {
  home.remove();
  rmSync(scratch, { recursive: true, force: true });
});

test("the packed tarball, unpacked as an installed package, does the main job", () => {
  const npm = (args: string[]) =>
    // --ignore-scripts: dist is built already, and building it anew would disturb other tests.
    execFileSync("npm", [...args, "--ignore-scripts", "--offline"], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  const [{ filename, files }] = JSON.parse(
    npm(["pack", "--json", "--pack-destination", scratch]),
  ) as [{ filename: string; files: { path: string; mode: number }[] }];

  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(["bin/run.js", "bin/package.json", "dist/main.cjs"]),
  );
  expect(paths).toEqual(expect.arrayContaining(["oclif.manifest.json", "README.md", "LICENSE"]));
  expect(paths.filter((path) => /^(?:src|test|bench|scripts)\//.test(path))).toEqual([]);

  // As `npm install -g` lays it out, with the dependencies that are here already.
  const modules = join(scratch, "lib", "node_modules");
  const installed = join(modules, "pail-cli");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", join(scratch, filename), "--strip-components=1", "-C", installed]);
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(scratch, "bin"));
  symlinkSync(join(installed, "bin", "run.js"), join(scratch, "bin", "pail"));

  const bin = join(scratch, "bin", "pail");
  const pail = (...args: string[]) =>
    execFileSync(bin, args, { cwd: home.directory, env: home.env, stdio: "pipe" }).toString();
  expect(pail("--version")).toMatch(/^pail\/\d/);
  expect(pail("--help")).toMatch(/COMMANDS/);
  writeFileSync(join(home.directory, "1.txt"), "packed");
  pail("mb", "--with-versioning", "local/demo");
  pail("cp", "1.txt", "local/demo");
  expect(pail("cat", "local/demo/1.txt")).toBe("packed");

  // The other entry, from a project of somebody else's: as a module, by require, and its types.
  const project = join(scratch, "lib");
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
