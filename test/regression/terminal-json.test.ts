/** JSON leaves characters alone that a terminal obeys. */
import { expect, it } from "vitest";

import { visibleJson } from "../../src/text/sanitize.js";

it("escapes in JSON what a terminal obeys, and keeps the value", () => {
  const value = { key: "a\u009b31m\u202eb\u007f\u001b[0m\u2028é" };
  const text = visibleJson(value);
  expect(text).toMatch(/^[ -~é]*$/);
  expect(JSON.parse(text)).toEqual(value);
});
