/** A stdin that cannot be read must not become an object. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect, it } from "vitest";

import { BIN, createHome, finish, RUNTIME } from "../support/run.js";

it.skipIf(process.platform === "win32")("refuses a directory as stdin", async () => {
  const home = createHome();
  const directory = openSync(home.directory, "r");
  try {
    await home.pail(["mb", "local/demo"]);
    const child = spawn(RUNTIME, [BIN, "cp", "-", "local/demo/k"], {
      env: home.env,
      stdio: [directory, "pipe", "pipe"],
    });
    const { code, stderr } = await finish(child);
    expect(stderr).toContain("stdin is a directory");
    expect(code).toBe(2);
    expect((await home.pail(["ls", "local/demo"])).stdout).toBe("");
  } finally {
    closeSync(directory);
    home.remove();
  }
});
