/** Help of pail, of a topic and of a command. */
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, it, vi } from "vitest";

import { exitStatus, showHelp } from "../../../src/cli/help.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
afterEach(() => vi.restoreAllMocks());

/** The help for these words, in lines of one width. */
async function help(...words: string[]): Promise<string> {
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  vi.spyOn(console, "log").mockImplementation(
    (...text) => void written.push(`${text.join(" ")}\n`),
  );
  await showHelp(words, root);
  vi.restoreAllMocks();
  return written.join("");
}
/** Without line ends, which depend on the width. */
const flat = (text: string) => text.replaceAll(/\s+/g, " ");

describe("help", () => {
  it("of pail has the first steps, every exit code and every variable", async () => {
    const text = await help();
    expect(text).toContain("FIRST STEPS");
    for (const [code, meaning] of exitStatus()) expect(flat(text)).toContain(`${code} ${meaning}`);
    expect(text).toContain("PAIL_MCP_TOKEN");
  });

  it("of a command has its examples, each below its description, and its own codes", async () => {
    const text = await help("find");
    expect(text).toMatch(/EXAMPLES\n {2}\S.*\n+ {4}\$ pail find /);
    expect(flat(text)).toContain("3 nothing found");
    expect(text).not.toContain("FIRST STEPS");
    expect(text).not.toContain("PAIL_MCP_TOKEN");
  });

  it("of a command in a topic has its own variables", async () => {
    const text = await help("serve:key:list");
    expect(text).toMatch(/ENVIRONMENT\n\s+PAIL_STORE_DIR/);
    expect(text).not.toContain("PAIL_TIMEOUT");
  });

  it("of a topic lists its commands", async () => {
    const text = await help("alias");
    for (const name of ["alias set", "alias import"]) expect(text).toContain(name);
  });
});
