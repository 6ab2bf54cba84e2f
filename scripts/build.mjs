/**
 * Builds dist/, or the named folder:
 *   main.cjs      every command behind a lazy import, with what they share; started by bin/run.js,
 *                 which keeps V8's compiled code for it from run to run
 *   tui.cjs, mcp.cjs, help.mjs, signer.cjs   the two other faces, the help, and the signer for what
 *                 is rare, loaded when asked for;
 *                 picture-worker.mjs is the console's thread for pictures
 *   packages/     what few commands load of the AWS SDK
 *   store.mjs, store.cjs   the entry pail-cli/store, and its types: for other people's tests
 *   THIRD-PARTY.txt, sbom.cdx.json   what else is inside: the licences, and a list for machines
 *   pail.1        the manual page, of the manifest that is there
 *   commands/     the command classes as oclif wants them for the manifest, and shared/,
 *                 which they have in common; not published
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { manual } from "./man.mjs";
import { writeThirdParty } from "./third-party.mjs";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  jsx: "automatic",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

/** oclif uses it where somebody has plugins in TypeScript; pail has none. */
const TYPESCRIPT = ["typescript"];
/** oclif finds plugins' commands by globs, too; only the help, which has it, ever meets that. */
const UNUSED = [...TYPESCRIPT, "picomatch"];

/** Packages that only few commands load, as files of dist/packages: nothing is left to install. */
const PACKAGES = {
  "@aws-sdk/client-s3": "client-s3",
  "@aws-sdk/credential-providers": "credential-providers",
  "@smithy/core/config": "smithy-config",
  re2js: "re2js",
};

/** Every import of such a package goes to its file. */
const lazyPackages = {
  name: "lazy-packages",
  setup({ onResolve }) {
    const names = new RegExp(`^(?:${Object.keys(PACKAGES).join("|")})$`);
    onResolve({ filter: names }, ({ path, importer, kind }) => {
      if (kind !== "dynamic-import" || importer.includes("node_modules")) return undefined;
      return { path: `./packages/${PACKAGES[path]}.mjs`, external: true };
    });
  },
};

/** CommonJS packages in an ES module call require for Node's own modules. */
const REQUIRE = {
  js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
};

// For scripts/single-file.mjs, which has it compiled: plain modules, and another entry.
const isSingle = process.argv.includes("--single");

/** Parts that few commands load are bundles of their own: every start pays for all of main.cjs. */
const FACES = {
  "/tui/": isSingle ? "tui.mjs" : "tui.cjs",
  "/mcp/": "mcp.cjs",
  "/help": "help.mjs",
  "/sign/": "signer.cjs",
};
const faces = {
  name: "faces",
  setup({ onResolve }) {
    onResolve(
      { filter: /\/(?:tui\/index|mcp\/index|cli\/help|sign\/library)\.js$/ },
      ({ path, kind }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = Object.entries(FACES).find(([name]) => path.includes(name))[1];
        return { path: `./${file}`, external: true };
      },
    );
  },
};

/** Parts of oclif for rare cases (help, plugins, tables) are loaded only in such a case. */
const lazyParts = {
  name: "lazy-parts",
  setup({ onResolve, onLoad }) {
    const rare =
      /^(?:node:(?:child_process|perf_hooks|readline)|picomatch|debug|ejs|wrap-ansi|clean-stack|(?:\.\.?\/)+(?:config|help|ux)(?:\/(?:index|util|list))?)$/;
    onResolve({ filter: rare }, ({ path, importer, namespace, resolveDir }) => {
      if (namespace !== "file" || !(importer.includes("@oclif") || path === "picomatch")) return;
      const whole = path.startsWith(".") ? relative("node_modules", join(resolveDir, path)) : path;
      return { path: whole, namespace: "lazy" };
    });
    onLoad({ filter: /./, namespace: "lazy" }, ({ path }) => ({
      contents: `const real = () => require("${path.startsWith("@") ? "./node_modules/" : ""}${path}");
const get = (_, name) => name === "__esModule" || (name === "default" && !real().__esModule ? real() : real()[name]);
module.exports = new Proxy({}, { get });`,
      resolveDir: ".",
    }));
  },
};

/**
 * Work that the console's libraries do when they are loaded, and that it need not wait for.
 *
 * V8's code cache is for scripts, and only an ES module may wait at its top: Yoga does, for its
 * WebAssembly, and Ink, for React's developer tools if the variable DEV asks for them. So the console
 * waits for Yoga before it starts, and Ink is without those tools. Yoga asks `fetch` for what it has in
 * a string, which is the whole of Node's HTTP client. string-width compiles a pattern of every emoji,
 * which takes as long as Ink and React together; it is loaded for the first text beyond ASCII.
 */
const CHANGED = {
  "ink/build/reconciler.js": (text) => text.replaceAll("isDev()", "false"),
  "yoga-layout/dist/src/index.js": (text) =>
    text.replace(
      /const Yoga = (.*)\(await (.*)\);/,
      "const Yoga = {};\nexport const ready = $2.then((lib) => Object.assign(Yoga, $1(lib)));",
    ),
  "yoga-layout/dist/binaries/yoga-wasm-base64-esm.js": (text) =>
    text.replaceAll("typeof fetch", "'undefined'"),
};
const quickStart = {
  name: "quick-start",
  setup({ onResolve, onLoad, resolve: find }) {
    onLoad({ filter: /[\\/](?:ink|yoga-layout)[\\/].*\.js$/ }, ({ path }) => {
      const slashed = path.replaceAll("\\", "/");
      const change = Object.keys(CHANGED).find((file) => slashed.endsWith(`node_modules/${file}`));
      if (change === undefined) return undefined;
      const [before, loader] = [readFileSync(path, "utf8"), "js"];
      const contents = CHANGED[change](before);
      if (contents === before) throw new Error(`${change} is not what it was`);
      return { contents, loader, resolveDir: dirname(path) };
    });
    onResolve({ filter: /^string-width$/ }, async ({ path, resolveDir, kind, pluginData }) =>
      pluginData === "whole"
        ? undefined
        : { ...(await find(path, { resolveDir, kind, pluginData: "whole" })), namespace: "later" },
    );
    onLoad({ filter: /./, namespace: "later" }, ({ path }) => ({
      contents: `const plain = /^[ -~]*$/;
export default (text, ...rest) =>
  plain.test(text) ? text.length : require(${JSON.stringify(path)}).default(text, ...rest);`,
      resolveDir: dirname(path),
    }));
  },
};

const commandFiles = readdirSync("src/commands", { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .toSorted((a, b) => (a < b ? -1 : 1));

// Built aside and swapped in, so that a pail that starts meanwhile finds a whole program.
const target = process.argv[2] ?? "dist";
const out = `dist-${process.pid}`;
const old = `${out}-old`;
try {
  const inside = await Promise.all([
    buildMain(),
    buildFaces(),
    buildPackages(),
    buildCommands(),
    buildStore(),
  ]);
  refuseOutside(inside.flat());
  writeThirdParty(out, inside.flat());
  const facts = await import(pathToFileURL(resolve(out, "help.mjs")).href);
  writeFileSync(join(out, "pail.1"), manual(facts));
  if (existsSync(target)) renameSync(target, old);
  renameSync(out, target);
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
  const entry = isSingle
    ? `import { start } from "./src/single-file.js";\nvoid start({${table.join(",\n")}});`
    : `import { main } from "./src/main.js";\nmodule.exports = (argv) => main(argv, {${table.join(",\n")}});`;
  const { metafile } = await build({
    ...common,
    stdin: {
      contents: entry,
      resolveDir: ".",
      loader: "ts",
    },
    outfile: join(out, "main.cjs"),
    format: "cjs",
    // Names stay, for stack traces; keeping them by keepNames would cost at every closure.
    minifySyntax: true,
    minifyWhitespace: true,
    // For the stacks of --debug, which name lines of the source.
    sourcemap: "external",
    sourcesContent: false,
    external: UNUSED,
    plugins: [lazyPackages, faces, lazyParts],
  });
  wrap(join(out, "main.cjs"), metafile);
  return [metafile];
}

async function buildFaces() {
  const [modules, scripts, screen] = await Promise.all([
    build({
      ...common,
      entryPoints: {
        "picture-worker": "src/tui/picture/worker.ts",
        help: "src/cli/help.ts",
      },
      outdir: out,
      outExtension: { ".js": ".mjs" },
      format: "esm",
      minifySyntax: true,
      minifyWhitespace: true,
      external: TYPESCRIPT,
      plugins: [lazyPackages],
      banner: REQUIRE,
    }),
    build({
      ...common,
      entryPoints: { mcp: "src/mcp/index.ts", signer: "src/core/http/sign/library.ts" },
      outdir: out,
      outExtension: { ".js": ".cjs" },
      format: "cjs",
      minifySyntax: true,
      minifyWhitespace: true,
      plugins: [lazyPackages],
    }),
    build({
      ...common,
      stdin: {
        contents: `import { ready } from "yoga-layout";
import { runConsole as run } from "./src/tui/index.js";
export const runConsole = async (options) => { await ready; await run(options); };`,
        resolveDir: ".",
      },
      outfile: join(out, FACES["/tui/"]),
      format: isSingle ? "esm" : "cjs",
      minifySyntax: true,
      minifyWhitespace: true,
      plugins: [lazyPackages, quickStart],
      define: {
        "process.env.NODE_ENV": '"production"',
        "process.env.DEV": '"false"',
        ...(isSingle ? {} : { "import.meta.url": "__url" }),
      },
      banner: isSingle
        ? REQUIRE
        : { js: 'const __url=require("node:url").pathToFileURL(__filename).href;' },
    }),
  ]);
  for (const name of ["mcp.cjs", "signer.cjs"]) wrap(join(out, name), scripts.metafile);
  wrap(join(out, FACES["/tui/"]), screen.metafile);
  return [modules.metafile, scripts.metafile, screen.metafile];
}

async function buildPackages() {
  const { metafile } = await build({
    ...common,
    entryPoints: Object.fromEntries(
      Object.entries(PACKAGES).map(([name, file]) => [`packages/${file}`, name]),
    ),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    chunkNames: "packages/[name]-[hash]",
    splitting: true,
    format: "esm",
    mainFields: ["module", "main"],
    minifySyntax: true,
    minifyWhitespace: true,
    banner: REQUIRE,
  });
  return [metafile];
}

async function buildCommands() {
  await build({
    ...common,
    entryPoints: commandFiles.map((file) => join("src/commands", file)),
    outdir: out,
    outbase: "src",
    chunkNames: "shared/[name]-[hash]",
    splitting: true,
    format: "esm",
    packages: "external",
  });
  return [];
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
  return [];
}

/** Nothing is installed beside pail: a bundle imports only Node and pail's own files. */
function refuseOutside(metafiles) {
  const imports = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => output.imports.filter(({ external }) => external));
  const ours = (path) => path.startsWith("./") || isBuiltin(path) || UNUSED.includes(path);
  const outside = imports.find(({ path }) => !ours(path));
  if (outside !== undefined) throw new Error(`a bundle imports ${outside.path} from outside`);
}

/**
 * Makes a bundle what bin/run.js runs through vm.Script: a function of CommonJS's names, and of the
 * `__load` that stands for import(), which such code cannot use. Named are exactly the imports that
 * esbuild left in place. Pure ASCII, as it is but for some regular expressions, so that reading it
 * is copying bytes.
 */
function wrap(file, metafile) {
  if (isSingle) return;
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
