// Makes pail-VERSION.mcpb, the bundle that desktop clients install with a click: what the build made,
// and a manifest that asks for a folder and for the keys, which the client keeps in the keychain.
// Run `npm run build` first.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MCPB = "@anthropic-ai/mcpb@2.1.2";

const { name, version, description, license } = JSON.parse(readFileSync("package.json", "utf8"));

const key = (title, text, more) => ({
  type: "string",
  title,
  description: text,
  required: true,
  ...more,
});

const manifest = {
  manifest_version: "0.3",
  name,
  display_name: "pail object storage",
  version,
  description,
  author: { name: "pail contributors" },
  license,
  server: {
    type: "node",
    entry_point: "bin/run.js",
    mcp_config: {
      command: "node",
      args: ["${__dirname}/bin/run.js", "mcp", "serve", "--allow-dir", "${user_config.folder}"],
      env: {
        AWS_ENDPOINT_URL: "${user_config.endpoint}",
        AWS_REGION: "${user_config.region}",
        AWS_ACCESS_KEY_ID: "${user_config.access_key}",
        AWS_SECRET_ACCESS_KEY: "${user_config.secret_key}",
      },
    },
  },
  user_config: {
    endpoint: key("Endpoint", "Address of an S3-compatible service", {
      default: "https://s3.us-east-1.amazonaws.com",
    }),
    region: key("Region", "Region of the service", { default: "us-east-1" }),
    access_key: key("Access key", "The access key's id"),
    secret_key: key("Secret key", "Kept in the keychain", { sensitive: true }),
    folder: {
      type: "directory",
      title: "Folder",
      description: "Its files may be read, and new ones written, without asking",
      required: true,
    },
  },
  tools_generated: true,
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: ">=20.19" } },
};

const stage = mkdtempSync(join(tmpdir(), "pail-mcpb-"));
try {
  for (const part of ["bin/run.js", "bin/package.json", "package.json", "oclif.manifest.json"]) {
    mkdirSync(join(stage, part, ".."), { recursive: true });
    cpSync(part, join(stage, part));
  }
  const unneeded = /[\\/](?:commands|shared|tui\.cjs|store\.)/;
  cpSync("dist", join(stage, "dist"), { recursive: true, filter: (path) => !unneeded.test(path) });
  cpSync("LICENSE", join(stage, "LICENSE"));
  writeFileSync(join(stage, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const run = (...args) => execFileSync("npx", ["--yes", MCPB, ...args], { stdio: "inherit" });
  run("validate", join(stage, "manifest.json"));
  run("pack", stage, resolve(`pail-${version}.mcpb`));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
