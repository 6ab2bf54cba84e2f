/**
 * Builds dist/:
 *   main.cjs      every command behind a lazy import, with what they share; started by bin/run.js,
 *                 which keeps V8's compiled code for it from run to run
 *   tui.mjs, mcp.cjs   the two other faces, loaded only by their commands;
 *                 picture-worker.mjs is the console's thread for pictures
 *   store.mjs, store.cjs   the entry pail-cli/store, and its types: for other people's tests
 *   commands/     the command classes as oclif wants them, for help and for the manifest
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  jsx: "automatic",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

// Loaded by few commands, from node_modules: bundling would only make the file larger.
const EXTERNAL = ["@aws-sdk/*", "@smithy/core/config", "re2js", "typescript"];

/** The other faces are bundles of their own, and the whole of oclif is wanted only for help. */
const faces = {
  name: "faces",
  setup({ onResolve }) {
    onResolve({ filter: /^@oclif\/core$/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /\/(tui|mcp)\/index\.js$/ }, ({ path, kind }) => {
      if (kind !== "dynamic-import") return undefined;
      return { path: path.includes("/tui/") ? "./tui.mjs" : "./mcp.cjs", external: true };
    });
  },
};

/** What oclif requires for cases that hardly any command meets is loaded when it is met. */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(?:child_process|perf_hooks|readline)$/ }, ({ path, importer }) =>
      importer.includes("@oclif") ? { path, namespace: "lazy" } : undefined,
    );
    onLoad({ filter: /./, namespace: "lazy" }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require("${path}")[name] })`,
    }));
  },
};

/** Ink imports React's developer tools, which pail does not have, behind a condition. */
const noDevtools = {
  name: "no-devtools",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: "empty" }));
    onLoad({ filter: /./, namespace: "empty" }, () => ({ contents: "export default {}" }));
  },
};

const commandFiles = readdirSync("src/commands", { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .toSorted((a, b) => (a < b ? -1 : 1));

// Built aside and swapped in, so that a pail that starts meanwhile finds a whole program.
const out = `dist-${process.pid}`;
const old = `${out}-old`;
try {
  await Promise.all([buildMain(), buildFaces(), buildCommands(), buildStore()]);
  if (existsSync("dist")) renameSync("dist", old);
  renameSync(out, "dist");
} finally {
  for (const directory of [out, old]) rmSync(directory, { recursive: true, force: true });
}

async function buildMain() {
  const table = commandFiles.map((file) => {
    const id = file
      .replace(/\.ts$/, "")
      .split(/[\\/]/)
      .filter((word) => word !== "index")
      .join(":");
    return `${JSON.stringify(id)}: () => import("./src/commands/${file.replaceAll("\\", "/").replace(/\.ts$/, ".js")}")`;
  });
  const { metafile } = await build({
    ...common,
    stdin: {
      contents: `import { main } from "./src/main.js";\nmodule.exports = (argv) => main(argv, {${table.join(",\n")}});`,
      resolveDir: ".",
      loader: "ts",
    },
    outfile: join(out, "main.cjs"),
    format: "cjs",
    // Names stay, for stack traces; keeping them by keepNames would cost at every closure.
    minifySyntax: true,
    minifyWhitespace: true,
    external: EXTERNAL,
    plugins: [faces, lazyBuiltins],
  });
  wrap(join(out, "main.cjs"), metafile);
}

async function buildFaces() {
  const [, { metafile }] = await Promise.all([
    build({
      ...common,
      entryPoints: { tui: "src/tui/index.ts", "picture-worker": "src/tui/picture/worker.ts" },
      outdir: out,
      outExtension: { ".js": ".mjs" },
      format: "esm",
      minifySyntax: true,
      minifyWhitespace: true,
      external: EXTERNAL,
      plugins: [noDevtools],
      define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
      // CommonJS dependencies of Ink call require for Node's own modules.
      banner: {
        js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
      },
    }),
    build({
      ...common,
      entryPoints: { mcp: "src/mcp/index.ts" },
      outdir: out,
      outExtension: { ".js": ".cjs" },
      format: "cjs",
      minifySyntax: true,
      minifyWhitespace: true,
      external: EXTERNAL,
    }),
  ]);
  wrap(join(out, "mcp.cjs"), metafile);
}

async function buildCommands() {
  await build({
    ...common,
    entryPoints: commandFiles.map((file) => join("src/commands", file)),
    outdir: out,
    outbase: "src",
    splitting: true,
    format: "esm",
    packages: "external",
  });
}

/** Readable and whole, because it runs in other people's programs. */
async function buildStore() {
  const types = readFileSync("src/store/start-types.ts", "utf8");
  const entry = `${types}
/** Starts a store. Rejects when the port cannot be had, or a name cannot be a bucket's. */
export declare function startStore(options?: StartOptions): Promise<StartedStore>;
`;
  for (const [format, letter] of [
    ["esm", "m"],
    ["cjs", "c"],
  ]) {
    await build({
      ...common,
      entryPoints: { store: "src/store/start.ts" },
      outdir: out,
      outExtension: { ".js": `.${letter}js` },
      format,
    });
    writeFileSync(join(out, `store.d.${letter}ts`), entry);
  }
}

/**
 * Makes a bundle what bin/run.js runs through vm.Script: a function of CommonJS's names, and of the
 * `__load` that stands for import(), which such code cannot use. Named are exactly the imports that
 * esbuild left in place. Pure ASCII, as it is but for some regular expressions, so that reading it
 * is copying bytes.
 */
function wrap(file, metafile) {
  let text = readFileSync(file, "utf8");
  for (const { path, kind } of metafile.outputs[file.replaceAll("\\", "/")].imports) {
    if (kind === "dynamic-import") text = text.replaceAll(`import("${path}")`, `__load("${path}")`);
  }
  const ascii = text.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const code = `(function (exports, require, module, __filename, __dirname, __load) {${ascii}\n})`;
  // V8 checks a cached compilation by the source's length alone; bin/run.js goes by this hash.
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  writeFileSync(file, `//${hash}\n${code}`);
}
