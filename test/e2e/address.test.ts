/** One rule of addressing: which words are patterns, what they match, and what they never take. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { openTerminal } from "../support/terminal.js";

let home: Home;
beforeAll(() => {
  home = createHome({ here: true });
});
afterAll(() => home.remove());

const ok = async (...args: string[]) => {
  const result = await home.pail(args);
  expect(`${result.code} ${result.stderr}`).toMatch(/^0 /);
  return result.stdout;
};
/** Objects whose content is their key. */
const put = async (...names: string[]) => {
  const from = mkdtempSync(join(home.directory, "from-"));
  for (const name of names) {
    mkdirSync(dirname(join(from, name)), { recursive: true });
    writeFileSync(join(from, name), name);
  }
  await ok("cp", "-r", `${from}/`, "local/bkt");
};
const keys = async (place = "local/bkt") =>
  (await home.pail(["ls", "-r", "--json", "--literal", place])).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { key: string }).key);

beforeEach(async () => {
  rmSync(join(home.directory, "store"), { recursive: true, force: true, maxRetries: 5 });
  await ok("mb", "local/bkt");
});

describe("an existing key wins", () => {
  it("reads a key with *, [, {, ? and \\ exactly when it exists", async () => {
    const names = ["report[1].pdf", "a*b", "q?", "br{a,b}", String.raw`back\slash`, "report1.pdf"];
    await put(...names, "axb", "q1", "bra");
    for (const name of names) expect(await ok("cat", `local/bkt/${name}`)).toBe(name);
    expect(await ok("cat", "local/bkt/report[12].pdf")).toBe("report1.pdf");
    expect(await ok("cat", String.raw`local/bkt/a\*b`)).toBe("a*b");
    expect(await ok("cat", String.raw`local/bkt/a\*?`)).toBe("a*b");
  });

  it("also means a prefix of that name when it exists", async () => {
    await put("p[1]/x", "p1/y");
    expect(await ok("ls", "local/bkt/p[1]")).toContain("x");
    expect(await ok("ls", "local/bkt/p[1]/")).not.toContain("y");
  });

  it("tree draws what a pattern matches, and all below that", async () => {
    await put("a1/x/y", "a2", "b1/z");
    const drawn = "local/bkt/\n├─ a1/\n│  └─ x/\n│     └─ y\n└─ a2\n";
    expect(await ok("tree", "-f", "local/bkt/a*")).toBe(drawn);
    expect((await home.pail(["tree", "--literal", "local/bkt/a*"])).stdout).toBe("local/bkt/a*/\n");
  });

  it("--literal forbids patterns", async () => {
    await put("a1");
    expect((await home.pail(["cat", "--literal", "local/bkt/a*"])).code).toBe(3);
    expect((await home.pail(["ls", "--literal", "local/bkt/a?"])).code).toBe(3);
  });
});

describe("rm and mv", () => {
  it("never takes report1.pdf for a repeated rm --force 'report[1].pdf'", async () => {
    await put("report[1].pdf", "report1.pdf");
    await ok("rm", "--force", "local/bkt/report[1].pdf");
    for (const flags of [["--force"], ["-r", "--force"], []]) {
      const again = await home.pail(["rm", ...flags, "local/bkt/report[1].pdf"]);
      expect(again.stdout).not.toContain("report1");
    }
    expect(await keys()).toEqual(["report1.pdf"]);
    const moved = await home.pail(["mv", "local/bkt/report[1].pdf", "local/bkt/x/"]);
    expect(moved.code).toBe(3);
    expect(await keys()).toEqual(["report1.pdf"]);
  });

  it("takes the matches with --pattern, and no more", async () => {
    await put("a.tmp", "b.tmp", "c.txt", "d/e.tmp", "d/f/g.tmp");
    const dry = await ok("rm", "--pattern", "--dry-run", "local/bkt/*.tmp");
    expect(dry).toContain("a.tmp");
    await ok("rm", "--pattern", "local/bkt/*.tmp");
    expect(await keys()).toEqual(["c.txt", "d/e.tmp", "d/f/g.tmp"]);
    await ok("rm", "--pattern", "local/bkt/**/g.tmp");
    expect(await keys()).toEqual(["c.txt", "d/e.tmp"]);
    await ok("mv", "--pattern", "local/bkt/?.txt", "local/bkt/done/");
    expect(await keys()).toEqual(["d/e.tmp", "done/c.txt"]);
    await ok("rm", "-r", "--force", "--pattern", "local/bkt/d*");
    expect(await keys()).toEqual([]);
  });

  it("reads names of a list exactly", async () => {
    await put("a1");
    const listed = await home.pail(["rm", "--stdin", "--pattern"], { stdin: "local/bkt/a*\n" });
    expect(listed.code).toBe(0);
    expect(await keys()).toEqual(["a1"]);
  });

  it("shows a person the matches, and takes them only after a yes", async () => {
    await put("a1", "a2", "b1");
    const no = openTerminal({ home, args: ["rm", "local/bkt/a*"] });
    await no.see("matches 2 objects");
    await no.see("a2");
    no.press("n", "<enter>");
    expect((await no.exit()).code).toBe(2);
    const forced = openTerminal({ home, args: ["rm", "--force", "local/bkt/a*"] });
    expect((await forced.exit()).code).toBe(3);
    const moved = openTerminal({ home, args: ["mv", "local/bkt/a*", "local/bkt/to/"] });
    await moved.see("matches 2 objects");
    moved.press("<enter>");
    expect((await moved.exit()).code).toBe(2);
    expect(await keys()).toEqual(["a1", "a2", "b1"]);
    const yes = openTerminal({ home, args: ["rm", "local/bkt/a*"] });
    await yes.see("matches 2 objects");
    yes.press("y", "<enter>");
    expect((await yes.exit()).code).toBe(0);
    expect(await keys()).toEqual(["b1"]);
  });
});

describe("a command that reads", () => {
  it("expands the sources of cp below their fixed part", async () => {
    await put("logs/1.gz", "logs/2.gz", "logs/n.txt", "logs/old/3.gz", "x/1.gz");
    await ok("cp", "local/bkt/logs/*.gz", "local/bkt/copy/");
    expect(await keys("local/bkt/copy/")).toEqual(["copy/1.gz", "copy/2.gz"]);
    await ok("cp", "-r", "local/bkt/l*", "local/bkt/copy2/");
    expect(await keys("local/bkt/copy2/")).toContain("copy2/logs/old/3.gz");
    await ok("cp", "local/bkt/{logs,x}/1.gz", "local/bkt/copy3");
    expect(await keys("local/bkt/copy3/")).toEqual(["copy3/logs/1.gz", "copy3/x/1.gz"]);
    const prefixes = await home.pail(["cp", "local/bkt/log*", "."]);
    expect(`${prefixes.code} ${prefixes.stderr}`).toMatch(/^3 .*add -r/s);
    const none = await home.pail(["cp", "local/bkt/zz*", "."]);
    expect(`${none.code} ${none.stderr}`).toMatch(/^3 .*nothing in bkt/s);
  });

  it("never copies an object that it has itself written", async () => {
    await put("a.txt", "d/b.txt");
    const result = await home.pail(["cp", "local/bkt/**.txt", "local/bkt/c/"]);
    expect(result.code).toBe(7);
    expect(await keys()).toEqual(["a.txt", "d/b.txt"]);
  });

  it("serves ls, find, du, stat, head and presign", async () => {
    await put("2025-11-01/a", "2025-11-21/b", "2025-11-22/c", "2025-11-2x");
    expect(await ok("ls", "local/bkt/2025-11-2*")).toMatch(
      /2025-11-21\/\n.*2025-11-22\/\n.*2025-11-2x\n$/,
    );
    expect((await ok("ls", "-r", "local/bkt/2025-11-2[12]")).split("\n")).toHaveLength(3);
    expect(await ok("find", "local/bkt/2025-11-2*/")).toBe(
      "local/bkt/2025-11-21/b\nlocal/bkt/2025-11-22/c\n",
    );
    expect(await ok("du", "local/bkt/2025-11-2*")).toContain("3  local/bkt/2025-11-2*");
    expect(await ok("stat", "local/bkt/2025-11-2?")).toContain("2025-11-2x");
    expect(await ok("head", "local/bkt/*/[bc]")).toContain("==> local/bkt/2025-11-22/c <==");
    expect((await ok("presign", "local/bkt/*/?")).trim().split("\n")).toHaveLength(3);
  });

  it("lists the names that begin so where no exact one exists", async () => {
    await put("old.txt", "old2/x", "new");
    const result = await home.pail(["ls", "local/bkt/ol"]);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/old.txt\n.*old2\/\n$/);
    expect(result.stderr).toContain("begins so");
    expect((await home.pail(["ls", "local/bkt/zz"])).code).toBe(3);
    expect((await home.pail(["ls", "local/bkt/old"])).stdout).toContain("old.txt");
  });

  it("keeps or drops the name of a bucket as of a directory, and takes a whole alias", async () => {
    await put("k");
    await ok("cp", "-r", "local/bkt", "out1/");
    await ok("cp", "-r", "local/bkt/", "out2/");
    await ok("cp", "-r", "local", "out3/");
    for (const path of ["out1/bkt/k", "out2/k", "out3/bkt/k"]) {
      expect(existsSync(join(home.directory, path))).toBe(true);
    }
  });
});
