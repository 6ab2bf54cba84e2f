/** Looking into objects: text of any size by range, bytes, and pictures. */
import { gzipSync } from "node:zlib";

import { PutObjectCommand } from "@aws-sdk/client-s3";
import { encode } from "jpeg-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { makeBucket } from "../support/sdk.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
  await makeBucket(home.s3, "look");
});
afterAll(() => home.close());

/** An archive of empty files. */
function archive(names: readonly string[]): Buffer {
  const entries = names.map((name) => {
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(Buffer.byteLength(name), 28);
    return Buffer.concat([head, Buffer.from(name)]);
  });
  const first = Buffer.from("PK\u0003\u0004");
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(first.length, 16);
  return Buffer.concat([first, directory, end]);
}

async function preview(key: string, body: Uint8Array | string) {
  await home.s3.send(new PutObjectCommand({ Bucket: "look", Key: `${key}/${key}`, Body: body }));
  const terminal = home.open(`local/look/${key}/`, { env: { COLORTERM: "truecolor" } });
  await terminal.see("1 row");
  terminal.press("p");
  return terminal;
}

describe("the preview", () => {
  it("seeks through an object larger than a window without reading it whole", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `this is line ${index}`);
    const terminal = await preview("long.txt", lines.join("\n"));
    const { press, see } = terminal;
    await see("this is line 0");
    press("G");
    await see("this is line 19999");
    await see(/bytes \d{6}–/);
    press("g");
    await see("bytes 0–");
    await see("this is line 0");
    await quit(terminal);
  });

  it("dumps what is not text, and shows control characters of what is", async () => {
    const binary = await preview("some.bin", Buffer.from([0, 1, 2, 0x41, 0xff]));
    await binary.see("00 01 02 41 ff");
    await binary.see("not text");
    await quit(binary);
    const hostile = await preview("esc.txt", "red \u001B[31m \u001B]0;title\u0007 text");
    await hostile.see("red \\x1b[31m \\x1b]0;title\\x07 text");
    await quit(hostile);
  });

  it("shows a picture in half blocks of its colors, made anew for another size", async () => {
    const [width, height] = [200, 100];
    const data = Buffer.alloc(width * height * 4);
    for (let at = 0; at < data.length; at += 4) data.set([250, 40, 40, 255], at);
    const terminal = await preview("red.jpg", encode({ width, height, data }, 95).data);
    const { see, output, resize } = terminal;
    await see("JPEG 200×100");
    await see("▀".repeat(36));
    expect(output()).toMatch(/\u001B\[38;2;2[45]\d;\d\d;\d\d[m;]/);
    resize(120, 40);
    await see("▀".repeat(68));
    await quit(terminal);
  });

  it("leaves a picture to a terminal that draws it, and takes it away in time", async () => {
    const [width, height] = [200, 100];
    const data = Buffer.alloc(width * height * 4, 90);
    const body = encode({ width, height, data }, 90).data;
    for (const Key of ["drawn/a.jpg", "drawn/b.txt"]) {
      await home.s3.send(new PutObjectCommand({ Bucket: "look", Key, Body: body }));
    }
    const env = { KITTY_WINDOW_ID: "1", COLORTERM: "truecolor" };
    const terminal = home.open("local/look/drawn/", { columns: 140, rows: 30, env });
    const { press, see, output, resize } = terminal;
    const drawn = () => output().split("\u001B_Ga=T,f=100,").length - 1;
    const gone = () => output().split("\u001B_Ga=d,").length - 1;
    const both = (count: number, away: number) => see(() => drawn() === count && gone() === away);
    // Beside the list; another row has a picture of its own.
    await both(1, 0);
    press("<down>");
    await both(2, 1);
    press(":");
    await both(2, 2);
    press("<esc>");
    await both(3, 2);
    resize(130, 28);
    await see(() => drawn() > 3 && drawn() === gone() + 1);
    const before = drawn();
    press("p");
    await see("JPEG 200×100");
    await see(() => drawn() === before + 1 && gone() === before);
    expect(output()).not.toContain("▀");
    await quit(terminal);
    const [last, leave] = ["\u001B_Ga=d,", "\u001B[?1049l"].map((text) =>
      output().lastIndexOf(text),
    );
    expect(gone()).toBe(drawn());
    expect(last).toBeLessThan(leave!);
  });

  it("shows the bytes of a picture that is broken", async () => {
    const terminal = await preview(
      "broken.png",
      Buffer.from("89504e470d0a1a0a00000000ffff", "hex"),
    );
    await terminal.see("89 50 4e 47");
    await quit(terminal);
  });

  it("lays out JSON in colors, and CSV in columns, with their text made safe", async () => {
    const json = await preview("one.json", '{"name":"a\u202Eb","many":12345678901234567890}');
    await json.see(/2 {4}"name": "a\\u202eb",/);
    await json.see('"many": 12345678901234567890');
    expect(json.output()).toMatch(/\u001B\[[\d;]*m"many":\u001B/);
    await quit(json);
    const table = await preview("t.csv", 'name,size\n"one, two",1\n\u001B]0;title\u0007,22\n');
    await table.see(/1 {2}name +size/);
    await table.see(/2 {2}one, two +1/);
    await table.see(/3 {2}\\x1b\]0;title\\x07 {2}22/);
    await quit(table);
  });

  it("lists what is in a zip archive, and unpacks the beginning of a gzip", async () => {
    const zip = await preview("a.zip", archive(["docs/", "docs/a\u001B[2J\n.txt"]));
    await zip.see("zip of 2 entries");
    await zip.see(/docs\/a\\x1b\[2J\\n\.txt/);
    await quit(zip);
    const packed = await preview("log.gz", gzipSync("first line\nsecond line\n"));
    await packed.see(/1 {2}first line/);
    await packed.see("gzip, its beginning");
    await quit(packed);
  });

  it("says that an object is empty", async () => {
    const terminal = await preview("empty.txt", new Uint8Array());
    await terminal.see("The object is empty.");
    await quit(terminal);
  });
});
