/** Keys are chosen by strangers: they are listed in their cells and handled like any other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";
import { openTerminal, type Terminal } from "../support/terminal.js";

let home: Home;
let store: RunningStore;
let s3: S3Client;

beforeAll(async () => {
  home = createHome();
  store = await startStore({ directory: join(home.directory, "store") });
  s3 = new S3Client({
    endpoint: store.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: store,
  });
  expect((await home.pail(["mb", "local/bkt"])).code).toBe(0);
});
afterAll(async () => {
  s3.destroy();
  await store.close();
  home.remove();
});

async function put(bucket: string, key: string, body: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
}

function open(place: string, options: Partial<Parameters<typeof openTerminal>[0]> = {}): Terminal {
  return openTerminal({ home, args: ["tui", place], ...options });
}

describe("names from strangers", () => {
  // 1,024 bytes with what is before it, as many as a key may have.
  const LONG = `long/${"n".repeat(1024 - "hostile/long/".length)}`;
  const NAMES = [
    "new\nline",
    "esc\u001B[31mred\u001B[2J",
    "bidi\u202Egpj.exe",
    "日本語のファイル.txt",
    "family👨‍👩‍👧‍👦.png",
    "flag🇩🇪",
    "combining e\u0301\u0301\u0301",
    "tab\there",
    "back\\slash",
    "percent%2F?#+&=;",
    "quote\"'`$(x)",
  ];

  beforeAll(async () => {
    for (const name of NAMES) await put("bkt", `hostile/${name}`, name);
    await put("bkt", "hostile//", "empty segment");
    await put("bkt", "hostile//inside", "inside");
    await put("bkt", "hostile/dir/", "");
    await put("bkt", `hostile/${LONG}`, "long");
  });

  it.each([
    [80, 24],
    [120, 40],
  ])("are listed aligned and stay in their cells at %i×%i", async (columns, rows) => {
    const terminal = open("local/bkt/hostile/", { columns, rows });
    await terminal.see(/\d+ rows/);
    await terminal.see("esc\\x1b[31mred");
    await terminal.see("new\\nline");
    await terminal.see("bidi\\u202egpj.exe");
    await terminal.see("日本語のファイル.txt");
    const lines = terminal.screen();
    const dates = lines.flatMap((line) => /\d{4}-\d\d-\d\d \d\d:\d\d/.exec(line)?.[0] ?? []);
    expect(dates.length).toBeGreaterThanOrEqual(NAMES.length);
    // Columns are compared in cells, as the terminal has them.
    const at = terminal.cellOf(/\d{4}-\d\d-\d\d/);
    expect(new Set(at).size).toBe(1);
    // Header and rules are where they belong.
    expect(lines[2]).toBe("─".repeat(columns));
    expect(lines[rows - 3]).toBe("─".repeat(columns));
    terminal.press("<ctrl-c>");
    await terminal.exit();
  });

  it("open, download and delete like any other", async () => {
    const directory = join(home.directory, "downloads");
    for (const name of ["new\nline", "esc\u001B[31mred\u001B[2J", "日本語のファイル.txt"]) {
      const shown = name.replaceAll("\n", "\\n").replaceAll("\u001B", "\\x1b");
      const terminal = open("local/bkt/hostile/");
      const { press, see, miss } = terminal;
      await see(/\d+ rows/);
      press("/", shown.slice(0, 3), "<enter>");
      await see(/1 of \d+ rows/);
      press("<enter>");
      await see("Content type");
      await see(`bkt › hostile/${shown}`);
      press("d");
      await see("Into");
      press("<ctrl-u>", directory, "<enter>");
      await see("Done: Download");
      expect(readFileSync(join(directory, name), "utf8")).toBe(name);
      press("<esc>");
      await see(/1 of \d+ rows|1\/1/);
      press("x");
      await see("1 object,");
      press("y");
      await see("No loaded row holds the filter.");
      await miss("deleting");
      press("<ctrl-c>");
      await terminal.exit();
      const { Contents = [] } = await s3.send(
        new ListObjectsV2Command({ Bucket: "bkt", Prefix: `hostile/${name}` }),
      );
      expect(Contents).toEqual([]);
    }
  });

  it("go down into empty segments and very long prefixes, and come up again", async () => {
    const terminal = open("local/bkt/hostile/");
    const { press, see } = terminal;
    await see(/▌ +\//);
    press("<enter>");
    await see("hostile//");
    await see("inside");
    press("<left>");
    await see(/▌ +\//);
    press("/", "long", "<enter>");
    await see(/▌ +long\//);
    press("<enter>");
    await see("nnnn…");
    press("<enter>");
    await see("Content type");
    press("<ctrl-c>");
    await terminal.exit();
  });
});
