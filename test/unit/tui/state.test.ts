import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createProgress } from "../../../src/core/engine/progress.js";
import type { Conflict } from "../../../src/core/operations/types.js";
import { paletteItems } from "../../../src/tui/commands.js";
import { parentPrefix } from "../../../src/tui/pages/objects/index.js";
import { under } from "../../../src/tui/pages/objects/listing.js";
import { pastedAlias } from "../../../src/tui/pages/sign-in/form.js";
import { NOTHING } from "../../../src/tui/state/memory.js";
import { consoleWith, markedKeys, object, rowKeys, testConsole } from "../../support/console.js";

const ENTER = "\r";
const ESC = "\u001B";
const TAB = "\t";
const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
const four = () => consoleWith(names.map((name, index) => object(name, index + 1)));

describe("a bucket page", () => {
  it("shows the first page before the rest has come, and says that there is more", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("a"), object("b")] });
    expect(it.text()).toContain("2+ rows");
    expect(it.text()).toContain("loading");
    it.type("j");
    expect(it.page("objects").cursor).toBe(1);
    it.apply({ type: "listed", page: id });
    expect(it.text()).toContain("2 rows");
  });

  it("keeps the cursor on its row while rows are sorted in above it", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: names.map((key) => object(key, 5)) });
    it.type("s", "s", "jj");
    const before = it.page("objects");
    const key = under(before)!.key;
    const row = before.cursor - before.top;
    it.apply({ type: "entries", page: id, entries: [object("x", 100), object("y", 1)] });
    const after = it.page("objects");
    expect(under(after)!.key).toBe(key);
    expect(rowKeys(after)).toEqual(["x", ...names, "y"]);
    expect(row).toBeGreaterThan(0);
  });

  it("sorts and filters any order of pages as it would the whole", () => {
    const entry = fc.record({ key: fc.string({ minLength: 1 }), size: fc.nat(5) });
    const pages = fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        pages,
        fc.constantFrom("s", "S", "N", "m"),
        fc.constantFrom("", "a"),
        (lists, sort, filter) => {
          const parts = lists.map((list) => list.map(({ key, size }) => object(key, size)));
          const stepwise = testConsole({ place: "local/photos/" });
          const { id } = stepwise.page("objects");
          stepwise.apply({ type: "entries", page: id, entries: [] });
          stepwise.type("s", sort, "/", filter, ENTER);
          for (const entries of parts) stepwise.apply({ type: "entries", page: id, entries });
          const atOnce = consoleWith(parts.flat());
          atOnce.type("s", sort, "/", filter, ENTER);
          stepwise.apply({ type: "listed", page: id });
          expect(rowKeys(stepwise.page("objects"))).toEqual(rowKeys(atOnce.page("objects")));
        },
      ),
    );
  });

  it("says when sorting and filtering cover only what is loaded", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("ab", 2), object("b")] });
    it.type("s", "s");
    expect(it.text()).toContain("by size (loaded rows only)");
    it.type("/", "ab", ENTER);
    expect(it.text()).toContain('filter "ab" (loaded rows only)');
    it.apply({ type: "listed", page: id });
    expect(it.text()).not.toContain("loaded rows only");
    expect(it.text()).toContain("1 of 2 rows");
  });

  it("asks the server for what keys begin with", () => {
    const it = four();
    it.type("f", "2026-", ENTER);
    expect(it.effects()).toContainEqual({
      type: "list-objects",
      page: it.page("objects").id,
      place: { alias: "local", bucket: "photos", prefix: "2026-" },
    });
  });

  it("stops a listing on Esc and stays; the next Esc goes back", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("a")] });
    it.effects();
    it.type(ESC);
    expect(it.effects()).toEqual([{ type: "stop", id }]);
    expect(it.text()).toContain("stopped, R lists again");
    it.type(ESC);
    it.page("buckets");
  });

  it("marks rows, ranges and everything", () => {
    const it = four();
    it.type(" ");
    expect(markedKeys(it.page("objects"))).toEqual(["a.txt"]);
    it.type("v", "jj", "v");
    expect(markedKeys(it.page("objects")).sort()).toEqual(names);
    it.type("\u0001");
    expect(it.page("objects").marks.count).toBe(0);
    it.type("\u0001");
    expect(it.text()).toContain("4 marked, 10B");
  });

  it("takes removed rows away at once and puts the cursor on the neighbor", () => {
    const it = four();
    it.type("jj");
    const from = { alias: "local", bucket: "photos", prefix: "" };
    it.apply({ type: "keys-gone", from, keys: ["a.txt", "c.txt"] });
    const page = it.page("objects");
    expect(rowKeys(page)).toEqual(["b.txt", "d.txt"]);
    expect(under(page)!.key).toBe("d.txt");
    it.apply({ type: "keys-gone", from, keys: ["d.txt"] });
    expect(it.page("objects").cursor).toBe(0);
  });

  it("shows an object without date, class or ETag", () => {
    const it = consoleWith([{ type: "object", key: "bare", size: 3 }]);
    expect(it.text()).toMatch(/bare +3B {2}–/);
  });

  it("puts a new file into its row without listing anything again, the cursor on it", () => {
    const it = four();
    it.type("n");
    const dialog = it.state().dialog!.id;
    const place = { alias: "local", bucket: "photos", prefix: "" };
    it.apply({ type: "object-put", dialog, place, entry: object("b2.txt") });
    expect(rowKeys(it.page("objects"))).toEqual(["a.txt", "b.txt", "b2.txt", "c.txt", "d.txt"]);
    expect(under(it.page("objects"))!.key).toBe("b2.txt");
    expect(it.effects().filter(({ type }) => type === "list-objects")).toEqual([]);
  });

  it("goes on listing while an object of it is open", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("a"), object("b")] });
    it.effects();
    it.type("j", ENTER);
    expect(it.effects()).not.toContainEqual({ type: "stop", id });
    it.apply({ type: "entries", page: id, entries: [object("c")] }, { type: "listed", page: id });
    it.type(ESC);
    expect(rowKeys(it.page("objects"))).toEqual(["a", "b", "c"]);
    expect(under(it.page("objects"))!.key).toBe("b");
  });

  it("keeps marks and cursor on their keys when it is listed anew", () => {
    const it = four();
    it.type(" ", "j");
    const { id } = it.page("objects");
    it.type("R");
    const entries = ["0.txt", ...names].map((key) => object(key));
    it.apply({ type: "entries", page: id, entries }, { type: "listed", page: id });
    expect(markedKeys(it.page("objects"))).toEqual(["a.txt"]);
    expect(under(it.page("objects"))!.key).toBe("c.txt");
  });

  it("remembers how it is sorted on the next page and the next time", () => {
    const it = consoleWith([{ type: "prefix", key: "p/" }, object("a")]);
    it.type("s", "s");
    expect(it.effects()).toContainEqual(
      expect.objectContaining({
        type: "remember",
        memory: expect.objectContaining({ sort: { by: "size", descending: true } }),
      }),
    );
    it.type(ENTER);
    expect(it.page("objects").view.sort).toEqual({ by: "size", descending: true });
  });

  it("knows the parent of every prefix, empty segments and all", () => {
    expect(parentPrefix("a/b/")).toBe("a/");
    expect(parentPrefix("a/")).toBe("");
    expect(parentPrefix("a//")).toBe("a/");
    expect(parentPrefix("/")).toBe("");
  });
});

describe("a removal", () => {
  it("is confirmed with names, count and size, and begins on Cancel", () => {
    const it = four();
    it.type(" ", " ", "x");
    it.counted();
    expect(it.text()).toContain("a.txt  1B");
    expect(it.text()).toContain("2 objects, 3B");
    it.type(ENTER);
    expect(it.state().dialog).toBeUndefined();
    expect(it.state().jobs).toEqual([]);
    it.type("x");
    it.counted();
    it.type(TAB, ENTER);
    expect(it.effects()).toContainEqual(expect.objectContaining({ type: "start-job" }));
    expect(it.text()).toContain("deleting…");
  });

  it("of a prefix waits until what is below it is counted", () => {
    const it = consoleWith([{ type: "prefix", key: "trip/" }]);
    it.type("x");
    const dialog = it.state().dialog!.id;
    expect(it.effects()).toContainEqual(expect.objectContaining({ type: "count", dialog }));
    it.type("y");
    expect(it.state().jobs).toEqual([]);
    it.apply({ type: "counted", dialog, count: { objects: 7, bytes: 2048, done: true } });
    expect(it.text()).toContain("7 objects, 2.0KiB");
    it.type("y");
    expect(it.state().jobs).toHaveLength(1);
  });

  it("says what becomes of what is deleted, before it is", () => {
    const it = four();
    it.type("x", "y");
    expect(it.state().jobs).toEqual([]);
    it.counted({ keeps: "versions" });
    expect(it.text()).toContain("a delete marker and can be brought back");
    it.counted({ keeps: "nothing" });
    expect(it.text()).toContain("For good: this bucket keeps no versions.");
    it.counted({ keeps: undefined });
    expect(it.text()).toContain("does not say whether it keeps versions");
  });

  it("of more than a thousand objects, or of what cannot be counted, wants the name typed", () => {
    const it = consoleWith([{ type: "prefix", key: "trip/" }]);
    it.type("x");
    it.counted({ objects: 1001 });
    expect(it.text()).toContain("Type trip/ to go on");
    it.type("y", ENTER);
    expect(it.state().jobs).toEqual([]);
    it.type("x");
    it.counted({ objects: 1001 });
    it.type("trip/", ENTER);
    expect(it.state().jobs).toHaveLength(1);
    const other = consoleWith([{ type: "prefix", key: "trip/" }]);
    other.type("x");
    other.counted({ done: false, failure: { kind: "denied", code: "AccessDenied", message: "" } });
    other.type(TAB, ENTER);
    expect(other.state().jobs).toEqual([]);
  });

  it("keeps the rows that failed, with S3's code", () => {
    const it = four();
    it.type("x");
    it.counted();
    it.type("y");
    const [job] = it.state().jobs;
    it.apply({
      type: "job-ended",
      job: job!.id,
      status: "failed",
      failures: [
        {
          item: {
            action: "remove",
            source: undefined,
            target: { type: "object", alias: "local", bucket: "photos", key: "a.txt" },
            size: 1,
          },
          failure: { kind: "denied", code: "AccessDenied", message: "no" },
        },
      ],
    });
    expect(it.text()).toMatch(/a\.txt +1B {2}✗ AccessDenied/);
    expect(rowKeys(it.page("objects"))).toEqual(names);
  });
});

describe("what is there already", () => {
  const conflict = (name: string): Conflict => ({
    source: { type: "file", path: `/home/me/${name}` },
    target: { type: "object", alias: "local", bucket: "photos", key: name },
    sourceInfo: { size: 7, lastModified: 1_700_000_001_000 },
    targetInfo: { size: 5, lastModified: 1_600_000_000_000 },
  });

  it("is asked about with both sizes and dates, one after the other, and Esc replaces nothing", () => {
    const it = four();
    it.apply({ type: "asked", job: 9, conflict: conflict("a") });
    it.apply({ type: "asked", job: 9, conflict: conflict("b") });
    expect(it.text()).toMatch(/There +local\/photos\/a/);
    expect(it.text()).toMatch(/ 5B {2}2020-09-1/);
    expect(it.text()).toMatch(/ 7B {2}2023-11-1/);
    it.type(ESC);
    expect(it.effects()).toContainEqual({ type: "answer", job: 9, action: "skip", always: false });
    expect(it.text()).toMatch(/There +local\/photos\/b/);
    it.type("a", "b");
    expect(it.effects()).toContainEqual({
      type: "answer",
      job: 9,
      action: "keep-both",
      always: true,
    });
    expect(it.state().dialog).toBeUndefined();
  });

  it("waits until another dialog is closed, and is not asked for a job that has ended", () => {
    const it = four();
    it.type("d", "\u0015", "/tmp", ENTER);
    const [job] = it.state().jobs;
    it.type("n");
    it.apply({ type: "asked", job: job!.id, conflict: conflict("a") });
    expect(it.state().dialog).toMatchObject({ type: "form" });
    it.type(ESC);
    expect(it.state().dialog).toMatchObject({ type: "conflict" });
    it.apply({ type: "job-ended", job: job!.id, status: "canceled", failures: [] });
    expect(it.state().dialog).toBeUndefined();
  });
});

describe("the page of a job", () => {
  it("has what failed first, shows it whole, and tries that alone again", () => {
    const it = four();
    it.type("d", "\u0015", "/tmp/x", ENTER);
    const { id } = it.state().jobs[0]!;
    const item = (key: string) => ({
      action: "download" as const,
      source: { type: "object" as const, alias: "local", bucket: "photos", key },
      target: { type: "file" as const, path: `/tmp/x/${key}` },
      size: 3,
    });
    const snapshot = createProgress().getSnapshot();
    it.apply({ type: "job-progress", job: id, snapshot, finished: [item("fine")] });
    const failure = {
      kind: "denied",
      code: "AccessDenied",
      message: "a reason ".repeat(20),
    } as const;
    it.apply({
      type: "job-ended",
      job: id,
      status: "failed",
      failures: [{ item: item("bad"), failure }],
    });
    it.type("t", ENTER);
    it.page("job");
    expect(it.text().indexOf("/tmp/x/bad")).toBeLessThan(it.text().indexOf("/tmp/x/fine"));
    it.type(ENTER);
    expect(it.text().match(/a reason/g)!.length).toBeGreaterThanOrEqual(20);
    it.type(ESC);
    it.effects();
    it.type("r");
    expect(it.effects()).toEqual([
      expect.objectContaining({ type: "start-job", job: id, again: [item("bad")] }),
      // It runs again, so a later console would go on with it.
      expect.objectContaining({ type: "keep-jobs" }),
    ]);
  });
});

describe("the messages", () => {
  it("keep what the status line has said", () => {
    const it = four();
    it.apply({ type: "notice", tone: "error", text: "first trouble" });
    it.type("j");
    expect(it.text()).not.toContain("first trouble");
    it.type("E");
    expect(it.text()).toContain("first trouble");
  });
});

describe("what a job has written", () => {
  it("comes into its rows and nothing else moves, the rest of a running listing left to it", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: names.map((key) => object(key)) });
    it.type("jj");
    it.effects();
    const to = { alias: "local", bucket: "photos", prefix: "" };
    const written = ["a1.txt", "b.txt", "bb/x", "z.txt"].map((key) => object(key, 9));
    it.apply({ type: "keys-here", to, entries: written });
    const page = it.page("objects");
    expect(rowKeys(page)).toEqual(["bb/", "a.txt", "a1.txt", "b.txt", "c.txt", "d.txt"]);
    expect(under(page)!.key).toBe("c.txt");
    expect(it.text()).toMatch(/b\.txt +9B/);
    expect(it.effects()).toEqual([]);
  });
});

describe("a download", () => {
  it("goes where it is told, with ~ spelled out", () => {
    const it = four();
    it.type("d", "\u0015", "~/pictures", ENTER);
    expect(it.state().jobs[0]!.spec).toMatchObject({
      type: "download",
      directory: "/home/me/pictures",
      targets: [{ type: "object", key: "a.txt" }],
    });
  });
});

describe("a read-only console", () => {
  it("starts nothing that writes, and says why in the help too", () => {
    const it = consoleWith([object("a")], {
      readonly: true,
      size: { columns: 80, rows: 90 },
    });
    for (const key of ["n", "N", "u", "U", "x", "r", "c", "m"]) {
      it.type(key);
      expect(it.state().dialog).toBeUndefined();
      it.page("objects");
      expect(it.text()).toContain("the console is read-only");
    }
    it.type("?");
    expect(it.text()).toMatch(/Delete {2}\(the console is read-only\)/);
  });
});

describe("without letters", () => {
  it("every button is reached with Tab, arrows and Enter, and More has every command", () => {
    const it = four();
    it.type(TAB, ENTER);
    expect(it.state().dialog).toMatchObject({ title: "New directory" });
    it.type(ESC, TAB, "\u001B[D", ENTER);
    expect(it.state().dialog).toMatchObject({ type: "palette" });
    it.type("rename", ENTER);
    expect(it.state().dialog).toMatchObject({ title: "Rename a.txt" });
  });

  it("More ranks commands with a word that begins so before those that have it within", () => {
    const titles = paletteItems(four().state(), { text: "ver" }).map(({ title }) => title);
    expect(titles[0]).toBe("Versions of the object");
    expect(titles).toContain("Mark every loaded row");
  });
});

describe("the listing of another place", () => {
  it("that comes late is not shown on the page that is open now", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.type("\u0007", "local/other/", ENTER);
    it.apply({ type: "entries", page: id, entries: [object("stray")] });
    expect(it.text()).not.toContain("stray");
  });
});

describe("the clipboard", () => {
  it("takes every marked row, one a line", () => {
    const it = four();
    it.type(" ", " ", "y", "a");
    expect(it.effects()).toContainEqual({
      type: "clipboard",
      text: "local/photos/a.txt\nlocal/photos/b.txt",
      what: "address",
    });
  });

  it("takes the very link that the share tab shows, and elsewhere one that lives as long", () => {
    const it = four();
    it.type(ENTER);
    const { id: page } = it.page("details");
    it.type("s", "4");
    it.apply({ type: "part", page, part: { name: "url", value: { url: "https://a/?day" } } });
    it.effects();
    it.type("y");
    expect(it.effects()).toEqual([{ type: "clipboard", text: "https://a/?day", what: "link" }]);
    it.type("l", "y", "l");
    expect(it.effects()).toContainEqual(
      expect.objectContaining({ type: "copy-links", expiry: 86_400 }),
    );
  });
});

describe("signing in", () => {
  it("asks for four things, shows more when asked, and blames the field that is wrong", () => {
    const it = testConsole();
    it.type("n");
    expect(it.state().dialog).toMatchObject({ fields: { length: 4 } });
    it.type("mine", TAB, "127.0.0.1:9000", TAB, TAB, "secret", ENTER);
    expect(it.text()).toContain("the access key is missing");
    expect(it.state().dialog).toMatchObject({ focus: 2 });
    it.type("KEY", TAB, ENTER);
    const dialog = it.state().dialog!.id;
    expect(it.effects()).toContainEqual({
      type: "save-alias",
      dialog,
      alias: {
        name: "mine",
        config: expect.objectContaining({ url: "127.0.0.1:9000", secretKey: "secret" }),
      },
      replaces: undefined,
      anyway: false,
    });
    const failure = { kind: "denied", code: "SignatureDoesNotMatch", message: "no" } as const;
    it.apply({ type: "dialog-failed", dialog, failure });
    expect(it.state().dialog).toMatchObject({ focus: 3 });
    expect(it.text()).toContain("Save anyway");
    it.type(TAB, TAB, TAB, ENTER);
    expect(it.text()).toContain("Path style");
  });

  it("takes a pasted line apart", () => {
    expect(pastedAlias("mc alias set work https://s3.example.com AK SK")).toEqual({
      name: "work",
      url: "https://s3.example.com",
      accessKey: "AK",
      secretKey: "SK",
    });
    expect(pastedAlias("https://AK:S%2FK@s3.example.com")).toEqual({
      url: "https://s3.example.com",
      accessKey: "AK",
      secretKey: "S/K",
    });
    expect(
      pastedAlias('export AWS_ACCESS_KEY_ID=AK\nexport AWS_SECRET_ACCESS_KEY="SK"\nAWS_REGION=eu'),
    ).toEqual({ accessKey: "AK", secretKey: "SK", region: "eu" });
    expect(pastedAlias("just a text")).toEqual({});
    const it = testConsole();
    it.type("n", "\u001B[200~mc alias set work https://s3.example.com AK SK\u001B[201~");
    expect(it.text()).toContain("https://s3.example.com");
    expect(it.text()).not.toContain("SK");
  });
});

describe("where the console was left", () => {
  it("is left again when it cannot be opened; a place that was asked for says why it cannot", () => {
    const failure = { kind: "not-found", code: "NoSuchBucket", message: "no bucket gone" } as const;
    const left = testConsole({ memory: { ...NOTHING, place: "local/gone/" } });
    left.apply({ type: "page-failed", page: left.page("objects").id, failure });
    left.page("buckets");
    expect(left.text()).toContain("no bucket gone");
    const asked = testConsole({ place: "local/gone/" });
    asked.apply({ type: "page-failed", page: asked.page("objects").id, failure });
    expect(asked.text()).toContain("✗ NoSuchBucket");
  });
});

describe("quitting", () => {
  it("asks while a transfer runs, and does it when asked twice", () => {
    const it = four();
    it.type("x");
    it.counted();
    it.type("y");
    it.effects();
    it.type("\u0003");
    expect(it.text()).toContain("A transfer is running");
    expect(it.effects()).toEqual([]);
    it.type("\u0003");
    expect(it.effects()).toEqual([{ type: "quit" }]);
  });
});
