/** Two panes side by side: files of this machine and a bucket, or two buckets. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { keysOf, makeBucket, textOf } from "../support/sdk.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
});
afterAll(() => home.close());

describe("a second pane", () => {
  it("copies and moves between files and a bucket, each list beside the other", async () => {
    await makeBucket(home.s3, "panes", { "a.txt": "a", "b.txt": "b", "deep/c.txt": "c" });
    const disk = join(home.directory, "disk");
    mkdirSync(join(disk, "folder"), { recursive: true });
    writeFileSync(join(disk, "up.txt"), "up");
    writeFileSync(join(disk, "away.txt"), "away");
    writeFileSync(join(disk, "folder", "in.txt"), "in");
    const terminal = home.open("local/panes", { cwd: disk, columns: 100 });
    const { press, see, miss, screen } = terminal;
    await see("3 rows");
    press("|");
    await see(/│▌ +folder\//);
    expect(screen()[0]).toMatch(/panes +│ +Files › .*disk/);
    // Up: the file under the cursor, then a folder that is marked.
    press("<down>");
    await see(/│▌ +away\.txt/);
    press("m");
    await see("Move away.txt");
    press("<enter>");
    await see("Done: Move away.txt");
    await miss(/│.*away\.txt/);
    await see(/away\.txt.*│/);
    expect(existsSync(join(disk, "away.txt"))).toBe(false);
    expect(await textOf(home.s3, "panes", "away.txt")).toBe("away");
    press("<home>", "<down>", "<space>", "u");
    await see("Done: Upload folder");
    await see(/folder\/ .*│/);
    // Down: a copy, and a move of what is below a prefix.
    press("<tab>");
    await see(/▌ +deep\/.*│/);
    press("m");
    await see(`${disk}/`);
    press("<enter>");
    await see("Done: Move deep/");
    await see(/│.*deep\//);
    expect(readFileSync(join(disk, "deep", "c.txt"), "utf8")).toBe("c");
    expect(await keysOf(home.s3, "panes")).toEqual(["a.txt", "away.txt", "b.txt", "folder/in.txt"]);
    press("<end>", "c");
    await see("Copy b.txt");
    press("<enter>");
    await see("Done: Download b.txt");
    await see(/│.*b\.txt/);
    // A page of its own takes the whole screen, and both panes are there after it.
    press("<enter>");
    await see("Content type");
    await miss("│");
    press("<esc>");
    await see(/b\.txt.*│.*b\.txt/);
    press("|");
    await miss("│");
    await quit(terminal);
  });

  it("holds another bucket too, and paste brings into a directory what was taken", async () => {
    await makeBucket(home.s3, "left", { "one.txt": "1", "two.txt": "2" });
    await makeBucket(home.s3, "right");
    const disk = join(home.directory, "empty");
    mkdirSync(disk);
    const env = { PAIL_STATE_DIR: mkdtempSync(join(home.directory, "state-")) };
    const terminal = home.open("local/left", { cwd: disk, env });
    const { press, see, miss, click, screen } = terminal;
    await see("2 rows");
    press("<ctrl-a>", "Y", "|");
    await see(/│▌ +\.\./);
    press("P");
    await see("Done: Download 2 items");
    await see(/│.*two\.txt/);
    press("<ctrl-g>");
    await see("Go to");
    press("<ctrl-u>", "local/right/", "<enter>");
    await see("right");
    await see("Nothing here yet");
    // A click gives the other pane the focus.
    const row = screen().findIndex((line) => line.includes("two.txt"));
    click(5, row);
    await see(/▌ +two\.txt.*│/);
    press("c");
    await see("local/right/");
    press("<enter>");
    await see("Done: Copy two.txt");
    await see(/│▌ +two\.txt/);
    expect(await keysOf(home.s3, "right")).toEqual(["two.txt"]);
    // Leaving the last page of a pane closes it; the other stays.
    press("<tab>");
    press("<esc>");
    await see("Start upload");
    press("<esc>");
    await miss("│");
    await see(/▌ +two\.txt/);
    press("C");
    await see("Columns");
    press("m");
    await miss("MODIFIED");
    await quit(terminal);
    const again = home.open(undefined, { env });
    await again.see("two.txt");
    expect(again.screen().join("\n")).not.toContain("MODIFIED");
    await quit(again);
  });
});

describe("a sync", () => {
  it("is looked at first, then does just that; what only the target has goes when asked for", async () => {
    await makeBucket(home.s3, "site", {
      "old.txt": "old",
      "same.txt": "s",
      "page\u001B[2J.html": "x",
    });
    const disk = join(home.directory, "site");
    mkdirSync(disk);
    writeFileSync(join(disk, "new.txt"), "new");
    writeFileSync(join(disk, "same.txt"), "larger now");
    const terminal = home.open("local/site", { cwd: disk });
    const { press, see } = terminal;
    await see("3 rows");
    press("|");
    await see(/│▌ +new\.txt/);
    press("S");
    await see("local/site/");
    press("<tab>", "<right>", "<enter>");
    await see("1 new, 3B · 1 changed, 10B · 2 removed, 4B");
    await see(/\+ +new\.txt +3B +new/);
    await see(/~ +same\.txt +10B +size/);
    await see(/- +old\.txt +3B +extra/);
    // A name is a stranger's text here too.
    await see("page\\x1b[2J.html");
    // Written after the look: it is not what was seen, so it stays.
    const Body = "changed meanwhile";
    await home.s3.send(new PutObjectCommand({ Bucket: "site", Key: "old.txt", Body }));
    press("S");
    await see("2 objects, 4B");
    press("y");
    await see("Drifted: ");
    expect(await keysOf(home.s3, "site")).toEqual(["new.txt", "old.txt", "same.txt"]);
    expect(await textOf(home.s3, "site", "old.txt")).toBe(Body);
    expect(await textOf(home.s3, "site", "same.txt")).toBe("larger now");
    // Back the other way, to a directory.
    press("<tab>", "S");
    await see(`${disk}/`);
    press("<tab>", "<enter>");
    await see(/\+ +old\.txt/);
    press("S");
    await see("Do it");
    press("<enter>");
    await see("Done: Sync local/site/ to");
    await see(/│.*old\.txt/);
    expect(readFileSync(join(disk, "old.txt"), "utf8")).toBe("changed meanwhile");
    await quit(terminal);
  });
});
