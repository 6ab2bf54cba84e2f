/** The scripts that make a shell ask pail. */
import { spawnSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import { COMPLETION_SCRIPTS, FILES_LINE, SHELLS } from "../../../src/cli/completion-scripts.js";
import { createCommands } from "../../support/command.js";

/** The words bash offers where pail answers with these lines. */
function inBash(answer: string, ...words: string[]): string[] {
  // Functions in place of the program, and of bash's own that works only at a prompt.
  const stubs = String.raw`
command() { printf "$ANSWER"; }
compopt() { :; }
`;
  const ask = String.raw`
COMP_WORDS=(pail "$@"); COMP_CWORD=$#; _pail; printf '%s\n' "${"${COMPREPLY[@]}"}"`;
  const { stdout, stderr, status } = spawnSync(
    "bash",
    ["--norc", "-c", `${stubs}${COMPLETION_SCRIPTS.bash}${ask}`, "bash", ...words],
    { encoding: "utf8", env: { PATH: process.env["PATH"], ANSWER: answer } },
  );
  expect([stderr, status]).toEqual(["", 0]);
  return stdout.split("\n").filter(Boolean);
}

describe("the completion script", () => {
  it.each(SHELLS)("of %s asks pail for that shell, and knows the line for files", (shell) => {
    const script = COMPLETION_SCRIPTS[shell];
    expect(script).toContain(`pail complete --shell ${shell} -- `);
    expect(script).toContain(FILES_LINE);
    // An unresolved piece of the template would reach the shell.
    expect(script).not.toMatch(/undefined|\\`|\$\{"/);
  });

  it("is what the command prints, byte for byte", async () => {
    const commands = createCommands();
    for (const shell of SHELLS) {
      expect((await commands.run("completion", shell)).stdout).toBe(COMPLETION_SCRIPTS[shell]);
    }
    commands.close();
  });
});

describe.skipIf(process.platform === "win32")("in bash", () => {
  it("a value is one word, without its description", () => {
    expect(inBash(String.raw`a b\tdescription\nlocal/$x\n`, "ls", "")).toEqual([
      String.raw`a\ b`,
      String.raw`local/\$x`,
    ]);
  });
});
