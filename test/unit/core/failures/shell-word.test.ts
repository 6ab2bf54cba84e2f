import { execFileSync } from "node:child_process";

import fc from "fast-check";
import { expect, it } from "vitest";

import { shellWord } from "../../../../src/core/failures/shell-word.js";

it("leaves plain words plain", () => {
  expect(shellWord("local/box/1.txt")).toBe("local/box/1.txt");
  expect(shellWord("")).toBe("''");
});

it("gives a shell exactly the word", () => {
  const word = fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\0", ""));
  const words = fc.sample(word, 200).concat(["it's", "a b", "$(reboot)", "`x`", "a\nb", "-n", "*"]);
  const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
  expect(execFileSync("sh", ["-c", script]).toString()).toBe(words.map((w) => `${w}\0`).join(""));
});
