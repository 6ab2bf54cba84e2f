/** Nothing that is there is lost unasked: what the console does where names meet, or are bad. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { startLargeService } from "../support/large-service.js";
import { keysOf, makeBucket, textOf } from "../support/sdk.js";
import { hostVariable } from "../support/store.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
  const { store } = home;
  const other = store.endpoint.replace("127.0.0.1", "localhost");
  Object.assign(
    home.env,
    hostVariable("one", store),
    hostVariable("twin", { ...store, endpoint: other }),
  );
});
afterAll(() => home.close());

describe("a move", () => {
  it("onto itself under another alias of the same service is refused, and the objects stay", async () => {
    await makeBucket(home.s3, "mover", { "f1.txt": "one", "a/x": "x", "a/y": "y" });
    for (const alias of ["twin", "local"]) {
      const terminal = home.open("one/mover");
      const { press, see } = terminal;
      await see("2 rows");
      press("<ctrl-a>", "m");
      await see("Move 2 items");
      press("<ctrl-u>", `${alias}/mover/`, "<enter>");
      await see(/SameObject|own target|itself/);
      expect(await keysOf(home.s3, "mover")).toEqual(["a/x", "a/y", "f1.txt"]);
      await quit(terminal);
    }
  });

  it("of a prefix leaves what came meanwhile, and its row", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`m/k${index}`, "x"]),
    );
    await makeBucket(home.s3, "busy", many);
    const terminal = home.open("one/busy");
    const { press, see } = terminal;
    await see("1 row");
    press("r");
    await see("New name");
    press("2", "<enter>");
    const late: string[] = [];
    for (let index = 0; index < 20; index++) {
      const Key = `m/late${index}`;
      await home.s3.send(new PutObjectCommand({ Bucket: "busy", Key, Body: "late" }));
      late.push(Key);
    }
    await see(/Done: Rename|Drifted/);
    const names = (await keysOf(home.s3, "busy")).map((key) => key.slice(key.indexOf("/") + 1));
    for (const key of late) expect(names).toContain(key.slice(2));
    for (const key of Object.keys(many)) expect(names).toContain(key.slice(2));
    await quit(terminal);
  });
});

describe("a name that is taken", () => {
  it("is asked about when renaming: skipped, replaced, or both kept", async () => {
    await makeBucket(home.s3, "taken", { "a.txt": "new", "b.txt": "PRECIOUS" });
    const terminal = home.open("one/taken");
    const { press, see, miss } = terminal;
    await see("2 rows");
    const rename = async () => {
      press("<home>");
      await see(/▌ +a\.txt/);
      press("r");
      await see("New name");
      press("<end>", "<ctrl-u>", "b.txt", "<enter>");
      await see("It is there already");
      await see(/ 8B {2}\d{4}-/);
      await see(/ 3B {2}\d{4}-/);
    };
    await rename();
    press("<esc>");
    await miss("It is there already");
    await see("1 skipped");
    expect(await textOf(home.s3, "taken", "b.txt")).toBe("PRECIOUS");
    expect(await textOf(home.s3, "taken", "a.txt")).toBe("new");
    await rename();
    press("b");
    await see(/b \(2\)\.txt/);
    expect(await textOf(home.s3, "taken", "b.txt")).toBe("PRECIOUS");
    expect(await textOf(home.s3, "taken", "b (2).txt")).toBe("new");
    await quit(terminal);
  });

  it("on the local disk is asked about when downloading, and one answer may be for all", async () => {
    await makeBucket(home.s3, "fetch", { "a.txt": "theirs", "b.txt": "theirs", "c.txt": "c" });
    const into = mkdtempSync(join(home.directory, "mine-"));
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(into, name), "PRECIOUS");
    const terminal = home.open("one/fetch");
    const { press, see } = terminal;
    await see("3 rows");
    press("<ctrl-a>", "d");
    await see("Download 3 items");
    press("<ctrl-u>", into, "<enter>");
    await see("It is there already");
    press("a", "s");
    await see("Done: Download 3 items");
    expect(readFileSync(join(into, "a.txt"), "utf8")).toBe("PRECIOUS");
    expect(readFileSync(join(into, "b.txt"), "utf8")).toBe("PRECIOUS");
    expect(readFileSync(join(into, "c.txt"), "utf8")).toBe("c");
    await quit(terminal);
  });
});

describe("a bad name", () => {
  it("keeps no neighbor from being downloaded, and is told with its reason on the job's page", async () => {
    await makeBucket(home.s3, "bad", { "./x": "1", "a/y": "2", "dir/z": "3", "../up": "4" });
    const terminal = home.open("one/bad");
    const { press, see } = terminal;
    await see("4 rows");
    press("<ctrl-a>", "d");
    await see("Download 4 items");
    const into = mkdtempSync(join(home.directory, "rest-"));
    press("<ctrl-u>", into, "<enter>");
    await see(/UnsafeKey/);
    expect(readFileSync(join(into, "a", "y"), "utf8")).toBe("2");
    expect(readFileSync(join(into, "dir", "z"), "utf8")).toBe("3");
    press("t", "<enter>");
    await see("Transfers › Files");
    await see((lines) => lines.filter((line) => line.includes("UnsafeKey")).length === 2);
    press("<enter>");
    await see("Failed ─");
    await quit(terminal);
  });
});

describe("the job of the shell", () => {
  it("is stopped and goes on: the terminal is the shell's meanwhile, and painted anew after", async () => {
    await makeBucket(home.s3, "stopped", { "a.txt": "a" });
    const terminal = home.open("one/stopped");
    const { press, see, modes, output } = terminal;
    await see("1 row");
    terminal.kill("SIGTSTP");
    await see(() => !modes().alternate);
    expect(modes()).toMatchObject({ mouse: false, cursorHidden: false, bracketedPaste: false });
    const before = output().length;
    terminal.kill("SIGCONT");
    await see(() => output().length > before && modes().alternate);
    await see(/▌ +a\.txt/);
    const length = output().length;
    press("\u000C");
    await see(() => output().indexOf("\u001B[2J", length) > 0);
    press("j");
    await quit(terminal);
  });
});

describe("few colors", () => {
  it.each([
    ["screen", /\u001B\[37;44m▌/, /\u001B\[[0-9;]*[34]8;[25];/],
    ["xterm-256color", /\u001B\[38;5;231;48;5;24m▌/, /\u001B\[[0-9;]*[34]8;2;/],
  ])("of %s show the row under the cursor on a background of its own", async (TERM, row, more) => {
    await makeBucket(home.s3, "colors", { "a.txt": "a" });
    const terminal = home.open("one/colors", { env: { TERM, COLORTERM: "" } });
    await terminal.see("1 row");
    expect(terminal.output()).toMatch(row);
    expect(terminal.output()).not.toMatch(more);
    await quit(terminal);
  });
});

describe("a removal of more than a thousand objects", () => {
  it("is done only when the name was typed", async () => {
    const large = await startLargeService(1500);
    const env = { PAIL_HOST_large: large.endpoint.replace("//", "//key:secret@") };
    const terminal = home.open("large/many", { env });
    const { press, see } = terminal;
    const removals = () => large.asked.filter((line) => /^(?:POST|DELETE) /.test(line));
    await see("1,500 rows");
    press("<ctrl-a>", "x");
    await see("1,500 objects");
    await see("Type many to go on");
    press("y");
    await see(/go on: +y/);
    expect(removals()).toEqual([]);
    press("<backspace>", "many");
    await see(/go on: +many/);
    press("<enter>");
    await terminal.miss("Delete from large/many?");
    while (removals().length === 0) await new Promise(setImmediate);
    await quit(terminal);
    large.close();
  });
});

describe("a list", () => {
  it("keeps its place when a row is made, an object opened, or a job ends", async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    await makeBucket(home.s3, "place", Object.fromEntries(keys.map((key) => [key, key])));
    const terminal = home.open("one/place", { rows: 20 });
    const { press, see, screen, click } = terminal;
    await see("60 rows");
    press("<end>", "kkkkk");
    await see(/▌ +k54/);
    const top = () => screen()[4];
    const first = top();
    press("<enter>");
    await see("Content type");
    press("<esc>");
    await see(/▌ +k54/);
    expect(top()).toBe(first);
    press("N");
    await see("New file");
    press("zz", "<enter>", "text", "<tab>", "<enter>");
    await see("Created");
    await see(/▌ +zz/);
    press("kkk");
    await see(/▌ +k57/);
    press("x");
    await see("For good");
    press("y");
    await see("Done: Delete k57");
    await see(/▌ +k58/);
    await see("58/60");
    // A click on the heading chooses the order, one on what it is in goes there.
    click(5, 3);
    await see("Sort by");
    press("<esc>");
    await see(/▌ +k58/);
    click(8, 0);
    await see("one › Buckets");
    await quit(terminal);
  });
});
