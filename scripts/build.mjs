/** Builds dist/: one module a command, shared code in chunks, dependencies left to node_modules. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const commands = readdirSync("src/commands", { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join("src/commands", name));

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: commands,
  outdir: "dist",
  outbase: "src",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  jsx: "automatic",
  legalComments: "none",
  logLevel: "warning",
});
