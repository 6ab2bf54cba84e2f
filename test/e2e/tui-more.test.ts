/** The console beside opening and changing: pasting, finding, adding up, going back in time. */
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { keysOf, makeBucket, textOf } from "../support/sdk.js";
import { hostVariable } from "../support/store.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
  Object.assign(home.env, hostVariable("one", home.store));
});
afterAll(() => home.close());

describe("what was taken", () => {
  it("is pasted where one goes, in another bucket, and a cut takes it along", async () => {
    await makeBucket(home.s3, "from", { "a.txt": "a", "b.txt": "b" });
    await makeBucket(home.s3, "onto", { "a.txt": "there" });
    const terminal = home.open("one/from");
    const { press, see, miss } = terminal;
    await see("2 rows");
    press("<ctrl-a>", "X");
    await see("2 to move");
    press("<ctrl-g>");
    await see("Go to");
    press("<ctrl-u>", "one/onto/", "<enter>");
    await see("one › onto");
    await see("1 row");
    press("P");
    await see("It is there already");
    press("r");
    await see("Done: Move 2 items");
    await miss("to move");
    await see(/b\.txt +1B/);
    expect(await keysOf(home.s3, "from")).toEqual([]);
    expect(await textOf(home.s3, "onto", "a.txt")).toBe("a");
    await quit(terminal);
  });
});

describe("finding below", () => {
  it("lists what matches in all prefixes, to be acted on", async () => {
    await makeBucket(home.s3, "deep", {
      "a/one.jpg": "1",
      "a/b/two.jpg": "22",
      "a/b/three.txt": "333",
    });
    const terminal = home.open("one/deep");
    const { press, see, miss } = terminal;
    await see("1 row");
    press("F");
    await see("Find below");
    press("*.jpg", "<enter>");
    await see("Found");
    await see("a/b/two.jpg");
    await see("2 rows");
    press("<ctrl-a>", "x");
    await see("2 objects, 3B");
    await see(/For good/);
    press("<tab>", "<enter>");
    await see("Done: Delete 2 items");
    await miss("two.jpg ");
    expect(await keysOf(home.s3, "deep")).toEqual(["a/b/three.txt"]);
    await quit(terminal);
  });
});

describe("what everything takes", () => {
  it("is added up by child, the largest first, and can be deleted there", async () => {
    await makeBucket(home.s3, "sizes", {
      "big/x": "x".repeat(3000),
      "big/y": "y".repeat(1000),
      "small/z": "z",
      top: "tt",
    });
    const terminal = home.open("one/sizes");
    const { press, see } = terminal;
    await see("3 rows");
    press("D");
    await see("3.9KiB in 4 objects");
    await see(/▌ +3\.9KiB +━+ +2 +big\//);
    press("<enter>");
    await see(/2\.9KiB .* 1 +x/);
    press("<esc>");
    await see("in 4 objects");
    press("x");
    await see("2 objects, 3.9KiB");
    await see(/For good/);
    press("<tab>", "<enter>");
    await see("Done: Delete big/");
    await see(/▌ +2B +━.* 1 +top/);
    expect(await keysOf(home.s3, "sizes")).toEqual(["small/z", "top"]);
    await quit(terminal);
  });
});

describe("the past", () => {
  it("is shown in the list: what was deleted comes back, and so does an older version", async () => {
    await makeBucket(home.s3, "past");
    await home.s3.send(
      new PutBucketVersioningCommand({
        Bucket: "past",
        VersioningConfiguration: { Status: "Enabled" },
      }),
    );
    for (const Body of ["old text", "new"]) {
      await home.s3.send(new PutObjectCommand({ Bucket: "past", Key: "doc", Body }));
    }
    await home.s3.send(new PutObjectCommand({ Bucket: "past", Key: "gone", Body: "was here" }));
    await home.s3.send(new DeleteObjectCommand({ Bucket: "past", Key: "gone" }));
    const terminal = home.open("one/past");
    const { press, see } = terminal;
    await see("1 row");
    press(".");
    await see("what was deleted");
    await see("4 rows");
    press("<down>");
    await see(/▌ +doc +8B/);
    press("b");
    await see("becomes the latest");
    press("<enter>");
    await see("Done: Restore doc");
    expect(await textOf(home.s3, "past", "doc")).toBe("old text");
    await see((lines) => lines.filter((line) => / doc /.test(line.slice(0, 8))).length === 3);
    press("<home>", "<down>", "<down>", "<down>");
    await see(/▌ +gone +✗ deleted/);
    press("b");
    await see("is taken away");
    press("<enter>");
    await see("Done: Bring back gone");
    expect(await textOf(home.s3, "past", "gone")).toBe("was here");
    // The restore was a change as any other; the marker that went was none that can come back.
    press("z");
    await see(/Undo it\?[^]*Restore doc/);
    press("<enter>");
    await see("Done: Undo: Restore doc");
    expect(await textOf(home.s3, "past", "doc")).toBe("new");
    press(".");
    await see("2 rows");
    await quit(terminal);
  });
});

describe("the person's own programs", () => {
  it("show an object, and change it only over what was read", async () => {
    await makeBucket(home.s3, "own");
    await home.s3.send(
      new PutObjectCommand({
        Bucket: "own",
        Key: "note.txt",
        Body: "one\ntwo\n",
        ContentType: "text/x-note",
        Metadata: { author: "me" },
        Tagging: "kind=note",
      }),
    );
    const drift = join(mkdtempSync(join(home.directory, "own-")), "drift.sh");
    writeFileSync(drift, `echo mine >> "$1"; while [ ! -e ${drift}.go ]; do sleep 0.05; done`);
    const terminal = home.open("one/own", {
      env: {
        PAGER: "sed s/^/paged:/; echo the end; read -r line </dev/tty; echo",
        EDITOR: `f() { [ -e ${drift}.wait ] && sh ${drift} $1 || echo three >> $1; }; f`,
      },
    });
    const { press, see } = terminal;
    await see("1 row");
    press("o");
    await see("paged:two");
    await see("the end");
    expect(terminal.modes().alternate).toBe(false);
    press("<enter>");
    await see("1 row");
    expect(terminal.modes().alternate).toBe(true);
    press("O");
    await see("Saved note.txt");
    await see(/note\.txt +14B/);
    const { Body, ContentType, Metadata, TagCount } = await home.s3.send(
      new GetObjectCommand({ Bucket: "own", Key: "note.txt" }),
    );
    expect(await Body!.transformToString()).toBe("one\ntwo\nthree\n");
    expect({ ContentType, Metadata, TagCount }).toEqual({
      ContentType: "text/x-note",
      Metadata: { author: "me" },
      TagCount: 1,
    });
    // Somebody else writes while it is edited: theirs stays, and ours is in a file.
    writeFileSync(`${drift}.wait`, "");
    press("O");
    await expect.poll(() => terminal.modes().alternate).toBe(false);
    await home.s3.send(new PutObjectCommand({ Bucket: "own", Key: "note.txt", Body: "theirs" }));
    writeFileSync(`${drift}.go`, "");
    await see("what is there stays");
    expect(await textOf(home.s3, "own", "note.txt")).toBe("theirs");
    const path = /\S*pail-edit-\S+/.exec(terminal.screen().join("\n"))?.[0] ?? "";
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nmine\n");
    rmSync(dirname(path), { recursive: true });
    press("<esc>");
    await quit(terminal);
  });

  it("is not needed to follow an object that grows", async () => {
    await makeBucket(home.s3, "grows", { "a.log": "first line\n" });
    const terminal = home.open("one/grows");
    const { press, see } = terminal;
    await see("1 row");
    press("p");
    await see("first line");
    press("F");
    await see("following");
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join("");
    const Body = `first line\n${lines}`;
    await home.s3.send(new PutObjectCommand({ Bucket: "grows", Key: "a.log", Body }));
    await see("line 59");
    press("F");
    await terminal.miss("following");
    await quit(terminal);
  });
});

describe("keys and fields", () => {
  it("take Alt for a key of its own, refuse what is too long, and copy all that is marked", async () => {
    await makeBucket(home.s3, "keys", { "a.txt": "1", "b.txt": "22", "c.txt": "333" });
    // This console remembers in a place of its own, out of the other tests' way.
    const env = { PAIL_STATE_DIR: mkdtempSync(join(home.directory, "state-")) };
    const terminal = home.open("one/keys", { env });
    const { press, see, send } = terminal;
    await see("3 rows");
    // Not Esc and then x, which would leave the bucket and remove it.
    send("\u001Bx");
    press("N");
    await see("New file");
    expect(terminal.screen().join("")).toContain("one › keys");
    press("new.txt", "<enter>");
    send(`\u001B[200~${"x".repeat(70_000)}\u001B[201~`);
    await see("too long for a field");
    press("<tab>", "<enter>");
    await see(/▌ +new\.txt +0B/);
    press("g", "<space>", "<space>", "y");
    await see("Copy to the clipboard");
    press("a");
    await see("sent to the clipboard");
    const sent = /\u001B\]52;c;([A-Za-z0-9+/=]+)\u0007/.exec(terminal.output());
    expect(Buffer.from(sent![1]!, "base64").toString()).toBe("one/keys/a.txt\none/keys/b.txt");
    // How it is sorted is remembered.
    press("<enter>");
    await terminal.miss("sent to the clipboard");
    press("s", "s");
    await see(/SIZE [↑↓]/);
    await quit(terminal);
    const again = home.open("one/keys", { env });
    await again.see(/SIZE [↑↓]/);
    again.press("u", "u");
    await again.see("pick something with Space first");
    await quit(again);
  });
});

describe("a file dropped on the window", () => {
  it("offers its upload; any other text that is pasted does nothing", async () => {
    await makeBucket(home.s3, "drop", { "old.txt": "1" });
    const path = join(home.directory, "a dropped file.txt");
    writeFileSync(path, "dropped");
    const terminal = home.open("one/drop");
    const { press, see, send } = terminal;
    await see("1 row");
    send(`\u001B[200~x y /no/such/file\u001B[201~`);
    send(`\u001B[200~/no/such/file\u001B[201~`);
    send(`\u001B[200~'${path}' \u001B[201~`);
    await see("Upload to one/drop/?");
    await see("a dropped file.txt");
    press("<enter>");
    await see("Done: Upload a dropped file.txt");
    expect(await textOf(home.s3, "drop", "a dropped file.txt")).toBe("dropped");
    expect(await keysOf(home.s3, "drop")).toEqual(["a dropped file.txt", "old.txt"]);
    await quit(terminal);
  });
});

describe("undoing", () => {
  it("puts back what a removal, a move and a replacement have done, and names what was changed since", async () => {
    await makeBucket(home.s3, "undone", { "a.txt": "a", "b.txt": "old", "c/d.txt": "d" });
    await home.s3.send(
      new PutBucketVersioningCommand({
        Bucket: "undone",
        VersioningConfiguration: { Status: "Enabled" },
      }),
    );
    const put = (Key: string, Body: string) =>
      home.s3.send(new PutObjectCommand({ Bucket: "undone", Key, Body }));
    await put("a.txt", "a2");
    const terminal = home.open("one/undone");
    const { press, see } = terminal;
    await see("3 rows");
    press("z");
    await see("nothing is selected");
    // A removal of everything.
    press("<ctrl-a>", "x");
    await see("can be brought back");
    press("y");
    await see("Nothing here yet.");
    press("z");
    await see("Undo it?");
    press("<enter>");
    await see("Done: Undo");
    await see(/b\.txt +3B/);
    expect(await keysOf(home.s3, "undone")).toEqual(["a.txt", "b.txt", "c/d.txt"]);
    expect(await textOf(home.s3, "undone", "a.txt")).toBe("a2");
    // A rename that replaces.
    press("G");
    await see(/▌ +b\.txt/);
    press("r");
    await see("New name");
    press("<ctrl-u>", "<end>", "<ctrl-u>", "a.txt", "<enter>");
    await see("It is there already");
    press("<right>", "<enter>");
    await see(/Done: Rename/);
    expect(await textOf(home.s3, "undone", "a.txt")).toBe("old");
    press("z", "<enter>");
    await see(/Done: Undo/);
    expect(await textOf(home.s3, "undone", "a.txt")).toBe("a2");
    expect(await textOf(home.s3, "undone", "b.txt")).toBe("old");
    // A key that was written since then is not touched.
    await see(/b\.txt +3B/);
    press("g", "G");
    await see(/▌ +b\.txt/);
    press("x");
    await see("can be brought back");
    press("y");
    await see("Done: Delete b.txt");
    await put("b.txt", "newer");
    press("z", "<enter>");
    await see("Drifted");
    expect(await textOf(home.s3, "undone", "b.txt")).toBe("newer");
    await quit(terminal);
  });

  it("is refused where a bucket keeps no versions", async () => {
    await makeBucket(home.s3, "flat", { a: "1", b: "2" });
    const terminal = home.open("one/flat");
    const { press, see } = terminal;
    await see("2 rows");
    press("x");
    await see("For good");
    press("y");
    await see("Done: Delete a");
    press("z", "<enter>");
    await see("CannotUndo");
    expect(await keysOf(home.s3, "flat")).toEqual(["b"]);
    await quit(terminal);
  });
});

describe("what had not ended", () => {
  it("is offered by the next console, after a kill too, and goes on when it is told to", async () => {
    await makeBucket(home.s3, "later", { "a.txt": "there", "b.txt": "b", "c.txt": "c" });
    const files = mkdtempSync(join(home.directory, "files-"));
    const state = mkdtempSync(join(home.directory, "state-"));
    const env = { PAIL_STATE_DIR: state };
    writeFileSync(join(files, "a.txt"), "mine");
    const terminal = home.open("one/later", { cwd: files, env });
    const { press, see } = terminal;
    await see("3 rows");
    // Both wait for an answer, and are killed with it.
    press("u");
    await see("../");
    press("G");
    await see(/▌ +a\.txt/);
    press("<space>", "u");
    await see("It is there already");
    await expect.poll(() => readdirSync(state).join(" ")).toMatch(/console-jobs-\d+\.json( |$)/);
    terminal.kill("SIGKILL");
    await terminal.exit();

    const next = home.open("one/later", { env });
    await next.see("1 transfer had not ended");
    next.press("t");
    await next.see("An earlier console ended before it did");
    expect(await textOf(home.s3, "later", "a.txt")).toBe("there");
    next.press("r");
    await next.see("It is there already");
    next.press("<right>", "<enter>");
    await next.see(/✓ Upload a\.txt/);
    expect(await textOf(home.s3, "later", "a.txt")).toBe("mine");
    await quit(next);
    const last = home.open("one/later", { env });
    await last.see("3 rows");
    expect(last.screen().join("")).not.toContain("had not ended");
    await quit(last);
  });
});

describe("the bucket itself", () => {
  it("shows and changes versioning, tags and unfinished uploads, and shows its settings", async () => {
    await makeBucket(home.s3, "self", { a: "1" });
    await home.s3.send(new CreateMultipartUploadCommand({ Bucket: "self", Key: "half.bin" }));
    const terminal = home.open("one/self");
    const { press, see } = terminal;
    await see("1 row");
    press(",");
    await see("not kept");
    await see("half.bin");
    press("v");
    await see("Keep versions in self?");
    press("<tab>", "<enter>");
    await see("kept: what is deleted");
    press("<end>");
    await see(/▌ +Unfinished uploads/);
    press("x");
    await see("Abort the upload?");
    press("y");
    await see(/Unfinished uploads +none/);
    await home.s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: "self",
        LifecycleConfiguration: {
          Rules: [
            { ID: "a", Status: "Enabled", Filter: { Prefix: "logs/" }, Expiration: { Days: 30 } },
          ],
        },
      }),
    );
    await home.s3.send(
      new PutBucketCorsCommand({
        Bucket: "self",
        CORSConfiguration: {
          CORSRules: [{ AllowedMethods: ["GET", "PUT"], AllowedOrigins: ["https://a.example"] }],
        },
      }),
    );
    const Resource = "arn:aws:s3:::self/*";
    const Policy = JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource }],
    });
    await home.s3.send(new PutBucketPolicyCommand({ Bucket: "self", Policy }));
    press("R");
    await see(/Lifecycle +logs\/: expires after 30 days/);
    await see(/CORS +GET, PUT from https:\/\/a\.example/);
    await see(`Allow: s3:GetObject · * · ${Resource}`);
    const { Uploads = [] } = await home.s3.send(
      new ListMultipartUploadsCommand({ Bucket: "self" }),
    );
    expect(Uploads).toEqual([]);
    await quit(terminal);
  });
});

describe("a wide screen", () => {
  it("shows beside the list what the object under the cursor is and how it begins", async () => {
    await makeBucket(home.s3, "wide", { "a.json": '{"first":1}', "b.txt": "second text" });
    // That the pane was closed is remembered.
    const env = { PAIL_STATE_DIR: mkdtempSync(join(home.directory, "state-")) };
    const terminal = home.open("one/wide", { columns: 140, rows: 30, env });
    const { press, see, miss } = terminal;
    await see('"first": 1');
    await see(/Size +11B/);
    press("<down>");
    await see(/│ second text/);
    const Body = "another writer's";
    await home.s3.send(new PutObjectCommand({ Bucket: "wide", Key: "b.txt", Body }));
    press("R");
    await see(`│ ${Body}`);
    press("\\");
    await miss(Body);
    await quit(terminal);
  });
});

describe("reading", () => {
  it("goes to the true end, searches, and wraps", async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index} of a long log`);
    await makeBucket(home.s3, "logs", { "big.log": lines.join("\n"), "one.txt": "w".repeat(160) });
    const terminal = home.open("one/logs");
    const { press, see } = terminal;
    await see("2 rows");
    press("p");
    await see("line 0 of");
    press("G");
    await see("line 29999 of a long log");
    press("g");
    await see(/ 1 {2}line 0 of/);
    press("/");
    await see("From here to the end");
    press("LINE 20000 OF", "<enter>");
    await see("line 20000 of");
    press("<esc>");
    await see("2 rows");
    press("<down>", "p");
    await see((shown) => shown.filter((line) => /^ *1? +w{8}/.test(line)).length === 3);
    press("w");
    await see((shown) => shown.filter((line) => /^ *1? +w{8}/.test(line)).length === 1);
    await quit(terminal);
  });
});
