/** `get`, `set` and `remove` of a document that a bucket has. */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { noSetting, settingArgs } from "../../../src/cli/settings.js";
import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands();
  await commands.run("mb", "local/bkt");
});
afterAll(() => commands.close());

const RULES = { CORSRules: [{ AllowedOrigins: ["*"], AllowedMethods: ["GET"] }] };
const cors = (...words: string[]) => commands.run("cors", ...words);

describe("a document of a bucket", () => {
  it("is what was set, until it is removed", async () => {
    const set = await cors("set", "local/bkt", commands.file("cors.json", JSON.stringify(RULES)));
    expect(set.stdout).toBe("set cors of local/bkt\n");
    expect(JSON.parse((await cors("get", "local/bkt")).stdout)).toEqual(RULES);
    expect((await cors("get", "--json", "local/bkt")).records).toMatchObject([
      { type: "cors", location: "local/bkt", value: RULES },
    ]);
    expect((await cors("remove", "--json", "local/bkt")).records).toEqual([
      { type: "cors-removed", location: "local/bkt" },
    ]);
  });

  it("that is not there is null in JSON, and an error for a person", async () => {
    await commands.run("mb", "local/bare");
    const asked = await cors("get", "--json", "local/bare");
    expect([asked.code, asked.records]).toMatchObject([0, [{ value: null }]]);
    const shown = await cors("get", "local/bare");
    expect([shown.code, shown.stdout]).toEqual([3, ""]);
    expect(shown.stderr).toContain(noSetting("cors", "local/bare").message);
  });

  it("is not changed by a file that is missing, unreadable or no JSON", async () => {
    await cors("set", "local/bkt", commands.file("good.json", JSON.stringify(RULES)));
    const none = await cors("set", "local/bkt");
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("FILE")]);
    const absent = join(commands.directory, "absent.json");
    const unread = await cors("set", "local/bkt", absent);
    expect([unread.code, unread.stderr]).toEqual([3, expect.stringContaining(absent)]);
    const broken = await cors("set", "local/bkt", commands.file("broken.json", "{"));
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("is not JSON")]);
    expect(JSON.parse((await cors("get", "local/bkt")).stdout)).toEqual(RULES);
  });

  it("takes the verbs it is given, and no other", async () => {
    expect(settingArgs(["get", "set"]).action.options).toEqual(["get", "set"]);
    const other = await cors("show", "local/bkt");
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("get, set, remove")]);
  });
});
