/** The flags of commands that compare two places: kept attributes, and the meaning of equal. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { readPreserve } from "../../../src/cli/sync-flags.js";
import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands();
  await commands.run("mb", "local/one");
  await commands.run("mb", "local/two");
  await commands.put("one/a", "same size");
  await commands.put("two/a", "SAME SIZE");
});
afterAll(() => commands.close());

it("times are kept unless that is forbidden, owners where it is asked for", () => {
  expect(readPreserve({ preserve: false, "no-preserve-time": false })).toEqual({
    time: true,
    owner: false,
  });
  expect(readPreserve({ preserve: true, "no-preserve-time": true })).toEqual({
    time: false,
    owner: true,
  });
});

it("bytes are compared unless a size is enough", async () => {
  const ended = async (...flags: string[]) =>
    (await commands.run("diff", ...flags, "local/one", "local/two")).code;
  expect(await ended()).toBe(5);
  expect(await ended("--compare", "checksum")).toBe(5);
  expect(await ended("--compare", "size")).toBe(0);
});
