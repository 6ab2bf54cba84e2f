/** The console's work on objects beyond the flow: copies, versions, links, the mouse, own keys. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { createHome } from "../support/run.js";
import { keysOf, makeBucket, sdkFor, textOf } from "../support/sdk.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";
import { openTerminal } from "../support/terminal.js";

let home: ConsoleHome;
let s3: S3Client;
let other: RunningStore;
let otherS3: S3Client;

beforeAll(async () => {
  home = await createConsoleHome();
  s3 = home.s3;
  other = await startStore();
  otherS3 = sdkFor(other);
  Object.assign(home.env, hostVariable("one", home.store), hostVariable("two", other));
});
afterAll(async () => {
  otherS3.destroy();
  await other.close();
  await home.close();
});

describe("copying and moving", () => {
  it("goes within a bucket, and to another bucket of another alias", async () => {
    await makeBucket(s3, "source", { "a.txt": "a", "dir/b.txt": "bb", "dir/deep/c.txt": "ccc" });
    await makeBucket(otherS3, "target");
    const terminal = home.open("one/source");
    const { press, see } = terminal;
    await see("2 rows");
    await see(/▌ +dir\//);
    press("c");
    await see("or a directory keeps the name");
    press("<ctrl-u>", "two/target/kept/", "<enter>");
    await see("Done: Copy dir/ to two/target/kept/");
    expect(await keysOf(otherS3, "target")).toEqual(["kept/dir/b.txt", "kept/dir/deep/c.txt"]);

    press("<down>");
    await see(/▌ +a\.txt/);
    press("m");
    await see("Move a.txt");
    press("<ctrl-u>", "two/target/moved.txt", "<enter>");
    await see("Done: Rename a.txt to two/target/moved.txt");
    expect(await keysOf(s3, "source")).toEqual(["dir/b.txt", "dir/deep/c.txt"]);
    expect(await keysOf(otherS3, "target")).toContain("moved.txt");

    press("<home>");
    await see(/▌ +dir\//);
    press("r");
    await see("New name");
    press("-new", "<enter>");
    await see(/▌ +dir-new\//);
    expect(await keysOf(s3, "source")).toEqual(["dir-new/b.txt", "dir-new/deep/c.txt"]);
    await quit(terminal);
  });
});

describe("downloads", () => {
  it("of marked rows keep names, and prefixes become directories", async () => {
    await makeBucket(s3, "down", {
      "a.txt": "a",
      "dir/b.txt": "bb",
      "dir/deep/c.txt": "ccc",
      "z.txt": "z",
    });
    const terminal = home.open("one/down");
    const { press, see } = terminal;
    await see("3 rows");
    press("<space>", "<space>");
    await see("2 marked, 1B");
    press("d");
    await see("Download 2 items");
    const into = mkdtempSync(join(home.directory, "got-"));
    press("<ctrl-u>", into, "<enter>");
    await see("Done: Download 2 items");
    expect(readFileSync(join(into, "a.txt"), "utf8")).toBe("a");
    expect(readFileSync(join(into, "dir", "b.txt"), "utf8")).toBe("bb");
    expect(readFileSync(join(into, "dir", "deep", "c.txt"), "utf8")).toBe("ccc");
    press("t");
    await see(/✓ Download 2 items .* done/);
    await see("6B of 6B");
    await quit(terminal);
  });
});

describe("versions", () => {
  it("are restored, downloaded and deleted one by one", async () => {
    await makeBucket(s3, "versioned");
    const versioning = { Status: "Enabled" } as const;
    await s3.send(
      new PutBucketVersioningCommand({ Bucket: "versioned", VersioningConfiguration: versioning }),
    );
    for (const Body of ["first", "the second"]) {
      await s3.send(new PutObjectCommand({ Bucket: "versioned", Key: "doc", Body }));
    }
    // A longer key begins alike, and is none of its versions.
    await s3.send(new PutObjectCommand({ Bucket: "versioned", Key: "docs", Body: "x" }));
    const terminal = home.open("one/versioned");
    const { press, see, miss } = terminal;
    await see("2 rows");
    press("V");
    await see(/10B +\S+ \S+ +latest/);
    expect(terminal.screen().filter((line) => /\d+B {2}\d{4}/.test(line))).toHaveLength(2);
    press("<down>");
    await see((lines) => lines.some((line) => /^▌.* 5B /.test(line)));
    press("d");
    await see("Into");
    const old = mkdtempSync(join(home.directory, "old-"));
    press("<ctrl-u>", old, "<enter>");
    await see("Done: Download doc");
    expect(readFileSync(join(old, "doc"), "utf8")).toBe("first");
    press("r");
    await see("Restore doc?");
    press("<enter>");
    await see(/5B +\S+ \S+ +latest/);
    expect(await textOf(s3, "versioned", "doc")).toBe("first");
    // The restored one is on top; the oldest at the bottom goes for good.
    press("G");
    await see((lines) => lines.some((line) => /^▌.* 5B (?!.*latest)/.test(line)));
    press("x");
    await see("1 object, 5B");
    await see(/For good|delete marker|goes for good/);
    press("y");
    await miss("1 object, 5B");
    await see((lines) => lines.filter((line) => /\d+B {2}\d{4}/.test(line)).length === 2);
    const { Versions = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: "versioned", Prefix: "doc" }),
    );
    expect(Versions.filter(({ Key }) => Key === "doc").map(({ Size }) => Size)).toEqual([5, 10]);
    await quit(terminal);
  });
});

describe("sharing", () => {
  it("shows a link that works without credentials, and copies it to the clipboard", async () => {
    await makeBucket(s3, "share", { "a b.txt": "shared" });
    const terminal = home.open("one/share");
    const { press, see } = terminal;
    await see("1 row");
    press("y");
    await see("Copy to the clipboard");
    press("l");
    await see("The link was sent to the clipboard");
    // The last row of the frame: all of it has come.
    await see("Esc close");
    const sequence = /\u001B\]52;c;([A-Za-z0-9+/=]+)\u0007/.exec(terminal.output());
    const url = Buffer.from(sequence![1]!, "base64").toString();
    // The terminal itself can open it, each row of it.
    const links = terminal
      .output()
      .matchAll(/\u001B\]8;id=pail;(.*?)\u001B\\(.*?)\u001B\]8;;\u001B\\/g);
    const pieces = new Set(
      [...links].flatMap(([, link, text = ""]) => (link === url ? [text] : [])),
    );
    expect([...pieces].join("")).toBe(url);
    const answer = await fetch(url);
    expect(await answer.text()).toBe("shared");
    press("<esc>", "<enter>");
    await see("Content type");
    press("s");
    await see("The link works for");
    press("1");
    await see("Works for  15m00s");
    // The link on the screen is the one that is copied.
    press("y");
    await see("The link was sent to the clipboard");
    const sent = [...terminal.output().matchAll(/\u001B\]52;c;([A-Za-z0-9+/=]+)\u0007/g)].at(-1);
    expect(Buffer.from(sent![1]!, "base64").toString()).toContain("X-Amz-Expires=900");
    await quit(terminal);
  });
});

describe("the mouse", () => {
  it("selects a row, opens it with a second click, presses buttons, and scrolls", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`k${10 + index}`, "x"]),
    );
    await makeBucket(s3, "mouse", many);
    const terminal = home.open("one/mouse");
    const { click, see, send, press } = terminal;
    await see("40 rows");
    click(5, 6);
    await see(/▌ +k12/);
    send("\u001B[<65;5;5M");
    await see(/▌ +k15/);
    click(5, 4);
    await see(/▌ +k10/);
    click(5, 4);
    await see("Content type");
    press("<esc>");
    await see("40 rows");
    const bar = terminal.screen()[1]!;
    click(bar.indexOf("New directory") + 1, 1);
    await see("an empty object");
    const buttons = terminal.screen().findIndex((line) => line.includes("Cancel"));
    click(terminal.screen()[buttons]!.indexOf("Cancel") + 1, buttons);
    await terminal.miss("an empty object");
    await quit(terminal);
  });
});

describe("finding", () => {
  it("filters what is loaded, asks the server for a beginning, and sorts", async () => {
    await makeBucket(s3, "find", { "apple.txt": "1", "apricot.txt": "22", "banana.txt": "333" });
    const terminal = home.open("one/find");
    const { press, see, miss } = terminal;
    await see("3 rows");
    press("/", "an");
    await see("Filter an");
    await see("1 of 3");
    press("<enter>");
    await see('filter "an"');
    await miss("apple");
    press("<esc>");
    await see("apple");
    press("/", "btx");
    await see("1 of 3");
    press("<ctrl-u>", "'btx");
    await see("No loaded row fits the filter.");
    press("<esc>");
    await see("apple");
    press("f");
    await see("Find keys");
    press("ap", "<enter>");
    await see('begins with "ap"');
    await see("2 rows");
    await miss("banana");
    press("<esc>");
    await see("3 rows");
    press("s");
    await see("Size, largest first");
    press("s");
    await see("by size");
    press("g");
    await see(/▌ +banana/);
    await quit(terminal);
  });
});

describe("keys of one's own", () => {
  it("are taken from the config file, and the palette runs what has none", async () => {
    await makeBucket(s3, "keys", { a: "1" });
    const own = createHome();
    mkdirSync(join(own.directory, "config"), { recursive: true });
    const config = { version: 1, aliases: {}, tui: { keys: { "new-file": "F", nonsense: "z" } } };
    writeFileSync(join(own.directory, "config", "config.json"), JSON.stringify(config), {
      mode: 0o600,
    });
    const terminal = openTerminal({
      home: own,
      args: ["tui", "one/keys"],
      env: hostVariable("one", home.store),
    });
    const { press, see, miss } = terminal;
    await see('no command is called "nonsense"');
    await see(/▌ +a +1B/);
    press("F");
    await see("New file ─");
    press("<esc>");
    await miss("New file ─");
    press(":");
    await see("Commands");
    press("help", "<enter>");
    await see(/F +New file here/);
    await quit(terminal);
    own.remove();
  });
});

describe("a light theme", () => {
  it("is taken from the settings, or from the terminal's own answer", async () => {
    await makeBucket(s3, "theme", { a: "1" });
    const terminal = home.open("one/theme", { env: { COLORTERM: "truecolor" } });
    const { see, send, output } = terminal;
    await see("1 row");
    expect(output()).toContain("\u001B]11;?");
    expect(output()).not.toContain("48;2;207;228;255");
    send("\u001B]11;rgb:ffff/ffff/ffff\u001B\\");
    // The cursor's row in the light theme.
    await see(() => output().includes("48;2;207;228;255"));
    await quit(terminal);
  });
});
