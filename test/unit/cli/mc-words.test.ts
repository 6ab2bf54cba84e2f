/** mc's command lines in pail's words. */
import { expect, test } from "vitest";

import { keyOf, readMc } from "../../../src/cli/mc-words.js";

test.each([
  ["cp -r --attr a=1;b=2 x y", "cp", ["-r", "--metadata", "a=1", "--metadata", "b=2"], ["x", "y"]],
  ["cp --storage-class=GLACIER x y", "cp", ["--storage-class", "GLACIER"], ["x", "y"]],
  ["cp --limit-upload 1MiB x y", "cp", ["--limit-upload", "1MiB"], ["x", "y"]],
  ["cat --limit-upload 1MiB x", "cat", [], ["x"]],
  ["put --if-not-exists x y", "cp", ["-n"], ["x", "y"]],
  ["rm --fake --dangerous -r x", "rm", ["--dry-run", "-r"], ["x"]],
  ["mirror --sc GLACIER x y", "mirror", ["--header", "x-amz-storage-class=GLACIER"], ["x", "y"]],
  ["od if=a of=b", "cp", [], ["a", "b"]],
  ["alias ls", "alias", [], ["list"]],
  ["version info x", "version", [], ["status", "x"]],
  ["tag set x a=1&b=2", "tag", [], ["set", "x", "a=1", "b=2"]],
  ["anonymous list x", "anonymous", [], ["get", "x"]],
  ["ilm rule add --expire-days 3 x", "ilm", ["--expire-days", "3"], ["add", "x"]],
  ["ilm ls x", "ilm", [], ["list", "x"]],
  ["ilm rule rm --id a x", "ilm", ["--id", "a"], ["drop", "x"]],
  ["ilm import x", "ilm", [], ["set", "x", "-"]],
  [
    "retention set GOVERNANCE 30d x",
    "lock",
    [],
    ["set", "x", "--mode", "governance", "--for", "30d"],
  ],
  ["retention clear x", "lock", [], ["remove", "x"]],
  ["legalhold set x", "lock", [], ["set", "x", "--legal-hold", "on"]],
  ["legalhold clear x", "lock", [], ["set", "x", "--legal-hold", "off"]],
  ["ready x", "ping", [], ["x"]],
  ["--json --no-color ls x", "ls", ["--json"], ["x"]],
])("%s", (line, command, flags, words) => {
  expect(readMc(line.split(" "))).toMatchObject({ command, flags, words });
});

test("a word or flag with no counterpart in pail is refused, never passed on", () => {
  for (const line of [
    "admin info x",
    "cp --zip x y",
    "ls -z x",
    "cat --limit-download 1MiB x",
    "",
  ]) {
    expect(() => readMc(line.split(" ").filter(Boolean))).toThrow(
      expect.objectContaining({ kind: "usage", code: "UnknownCommand" }),
    );
  }
});

test("a customer key is the one with the longest matching prefix", () => {
  const call = readMc(["cp", "--enc-c", "a/b=one,a/b/c=two", "x", "a/b/c/d"]);
  expect(keyOf(call, "a/b/c/d")).toBe("two");
  expect(keyOf(call, "a/b/x")).toBe("one");
  expect(keyOf(call, "z/b")).toBeUndefined();
});
