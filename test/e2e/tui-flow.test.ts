/** The whole console flow, by keys, in a real terminal; every write checked by the AWS SDK. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  DeleteBucketCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { keysOf, makeBucket, textOf } from "../support/sdk.js";
import { hostVariable } from "../support/store.js";

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
const ALIASES = ["local", "tcp"];

describe.each(SIZES)("the console at $columns×$rows", ({ columns, rows }) => {
  let home: ConsoleHome;
  const keys = (bucket: string) => keysOf(home.s3, bucket);
  const text = (bucket: string, key: string) => textOf(home.s3, bucket, key);

  beforeAll(async () => {
    home = await createConsoleHome();
    // The same directory behind the alias `local` and, over TCP, behind the alias `tcp`.
    Object.assign(home.env, hostVariable("tcp", home.store));
  });
  afterAll(() => home.close());

  it.each(ALIASES)("does what a web console does, on the alias %s", async (alias) => {
    const local = mkdtempSync(join(home.directory, "files-"));
    // A try before this one may have left it.
    const bucket = `flow-${alias}`;
    await makeBucket(home.s3, bucket);
    await home.s3.send(new DeleteBucketCommand({ Bucket: bucket }));
    mkdirSync(join(local, "album", "raw"), { recursive: true });
    writeFileSync(join(local, "note.txt"), "a note");
    writeFileSync(join(local, "other.txt"), "another");
    writeFileSync(join(local, "album", "one.jpg"), "1");
    writeFileSync(join(local, "album", "raw", "two.raw"), "22");
    const terminal = home.open(undefined, {
      columns,
      rows,
      env: { PAIL_STATE_DIR: mkdtempSync(join(home.directory, "state-")) },
      cwd: local,
    });
    const { press, see, miss } = terminal;

    // Sign in, and make a bucket.
    await see("built-in");
    await see("PAIL_HOST_tcp");
    if (alias === "tcp") press("<down>");
    press("<enter>");
    await see(`${alias} › Buckets`);
    await see(/\d+ bucket/);
    press("b");
    await see("New bucket");
    press(bucket, "<enter>", "<enter>");
    await see(`Created ${bucket}`);
    await see(new RegExp(`${bucket} +\\d{4}-`));
    press("G");
    if (alias === "local") press("g");
    await see(new RegExp(`▌ +${bucket}`));
    press("<enter>");
    await see(`${alias} › ${bucket}`);
    await see("Nothing here yet.");
    await see("New directory   New file   Upload   Download   Delete   Refresh");

    // A directory, and a file in it.
    press("n");
    await see("an empty object whose key ends in /");
    press("trip", "<enter>");
    await see(/▌ +trip\//);
    press("<enter>");
    await see("› trip/");
    await see("(the prefix itself)");
    press("N");
    await see("Content");
    press("plan.txt", "<enter>", "day one", "<enter>", "day two", "<tab>", "<enter>");
    await see(/▌ +plan\.txt +15B/);
    expect(await text(bucket, "trip/plan.txt")).toBe("day one\nday two");

    // Two files picked, then a whole folder.
    press("u");
    await see("note.txt");
    press("<down>");
    await see(/▌ +note\.txt/);
    press("<space>", "<space>");
    await see("2 files, 13B");
    press("u");
    await see("Done: Upload 2 items");
    await see(/other\.txt +7B/);
    press("u");
    await see("album/");
    await see(/▌ +album\//);
    press("<space>", "u", "t");
    await see(/✓ Upload album .* done/);
    press("<esc>");
    await see("album/");
    expect(await keys(bucket)).toEqual([
      "trip/",
      "trip/album/one.jpg",
      "trip/album/raw/two.raw",
      "trip/note.txt",
      "trip/other.txt",
      "trip/plan.txt",
    ]);
    expect(await text(bucket, "trip/note.txt")).toBe("a note");

    // Picking the same file again warns before it is replaced.
    press("u");
    await see(/▌ +album\//);
    press("<down>");
    await see(/▌ +note\.txt/);
    press("<space>", "u");
    await see("It is there already");
    await see("trip/note.txt");
    press("<esc>");
    await miss("It is there already");
    await see("Done: Upload note.txt");

    // Details, tags and metadata.
    press("G");
    await see(/▌ +plan\.txt/);
    press("<enter>");
    await see("Content type");
    await see("text/plain");
    press("<right>", "<right>");
    await see("No tags.");
    press("e");
    await see("Edit tags");
    press("team=red", "<tab>", "<enter>");
    await see("Saved the tags");
    await see(/team +red/);
    const tagging = await home.s3.send(
      new GetObjectTaggingCommand({ Bucket: bucket, Key: "trip/plan.txt" }),
    );
    expect(tagging.TagSet).toEqual([{ Key: "team", Value: "red" }]);
    press("<left>");
    await see("No user metadata.");
    press("e");
    await see("Edit metadata");
    press("<tab>", "author=me", "<tab>", "<enter>");
    await see("Saved the metadata");
    const head = await home.s3.send(
      new HeadObjectCommand({ Bucket: bucket, Key: "trip/plan.txt" }),
    );
    expect(head.Metadata).toEqual({ author: "me" });
    expect(head.ContentType).toBe("text/plain");

    // Preview.
    press("p");
    await see("day two");
    press("<esc>");
    await see("author");
    press("<esc>");
    await see(/▌ +plan\.txt/);

    // Rename, download, delete.
    press("r");
    await see("New name");
    press("-2", "<enter>");
    await see(/▌ +plan-2\.txt/);
    expect(await text(bucket, "trip/plan-2.txt")).toBe("day one\nday two");
    press("x");
    await see("1 object, 15B");
    await see("trip/plan-2.txt");
    press("<enter>");
    await miss("1 object, 15B");
    await see(/▌ +plan-2\.txt/);
    press("x");
    await see("1 object, 15B");
    await see(/For good|delete marker|goes for good/);
    press("<tab>", "<enter>");
    await miss(/plan-2\.txt +15B/);
    await see(/▌ +other\.txt/);
    expect(await keys(bucket)).not.toContain("trip/plan-2.txt");
    expect(await keys(bucket)).not.toContain("trip/plan.txt");

    // A prefix is counted before it goes.
    press("<home>");
    await see(/▌ +album\//);
    press("x");
    await see("everything below");
    await see("2 objects, 3B");
    await see(/For good|delete marker|goes for good/);
    press("y");
    await see(/▌ +\(the prefix itself\)/);
    await miss(/^.{3}album\//m);
    expect(await keys(bucket)).toEqual(["trip/", "trip/note.txt", "trip/other.txt"]);

    press("q");
    await see(new RegExp(`› ${bucket}$`, "m"));
    await see(/▌ +trip/);
    press("q");
    await see("Buckets");
    press("q");
    await see("Sign in");
    press("q");
    expect(await terminal.exit()).toEqual({ code: 0, signal: 0 });
  });

  it("removes a bucket that is not empty only after it said what is in it", async () => {
    const bucket = "full";
    await makeBucket(home.s3, bucket, { x: "four" });
    const terminal = home.open("tcp", { columns, rows });
    const { press, see, miss } = terminal;
    await see(/full +\d{4}/);
    while (!terminal.screen().some((line) => /▌ +full/.test(line))) {
      press("<down>");
      const before = terminal.screen().join();
      await see((lines) => lines.join() !== before);
    }
    press("x");
    await see("1 object, 4B");
    await see("Type full to go on");
    press("full", "<enter>");
    await miss(/full +\d{4}/);
    await expect(home.s3.send(new ListObjectsV2Command({ Bucket: bucket }))).rejects.toMatchObject({
      name: "NoSuchBucket",
    });
    await quit(terminal);
  });
});
