/**
 * Builds one executable that needs nothing beside it, with Bun's compiler:
 *   npm install --no-save bun@1.4.5 && node scripts/single-file.mjs [TARGET]
 * TARGET is Bun's name of a platform, `bun-linux-x64` unless given; the others are not tested. Writes
 * dist-single/pail, beside it an archive with its checksum, and npm/, an npm package of its own.
 * Nothing is fetched for this platform.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const target = process.argv[2] ?? "bun-linux-x64";
const out = "dist-single";
const local = resolve("node_modules", ".bin", "bun");
const bun = process.env.BUN ?? (existsSync(local) ? local : "bun");

execFileSync(process.execPath, ["scripts/build.mjs", out, "--single"], { stdio: "inherit" });
for (const unused of ["commands", "shared"]) rmSync(join(out, unused), { recursive: true });
// The folder it is called in is a stranger's: no file there may set variables, or run.
const deaf = ["dotenv", "bunfig", "tsconfig", "package-json"].map(
  (name) => `--no-compile-autoload-${name}`,
);
const options = ["--compile", ...deaf, "--bytecode", "--minify-whitespace", `--target=${target}`];
execFileSync(bun, ["build", ...options, "main.cjs", "picture-worker.mjs", "--outfile", "pail"], {
  cwd: out,
  stdio: ["ignore", "ignore", "inherit"],
});
nameRuntime(execFileSync(bun, ["--version"], { encoding: "utf8" }).trim());
const { version, license, description } = JSON.parse(readFileSync("package.json", "utf8"));
const [os, cpu] = target.replace(/^bun-/, "").split("-");
const archive = `pail-${version}-${os}-${cpu}.tar.gz`;
const fixed = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
execFileSync("tar", ["czf", archive, ...fixed, "pail", "THIRD-PARTY.txt", "sbom.cdx.json"], {
  cwd: out,
});
const sum = createHash("sha256")
  .update(readFileSync(join(out, archive)))
  .digest("hex");
writeFileSync(join(out, `${archive}.sha256`), `${sum}  ${archive}\n`);
console.log(join(out, archive), sum);

const folder = join(out, "npm");
mkdirSync(folder, { recursive: true });
for (const name of ["pail", "THIRD-PARTY.txt"]) copyFileSync(join(out, name), join(folder, name));
copyFileSync("LICENSE", join(folder, "LICENSE"));
const own = {
  name: `pail-cli-${os}-${cpu}`,
  version,
  description: `${description} As one executable, without Node.`,
  license,
  bin: { pail: "pail" },
  os: [os],
  cpu: [cpu],
  // Bun's runtime is built against the GNU C library.
  libc: ["glibc"],
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);

/** Adds the runtime that is inside to the list of licences and to the one for machines. */
function nameRuntime(runtime) {
  const own = join(out, "THIRD-PARTY.txt");
  const notice = `bun ${runtime} (MIT)

The executable contains Bun (https://bun.com), which is under the MIT licence. Bun statically links
JavaScriptCore and other parts of WebKit (LGPL-2.0; sources: https://github.com/oven-sh/WebKit),
TinyCC (LGPL-2.1) and further libraries. Their licences, and how Bun is linked anew with changed
ones, stand at https://bun.com/docs/project/license. Everything else that goes into the executable
is built from pail's own repository: node scripts/single-file.mjs
`;
  writeFileSync(own, `${readFileSync(own, "utf8")}\n${"-".repeat(72)}\n\n${notice}`);
  const list = join(out, "sbom.cdx.json");
  const bom = JSON.parse(readFileSync(list, "utf8"));
  const purl = `pkg:npm/bun@${runtime}`;
  const licenses = [{ expression: "MIT AND LGPL-2.0-only AND LGPL-2.1-only" }];
  bom.components.push({
    type: "platform",
    "bom-ref": purl,
    name: "bun",
    version: runtime,
    licenses,
    purl,
  });
  writeFileSync(list, `${JSON.stringify(bom, null, 1)}\n`);
}
