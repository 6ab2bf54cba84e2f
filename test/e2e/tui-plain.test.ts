/** The console in lines: what a screen reader reads out, and no sequence that places a cursor. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome } from "../support/console-home.js";
import { keysOf, makeBucket } from "../support/sdk.js";
import { type Terminal, openTerminal } from "../support/terminal.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
});
afterAll(() => home.close());

/** Says a line, and waits for what is said to it. */
const talk =
  (terminal: Terminal) =>
  async (line: string, ...answers: (string | RegExp)[]) => {
    const before = terminal.output().length;
    terminal.press(line, "<enter>");
    for (const answer of answers) {
      await terminal.see(() => {
        const said = terminal.output().slice(before);
        return typeof answer === "string" ? said.includes(answer) : answer.test(said);
      });
    }
  };

describe("the console in lines", () => {
  it("goes from signing in to an uploaded folder and its details, without one sequence", async () => {
    const files = join(home.directory, "files");
    mkdirSync(join(files, "trip"), { recursive: true });
    writeFileSync(join(files, "trip", "beach.txt"), "sand");
    const terminal = openTerminal({
      home,
      args: ["tui", "--plain"],
      columns: 120,
      rows: 60,
      cwd: files,
      env: { PAIL_STATE_DIR: join(home.directory, "plain") },
    });
    const say = talk(terminal);
    await terminal.see("1. local, embedded store");
    await say("new-alias", "Alias (");
    await say("play", "Endpoint");
    await say(home.store.endpoint, "Access key");
    await say(home.store.accessKeyId, "Secret key");
    await say(home.store.secretAccessKey, "Enter for Save");
    await say("", "play / Buckets, 0 buckets");
    await say("new bucket", "Name");
    await say("pics", "Versioning");
    await say("on", "Enter for Create");
    await say("", "Created pics", /1\. pics/);
    await say("", "play / pics, 0 rows");
    await say("upload", "2. trip/");
    await say("mark", "1 folder");
    await say("start-upload", "Done: Upload trip", "1. trip/");
    await say("", "1. beach.txt, 4B");
    await say("", /Size, 4B/);
    await say("again", /Row 1 of \d+: /);
    await say("esc", "play / pics / trip/");
    await say("delete", "Each gets a delete marker", "y for Delete");
    await say("y", "Done: Delete", "trip/, 0 rows");
    await say("nonsense", "No command is called nonsense");
    await say("help", "quit, ^C or Q: Quit");
    await say("quit");
    expect(await terminal.exit()).toEqual({ code: 0, signal: 0 });
    const said = terminal.output();
    expect(said).not.toMatch(/[^\P{Cc}\r\n]/u);
    expect(said).not.toMatch(/[\u2500-\u28FF]/u);
    expect(said).not.toContain(home.store.secretAccessKey);
  });

  it("is what there is where the terminal is dumb: names cannot speak for themselves", async () => {
    const hostile = "a\u001B]0;owned\u0007\u202Etxt";
    await makeBucket(home.s3, "names", { [hostile]: "x", "a.txt": "1", "b.txt": "2" });
    const terminal = home.open("local/names", { columns: 120, env: { TERM: "dumb" } });
    const say = talk(terminal);
    await terminal.see("local / names, 3 rows");
    await say("filter", "Filter: ");
    await say("b", "1 of 3 rows", "1. b.txt");
    await say("filter", "Filter: ");
    await say("", "3 rows");
    await say("2", "Row 2 of 3: a.txt");
    await say("rename", "New name");
    await say("c.txt", "Enter for Rename");
    await say("", "Done: Rename");
    await say("delete", "For good", "n for Cancel");
    await say("n", "pail>");
    await say("sort", "s, Size, largest first");
    await say("", "pail>");
    // The shell's own lines stand between; the question is asked again.
    const asked = () => terminal.output().split("pail> ").length;
    const before = asked();
    terminal.kill("SIGSTOP");
    terminal.kill("SIGCONT");
    await terminal.see(() => asked() > before);
    terminal.send("\u0004");
    expect((await terminal.exit()).code).toBe(0);
    expect(terminal.output()).not.toMatch(/[^\P{Cc}\r\n]/u);
    expect((await keysOf(home.s3, "names", "")).length).toBe(3);
  });
});
