/** Looking into objects: text of any size by range, bytes, and pictures. */
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

  it("shows the bytes of a picture that is broken", async () => {
    const terminal = await preview(
      "broken.png",
      Buffer.from("89504e470d0a1a0a00000000ffff", "hex"),
    );
    await terminal.see("89 50 4e 47");
    await quit(terminal);
  });

  it("says that an object is empty", async () => {
    const terminal = await preview("empty.txt", new Uint8Array());
    await terminal.see("The object is empty.");
    await quit(terminal);
  });
});
