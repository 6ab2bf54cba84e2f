/** The console as a guest of the terminal: sizes, endings, secrets, no terminal at all. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { DeleteBucketCommand, DeleteObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { createHome, RUNTIME } from "../support/run.js";
import { makeBucket } from "../support/sdk.js";
import { openTerminal } from "../support/terminal.js";

const NORMAL = { alternate: false, mouse: false, cursorHidden: false, bracketedPaste: false };
const TAKEN = { alternate: true, mouse: true, cursorHidden: true, bracketedPaste: true };

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
  const names = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, "0"));
  const objects = names.map((name) => [`list/object-${name}.txt`, "x"]);
  await makeBucket(home.s3, "bkt", Object.fromEntries(objects));
});
afterAll(() => home.close());

/** The address as the console remembers it comes with the size; everything else must not. */
async function freshScreen(columns: number, rows: number): Promise<string[]> {
  const terminal = home.open("local/bkt/list/", { columns, rows });
  await terminal.see("60 rows");
  // The side pane of a wide screen ends with the object's first bytes.
  if (columns >= 110) await terminal.see(/│ x\s*$/m);
  const screen = terminal.screen();
  await quit(terminal);
  return screen;
}

describe("the size of the screen", () => {
  it("may change at any moment: what is shown is what a fresh start at that size shows", async () => {
    const sizes: [number, number][] = [
      [80, 24],
      [200, 50],
      [60, 15],
      [120, 40],
      [97, 31],
    ];
    const terminal = home.open("local/bkt/list/", { columns: 120, rows: 40 });
    await terminal.see("60 rows");
    for (const [columns, rows] of sizes) {
      const expected = await freshScreen(columns, rows);
      terminal.resize(columns, rows);
      await terminal.see((lines) => lines.join("\n") === expected.join("\n"));
    }
    await quit(terminal);
  });

  it("says so when it is too small, and goes on when it is large enough again", async () => {
    const terminal = home.open("local/bkt/list/", { columns: 59, rows: 14 });
    await terminal.see("This terminal is too small for pail.");
    await terminal.see("It has 59x14; 60x15 is enough.");
    terminal.resize(80, 24);
    await terminal.see("object-00.txt");
    terminal.resize(80, 10);
    await terminal.see("It has 80x10");
    await quit(terminal);
  });
});

describe("what the terminal is sent", () => {
  it("is less than a kilobyte for a moved cursor, and never a full clear but on resize", async () => {
    const terminal = home.open("local/bkt/list/", { columns: 100, rows: 40 });
    await terminal.see("60 rows");
    await terminal.see("▌  object-00.txt");
    const clears = () => terminal.output().split("\u001B[2J").length;
    const before = clears();
    // 33 rows are on screen: the later ones scroll.
    for (let index = 1; index < 60; index++) {
      const start = terminal.output().length;
      terminal.press("j");
      await terminal.see(new RegExp(`▌ +object-${String(index).padStart(2, "0")}`));
      await terminal.see(`${index + 1}/60`);
      expect(Buffer.byteLength(terminal.output().slice(start))).toBeLessThan(1024);
    }
    expect(clears()).toBe(before);
    expect(terminal.output()).not.toContain("\u001B[3J");
    await quit(terminal);
  });

  it("shows every key of a chunk: 50 arrows sent at once move 50 rows", async () => {
    const terminal = home.open("local/bkt/list/");
    await terminal.see("60 rows");
    terminal.send("\u001B[B".repeat(30) + "j".repeat(20));
    await terminal.see(/▌ +object-50/);
    await quit(terminal);
  });
});

describe("the terminal is given back", () => {
  const started = async (options: Parameters<ConsoleHome["open"]>[1] = {}) => {
    const terminal = home.open("local/bkt/list/", options);
    await terminal.see("60 rows");
    expect(terminal.modes()).toEqual(TAKEN);
    return terminal;
  };

  it("by q at the root, with exit code 0", async () => {
    const terminal = await started();
    terminal.press("q");
    await terminal.see("Buckets");
    terminal.press("q");
    await terminal.see("Sign in");
    terminal.press("q");
    expect(await terminal.exit()).toEqual({ code: 0, signal: 0 });
    expect(terminal.modes()).toEqual(NORMAL);
  });

  it("by Ctrl-C, even in a dialog", async () => {
    const terminal = await started();
    terminal.press("n");
    await terminal.see("New directory ─");
    await quit(terminal);
    expect(terminal.modes()).toEqual(NORMAL);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "by %s, which is what it ends of: a shell reports 128 and its number",
    async (signal) => {
      const terminal = await started();
      terminal.kill(signal);
      expect((await terminal.exit()).signal).toBe(constants.signals[signal]);
      expect(terminal.modes()).toEqual(NORMAL);
    },
  );

  it("by SIGINT, with exit code 130", async () => {
    const terminal = await started();
    terminal.kill("SIGINT");
    expect((await terminal.exit()).code).toBe(130);
    expect(terminal.modes()).toEqual(NORMAL);
  });

  // A crash is seeded by Node's own options.
  const byCrash = "by a crash, which leaves its message on the ordinary screen";
  it.skipIf(RUNTIME !== process.execPath)(byCrash, async () => {
    const crash = join(home.directory, "crash.cjs");
    writeFileSync(crash, 'process.on("SIGUSR2", () => { throw new Error("seeded crash") });');
    const terminal = await started({ env: { NODE_OPTIONS: `--require ${crash}` } });
    terminal.kill("SIGUSR2");
    expect((await terminal.exit()).code).not.toBe(0);
    expect(terminal.modes()).toEqual(NORMAL);
    await terminal.see("seeded crash");
    expect(terminal.output()).not.toContain(home.store.secretAccessKey);
  });

  it("by the end of the process when the terminal itself is gone", async () => {
    const terminal = await started();
    terminal.hangUp();
    await expect.poll(() => isAlive(terminal.pid), { timeout: 10_000 }).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("secrets", () => {
  it("typed into the sign-in form are never on screen, and reach the file with mode 0600", async () => {
    const own = createHome();
    const terminal = openTerminal({ home: own });
    const { press, see } = terminal;
    await see("built-in");
    press("n");
    await see("Secret key");
    // Without http:// or https://, which is found out; first with keys that are wrong.
    const address = home.store.endpoint.replace("http://", "");
    press("mine", "<tab>", address, "<tab>", home.store.accessKeyId, "<tab>", "not-the-secret");
    await see("********");
    press("<enter>");
    await see("SignatureDoesNotMatch");
    press("<ctrl-u>", home.store.secretAccessKey, "<enter>");
    await see("mine › Buckets");
    await see(/bkt +\d{4}-/);
    await quit(terminal);
    expect(terminal.output()).not.toContain(home.store.secretAccessKey);
    const config = join(own.directory, "config", "config.json");
    expect(readFileSync(config, "utf8")).toContain(home.store.secretAccessKey);

    // The same name again takes the place of nothing.
    const before = readFileSync(config, "utf8");
    const again = openTerminal({ home: own, args: ["tui", "local"] });
    await again.see("Buckets");
    again.press("a");
    await again.see(/mine +http/);
    again.press("n");
    await again.see("Secret key");
    again.press("mine", "<tab>", address, "<tab>", "WRONG", "<tab>", "wrong", "<enter>");
    await again.see("there is an alias mine already");
    expect(readFileSync(config, "utf8")).toBe(before);
    again.press("<esc>");
    // An alias that another shell makes is there when the list is read again.
    await own.pail(
      ["alias", "set", "other", home.store.endpoint, "AK", "--secret-key-stdin", "--no-check"],
      {
        stdin: "SK",
      },
    );
    await own.pail(["alias", "remove", "mine"]);
    again.press("R");
    await again.miss(/mine +http/);
    // One of the file is edited: its new keys are tried, then saved.
    await again.see(/other +http/);
    again.press("<end>");
    await again.see(/▌ +other/);
    again.press("e");
    await again.see("Secret key");
    again.press("<tab>", "<tab>", "<ctrl-u>", home.store.accessKeyId);
    again.press("<tab>", "<ctrl-u>", home.store.secretAccessKey);
    again.press(...Array.from({ length: 6 }, () => "<enter>"));
    await again.see("other › Buckets");
    expect(readFileSync(config, "utf8")).toContain(home.store.secretAccessKey);
    await quit(again);
    own.remove();
  });
});

describe("what other tools know", () => {
  it("is offered to sign in with: tried, then taken, and their files stay as they are", async () => {
    const own = createHome();
    const file = join(own.directory, ".mc", "config.json");
    const { endpoint: url, accessKeyId: accessKey, secretAccessKey: secretKey } = home.store;
    const right = { url, accessKey, secretKey, api: "S3v4", path: "auto" };
    const text = JSON.stringify({
      version: "10",
      aliases: { theirs: right, bad: { ...right, secretKey: "not-the-secret" } },
    });
    mkdirSync(join(own.directory, ".mc"));
    writeFileSync(file, text);
    const terminal = openTerminal({ home: own });
    const { press, see } = terminal;
    await see("2 offered from other tools");
    await see(/bad +http.* ~\/\.mc\/config\.json/);
    press("G", "<enter>");
    await see("Sign in with bad?");
    press("<enter>");
    await see("SignatureDoesNotMatch");
    press("k", "<enter>");
    await see("Sign in with theirs?");
    press("<enter>");
    await see("theirs › Buckets");
    await see(/bkt +\d{4}-/);
    await quit(terminal);
    const config = readFileSync(join(own.directory, "config", "config.json"), "utf8");
    expect(Object.keys((JSON.parse(config) as { aliases: object }).aliases)).toEqual(["theirs"]);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(terminal.output()).not.toContain(secretKey);
    own.remove();
  });
});

describe("without a terminal", () => {
  it("refuses clearly, with exit code 2", async () => {
    const { code, stdout, stderr } = await home.pail(["tui"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("the console needs a terminal");
  });

  it("paints in a real terminal though CI=true", async () => {
    const terminal = home.open("local/bkt/list/", {
      env: { CI: "true", CONTINUOUS_INTEGRATION: "1" },
    });
    await terminal.see(/▌ +object-00/);
    terminal.press("j");
    await terminal.see(/▌ +object-01/);
    expect(terminal.output()).toContain("\u001B[38;");
    await quit(terminal);
  });
});

describe("starting", () => {
  it("is what pail does on a terminal without arguments", async () => {
    const own = createHome();
    const terminal = openTerminal({ home: own, args: [] });
    await terminal.see("Sign in");
    await terminal.see("built-in");
    terminal.press("q");
    expect((await terminal.exit()).code).toBe(0);
    own.remove();
  });

  it("of any other command loads nothing of the console", () => {
    const main = readFileSync(new URL("../../dist/main.cjs", import.meta.url), "utf8");
    expect(main).toContain("tui.cjs");
    expect(main).not.toMatch(/yoga|react-reconciler|useInput/);
  });
});

describe("a last place", () => {
  it("that is gone is left for the one above it, which says so", async () => {
    await makeBucket(home.s3, "gone", { "a/b.txt": "1" });
    const env = { PAIL_STATE_DIR: join(home.directory, "state-gone") };
    const terminal = home.open("local/gone/a/", { env });
    await terminal.see(/▌ +b\.txt/);
    await quit(terminal);
    await home.s3.send(new DeleteObjectCommand({ Bucket: "gone", Key: "a/b.txt" }));
    await home.s3.send(new DeleteBucketCommand({ Bucket: "gone" }));
    const again = home.open(undefined, { env });
    await again.see("local/gone/a/ cannot be opened");
    await again.see("local › Buckets");
    await again.see(/bkt +\d{4}-/);
    await quit(again);
  });
});

describe("looks", () => {
  it("shows the selection without color when NO_COLOR is set", async () => {
    const terminal = home.open("local/bkt/list/", { env: { NO_COLOR: "1" } });
    await terminal.see(/▌ +object-00/);
    expect(terminal.output()).not.toMatch(/\u001B\[[34]8;/);
    await quit(terminal);
  });

  it("draws with ASCII alone where the locale is not UTF-8", async () => {
    const terminal = home.open("local/bkt/list/", { env: { LANG: "C" } });
    await terminal.see(/> +object-00/);
    expect(terminal.screen().join("\n")).toMatch(/^[\u0020-\u007E\n]*$/);
    terminal.press("n");
    await terminal.see("+- New directory -");
    await quit(terminal);
  });

  it("opens where it was left", async () => {
    const env = { PAIL_STATE_DIR: join(home.directory, "state-left") };
    const first = home.open("local/bkt/list/", { env });
    await first.see("60 rows");
    await quit(first);
    const second = home.open(undefined, { env });
    await second.see("local › bkt › list/");
    await quit(second);
  });
});
