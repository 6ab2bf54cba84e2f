/** Every size of the screen with every palette: what is drawn stays within it, and can be seen. */
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { makeBucket } from "../support/sdk.js";

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 60],
] as const;

/** The colors that each palette may use, and the row under the cursor in it. */
const PALETTES = [
  [
    "true colors",
    { TERM: "xterm-256color", COLORTERM: "truecolor" },
    /;48;2;\d+;\d+;\d+m▌/,
    undefined,
  ],
  ["256 colors", { TERM: "xterm-256color", COLORTERM: "" }, /;48;5;24m▌/, /[34]8;2;/],
  ["16 colors", { TERM: "screen", COLORTERM: "" }, /\[37;44m▌/, /[34]8;[25];/],
  [
    "no colors",
    { TERM: "xterm-256color", NO_COLOR: "1" },
    /\[7m▌/,
    /\u001B\[[0-9;]*[34]\d(?:;\d+)*m/,
  ],
] as const;

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
  const names = Array.from({ length: 80 }, (_, at) => [
    `list/日本-${at}-${"x".repeat(at)}`,
    "text",
  ]);
  await makeBucket(home.s3, "bkt", Object.fromEntries(names));
  await home.s3.send(new PutObjectCommand({ Bucket: "bkt", Key: "list/sub/a", Body: "a" }));
});
afterAll(() => home.close());

describe.each(PALETTES)("with %s", (_name, env, cursor, foreign) => {
  it("shows the list, a dialog, the filter, panes and details at every size", async () => {
    const [[columns, rows]] = SIZES;
    const terminal = home.open("local/bkt/list/", { columns, rows, env });
    const { press, see, miss, screen, output, resize } = terminal;
    await see("81 rows");
    for (const [wide, high] of SIZES) {
      const before = output().length;
      const fits = (last: RegExp) =>
        see((lines) => {
          const framed =
            lines.length === high && / pail /.test(lines[0]!) && last.test(lines.at(-1)!);
          return framed && (lines[2]?.startsWith("─".repeat(wide)) ?? false);
        });
      resize(wide, high);
      await fits(/help/);
      press("G");
      await see("81/81");
      expect(output().slice(before)).toMatch(cursor);
      press("x");
      await see("Delete from local/bkt?");
      // The border is whole: its corners stand above each other, whatever is behind it.
      const corners = screen().flatMap((line) => [line.indexOf("╭"), line.indexOf("╰")]);
      expect(new Set(corners.filter((at) => at >= 0)).size).toBe(1);
      press("<esc>");
      await miss("Delete from");
      press("/", "日7");
      await see("of 81 rows");
      press("<esc>");
      await miss("of 81 rows");
      press("|");
      await see("../");
      press("<tab>", "|");
      await miss("../");
      press("g", "<down>", "<enter>");
      await see("Content type");
      await fits(/help/);
      press("<esc>");
      await see("81 rows");
      if (foreign !== undefined) expect(output()).not.toMatch(foreign);
    }
    await quit(terminal);
  });
});
