import { expect, test } from "vitest";

import { wordsOf } from "../../../src/cli/command-lines.js";

test.each([
  ["ls  local/b", ["ls", "local/b"]],
  [`cp 'a b' "c 'd'"`, ["cp", "a b", "c 'd'"]],
  [String.raw`rm a\ b c\\d`, ["rm", "a b", String.raw`c\d`]],
  [String.raw`rm "a\"b" 'a\b'`, ["rm", 'a"b', String.raw`a\b`]],
  ["rm a#b # comment", ["rm", "a#b"]],
  [`rm a"b"'c' ""`, ["rm", "abc", ""]],
  ["rm $HOME *", ["rm", "$HOME", "*"]],
  ["  # all of it", []],
  ["\t", []],
])("%s", (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test("a quote that does not end is refused", () => {
  expect(() => wordsOf("rm 'a")).toThrow("not closed");
});
