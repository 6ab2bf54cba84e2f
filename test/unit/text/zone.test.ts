import { expect, test } from "vitest";

import { posixNames, zoneAbbreviation } from "../../../src/text/zone.js";

test.each([
  ["CST-8", [{ name: "CST", minutes: 480 }]],
  [
    "CET-1CEST,M3.5.0,M10.5.0/3",
    [
      { name: "CET", minutes: 60 },
      { name: "CEST", minutes: 120 },
    ],
  ],
  [
    "EST5EDT,M3.2.0,M11.1.0",
    [
      { name: "EST", minutes: -300 },
      { name: "EDT", minutes: -240 },
    ],
  ],
  ["<+0545>-5:45", [{ name: "+0545", minutes: 345 }]],
  [
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    [
      { name: "+1030", minutes: 630 },
      { name: "+11", minutes: 660 },
    ],
  ],
  ["UTC0", [{ name: "UTC", minutes: 0 }]],
  ["", []],
])("the rule %s gives its zones' names and offsets", (rule, names) => {
  expect(posixNames(rule)).toEqual(names);
});

test("an offset without a known name is written out", () => {
  expect(zoneAbbreviation(new Date(Number.NaN), -150)).toBe("-0230");
});
