/** du, tree and find by their flags. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands();
  await commands.run("mb", "local/bkt");
  for (const [key, text] of [
    ["a/deep/1.txt", "12345"],
    ["a/2.txt", "12"],
    ["b/3.jpg", "123456789"],
    ["top.txt", "1"],
  ] as const) {
    await commands.put(`bkt/${key}`, text);
  }
});
afterAll(() => commands.close());

const run: Commands["run"] = (...words) => commands.run(...words);

describe("du", () => {
  it("sums levels, largest first when asked, with the total last", async () => {
    const { records } = await run("du", "--json", "-d", "1", "--sort", "size", "local/bkt");
    expect(records).toMatchObject([
      { location: "local/bkt/b/", objects: 1, bytes: 9 },
      { location: "local/bkt/a/", objects: 2, bytes: 7 },
      { location: "local/bkt", objects: 4, bytes: 17 },
    ]);
  });

  it("sums by what names end with", async () => {
    const { records } = await run("du", "--json", "--by", "extension", "local/bkt");
    expect(records.map(({ extension, objects }) => [extension, objects])).toEqual([
      [expect.stringContaining("jpg"), 1],
      [expect.stringContaining("txt"), 3],
      [undefined, 4],
    ]);
  });
});

describe("tree", () => {
  it("draws prefixes, with -f objects, and with -d no deeper than that", async () => {
    const plain = (await run("tree", "local/bkt")).stdout;
    expect(plain).toContain("deep/");
    expect(plain).not.toContain(".txt");
    const level = (await run("tree", "-f", "-d", "1", "local/bkt")).stdout;
    expect(level).toContain("top.txt");
    expect(level).not.toContain("2.txt");
  });
});

describe("find", () => {
  const found = async (...words: string[]) => (await run("find", "local/bkt", ...words)).stdout;

  it("takes what every test takes", async () => {
    expect(await found("--larger", "4")).toBe("local/bkt/a/deep/1.txt\nlocal/bkt/b/3.jpg\n");
    expect(await found("--larger", "4", "--name", "*.txt")).toBe("local/bkt/a/deep/1.txt\n");
    expect(await found("--path", "a/*")).toBe("local/bkt/a/2.txt\n");
    expect(await found("--regex", "^[bt]", "-0")).toBe("local/bkt/b/3.jpg\0local/bkt/top.txt\0");
  });

  it("refuses an invalid expression, and --exec without a program", async () => {
    const odd = await run("find", "local/bkt", "--regex", "(");
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining("not a regular expr")]);
    expect((await run("find", "local/bkt", "--exec")).code).toBe(2);
  });

  it("names the objects for which the program failed", async () => {
    const check = ["-e", "process.exit(process.argv[1].endsWith('.jpg') ? 4 : 0)", "{}"];
    const ran = await run("find", "local/bkt", "--exec", "--", process.execPath, ...check);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toMatch(/local\/bkt\/b\/3\.jpg: .* ended with 4\n.*1 of 4 objects failed/s);
    expect(ran.stderr).not.toContain("txt");
  });
});
