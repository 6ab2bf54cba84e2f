/** Arguments and examples as commands declare them, read by the parser that reads them in use. */
import type { Interfaces } from "@oclif/core";
import { parse } from "@oclif/core/parser";
import { describe, expect, it } from "vitest";

import { any, examples, many, one, optional } from "../../../src/cli/args.js";

type Declared = Interfaces.ArgInput[string];

/** The parser's result of the words for this one argument. */
async function read(arg: Declared, ...words: string[]): Promise<unknown> {
  const { args } = await parse(words, { args: { it: arg }, strict: true });
  return (args as { readonly it?: unknown }).it;
}

describe("an argument", () => {
  it("that must be given is one word, or one of a few", async () => {
    expect(await read(one("a place"), "a")).toBe("a");
    await expect(read(one("a place"))).rejects.toThrow(/required/);
    await expect(read(one("a place"), "a", "b")).rejects.toThrow(/Unexpected/);
    const shell = one("a shell", ["bash", "zsh"]);
    expect(await read(shell, "zsh")).toBe("zsh");
    await expect(read(shell, "tcsh")).rejects.toThrow(/one of: bash, zsh/);
  });

  it("may be left out, or be several words, as it says", async () => {
    expect(await read(optional("a name"))).toBeUndefined();
    expect(await read(any("names"))).toBeUndefined();
    expect(await read(any("names"), "a", "b")).toEqual(["a", "b"]);
    expect(await read(many("names"), "a", "b")).toEqual(["a", "b"]);
    await expect(read(many("names"))).rejects.toThrow(/required/);
  });

  it("is never taken from stdin, which may be a pipe that somebody else reads", () => {
    for (const arg of [one("x"), optional("x"), many("x"), any("x")]) {
      expect(arg.ignoreStdin).toBe(true);
    }
  });
});

describe("examples", () => {
  it("are words behind the command, nothing, or a whole line", () => {
    const command = "<%= config.bin %> <%= command.id %>";
    expect(examples({ "-r local/b": "all", "": "none", "$ echo a | pail run": "a line" })).toEqual([
      { command: `${command} -r local/b`, description: "all" },
      { command, description: "none" },
      { command: "$ echo a | pail run", description: "a line" },
    ]);
  });
});
