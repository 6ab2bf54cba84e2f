/** `version enable`, `suspend` and `status`: the command that they share. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands();
  await commands.run("mb", "local/one", "local/two");
});
afterAll(() => commands.close());

const run: Commands["run"] = (...words) => commands.run(...words);

describe("the versioning of buckets", () => {
  it("is reported for each, and never enabled is not the same as suspended", async () => {
    expect((await run("version enable", "local/one")).stdout).toBe("local/one: enabled\n");
    const { stdout } = await run("version status", "local/one", "local/two/");
    expect(stdout).toBe("local/one: enabled\nlocal/two: never enabled\n");
    await run("version suspend", "local/one");
    expect((await run("version status", "--json", "local/one", "local/two")).records).toEqual([
      { type: "versioning", location: "local/one", versioning: "Suspended" },
      { type: "versioning", location: "local/two", versioning: null },
    ]);
  });

  it("is what the bucket does: an older version stays only while it is enabled", async () => {
    await run("mb", "local/kept");
    const versions = async () =>
      (await run("ls", "--versions", "--json", "local/kept/a")).records.length;
    for (const text of ["1", "2"]) await commands.put("kept/a", text);
    const before = await versions();
    await run("version enable", "local/kept");
    await commands.put("kept/a", "3");
    expect(await versions()).toBe(before + 1);
  });

  it("is set for the others where one bucket is not there", async () => {
    const { code, stdout, stderr } = await run("version enable", "local/none", "local/two");
    expect([code, stdout]).toEqual([7, "local/two: enabled\n"]);
    expect(stderr).toContain("local/none: no such bucket");
    expect((await run("version enable", "local/none")).code).toBe(3);
    const below = await run("version suspend", "local/two/key");
    expect([below.code, below.stderr]).toEqual([2, expect.stringContaining("more than a bucket")]);
    expect((await run("version status", "local/two")).stdout).toBe("local/two: enabled\n");
  });
});
