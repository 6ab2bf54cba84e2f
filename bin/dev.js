#!/usr/bin/env node
// Builds from source, then runs: for working on pail itself.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
await import("./run.js");
