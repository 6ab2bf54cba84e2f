import { expect, it } from "vitest";

import { droppedPaths } from "../../../../src/tui/state/drop.js";

it.each([
  ["/home/me/a.txt", ["/home/me/a.txt"]],
  ["'/home/me/a b.txt' ", ["/home/me/a b.txt"]],
  ["/home/me/a\\ b.txt", ["/home/me/a b.txt"]],
  ["/home/me/a b.txt", ["/home/me/a b.txt"]],
  ["/home/me/a '/home/me/b c'", ["/home/me/a", "/home/me/b c"]],
  ["file:///home/me/a%20b.txt\n", ["/home/me/a b.txt"]],
  ["rm -rf /", []],
  ["relative/path", []],
  ["/one\ntwo", []],
  ["file://elsewhere/a", []],
  ["", []],
])("reads %j as dropped paths", (text, paths) => {
  expect(droppedPaths(text)).toEqual(paths);
});
