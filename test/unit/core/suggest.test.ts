import { expect, it } from "vitest";

import { closest } from "../../../src/core/suggest.js";

it.each([
  ["locla", ["local", "mine"], "local"],
  ["loca", ["local"], "local"],
  ["locall", ["local"], "local"],
  ["lokal", ["local"], "local"],
  ["mien", ["mine", "mint"], "mine"],
  ["xyz", ["local", "mine"], undefined],
  ["a", ["b", "cd"], undefined],
  ["ab", ["cd"], undefined],
  ["aws", ["two"], undefined],
  ["lss", ["ls"], "ls"],
  ["prod", ["production", "prop"], "prop"],
  ["", ["a"], undefined],
  ["x", [], undefined],
])("the nearest to %s among %j is %s", (word, candidates, nearest) => {
  expect(closest(word, candidates)).toBe(nearest);
});
