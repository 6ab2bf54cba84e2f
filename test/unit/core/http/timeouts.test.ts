import { expect, it } from "vitest";

import { timeoutsFrom } from "../../../../src/core/http/timeouts.js";

it.each([
  [undefined, 60_000, 10_000],
  ["", 60_000, 10_000],
  ["300", 300_000, 10_000],
  ["10", 10_000, 10_000],
  [" 2.5 ", 2_500, 2_500],
  [".5", 500, 500],
])("takes PAIL_TIMEOUT=%s for both timeouts", (value, idleTimeout, connectTimeout) => {
  expect(timeoutsFrom({ PAIL_TIMEOUT: value })).toEqual({ idleTimeout, connectTimeout });
});

it.each(["0", "0.0001", "-1", "1e3", "0x10", "1s", "1,5", "86400.1", "Infinity"])(
  "refuses PAIL_TIMEOUT=%s, and names the variable",
  (value) => {
    const thrown = expect.objectContaining({
      kind: "usage",
      code: "BadTimeout",
      message: expect.stringContaining(`PAIL_TIMEOUT is "${value}"`),
    }) as Error;
    expect(() => timeoutsFrom({ PAIL_TIMEOUT: value })).toThrow(thrown);
  },
);
