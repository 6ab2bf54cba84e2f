import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { factsOf, type RunningMcp, startMcp, textOf } from "../../../support/mcp.js";

let mcp: RunningMcp;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

beforeEach(async () => {
  mcp = await startMcp();
  await mcp.service.make("bucket");
});

afterEach(() => mcp.close());

const put = (key: string, body: Buffer | string, contentType?: string) =>
  mcp.bucket("bucket").write(key, Buffer.from(body), { ...(contentType && { contentType }) });
const call = (name: string, args: Record<string, unknown>) =>
  mcp.call(name, { bucket_name: "bucket", ...args });
const get = (key: string, args: Record<string, unknown> = {}) =>
  call("get_object", { object_key: key, ...args });
const local = (name: string) => join(mcp.directory, name);

/** The text between the marks. */
function framed(text: string): string | undefined {
  return /<(untrusted-[0-9a-f]+)>\n([^]*)\n<\/\1>$/.exec(text)?.[2];
}

describe("get_object, reading", () => {
  it("gives text framed as untrusted, and no structured content to displace it", async () => {
    await put("a.txt", "hello é\n", "text/plain");
    const result = await get("a.txt");
    expect(framed(textOf(result))).toBe("hello é\n");
    expect(textOf(result)).toMatch(
      /^local\/bucket\/a\.txt: bytes 0-8 of 9, text\/plain, etag [0-9a-f]{32}, \d{4}-/,
    );
    expect(result.structuredContent).toBeUndefined();
    expect(result.isError).toBeUndefined();
  });

  it("judges by the bytes, not by the declared type", async () => {
    await put("a", "text", "application/octet-stream");
    await put("b", Buffer.from([1, 0, 2]), "text/plain");
    expect(framed(textOf(await get("a")))).toBe("text");
    expect(framed(textOf(await get("b")))).toBeUndefined();
  });

  it("truncates at max_content_size, never inside a character, and says where to go on", async () => {
    const text = "é😀x".repeat(100);
    await put("a", text);
    let read = "";
    let offset = 0;
    for (;;) {
      const shown = textOf(await get("a", { max_content_size: 10, offset }));
      read += framed(shown);
      const next = /exceeds max_content_size 10; continue with offset=(\d+)/.exec(shown);
      if (next === null) break;
      offset = Number(next[1]);
    }
    expect(read).toBe(text);
  });

  it("reads a megabyte unless asked otherwise", async () => {
    await put("a", "x".repeat(1_048_577));
    const shown = textOf(await get("a"));
    expect(framed(shown)).toHaveLength(1_048_576);
    expect(shown).toContain("continue with offset=1048576");
    expect(framed(textOf(await get("a", { offset: 1_048_576 })))).toBe("x");
  });

  it("answers more reads at once than there is room for, one after the other", async () => {
    await put("a", "x".repeat(1_000_000));
    const shown = await Promise.all(Array.from({ length: 40 }, () => get("a")));
    expect(shown.filter((one) => framed(textOf(one))?.length === 1_000_000)).toHaveLength(40);
  });

  it("keeps the answer below a client's buffer however much is asked for", async () => {
    await put("a", Buffer.alloc(9 * 1024 * 1024, "x"));
    const result = await get("a", { max_content_size: 1_000_000_000 });
    expect(JSON.stringify(result).length).toBeLessThan(7 * 1024 * 1024);
    expect(textOf(result)).toContain("continue with offset=5242880");
  });

  it("reads an empty object", async () => {
    await put("a", "");
    const result = await get("a");
    expect(framed(textOf(result))).toBe("");
    expect(textOf(result)).toMatch(/^local\/bucket\/a: 0 bytes/);
  });

  it("refuses an offset past the end", async () => {
    await put("a", "abc");
    expect(textOf(await get("a", { offset: 3 }))).toMatch(/^InvalidRange: .*3 bytes\nTry: /);
  });

  it("gives a picture as an image, recognised by its bytes", async () => {
    await put("a.bin", PNG, "application/octet-stream");
    const [, image] = (await get("a.bin")).content;
    expect(image).toEqual({ type: "image", mimeType: "image/png", data: PNG.toString("base64") });
  });

  it("gives a sound as audio", async () => {
    const sound = Buffer.from([0xff, 0xfb, 0x90, 0]);
    await put("a.mp3", sound, "audio/mpeg");
    const [, audio] = (await get("a.mp3")).content;
    expect(audio).toEqual({
      type: "audio",
      mimeType: "audio/mpeg",
      data: sound.toString("base64"),
    });
  });

  it("embeds small binaries and documents, and describes large ones", async () => {
    const small = Buffer.from([0, 1, 2]);
    await put("a b#.bin", small, "application/octet-stream");
    const [, embedded] = (await get("a b#.bin")).content;
    expect(embedded).toEqual({
      type: "resource",
      resource: {
        uri: "s3://bucket/a%20b%23.bin",
        mimeType: "application/octet-stream",
        blob: small.toString("base64"),
      },
    });
    await put(
      "doc.pdf",
      Buffer.concat([Buffer.from("%PDF-1.7\0"), Buffer.alloc(100_000)]),
      "application/pdf",
    );
    expect((await get("doc.pdf")).content[1]).toMatchObject({
      resource: { mimeType: "application/pdf" },
    });
    await put("big.zip", Buffer.alloc(100_000), "application/zip");
    const described = await get("big.zip");
    expect(described.content).toHaveLength(1);
    expect(textOf(described)).toMatch(
      /^local\/bucket\/big\.zip: 100000 bytes, application\/zip.*\nNot text, so not shown\. Try: mode: download, or max_content_size: 100000 for base64$/,
    );
    const asked = await get("big.zip", { max_content_size: 60_000 });
    expect(asked.content[1]).toMatchObject({
      resource: { blob: Buffer.alloc(60_000).toString("base64") },
    });
    expect(textOf(asked)).toContain("continue with offset=60000");
  });

  it("stops reading where a service sends more than it was asked for", async () => {
    let sent = 0;
    const endless = async function* () {
      for (;;) {
        sent += 65_536;
        yield Buffer.alloc(65_536, "x");
      }
    };
    const lying = await startMcp({
      storage: (storage) => ({
        ...storage,
        read: async (...args) => ({ ...(await storage.read(...args)), body: endless() }),
      }),
    });
    await lying.service.make("bucket");
    await lying.bucket("bucket").write("k", Buffer.alloc(200_000, "x"));
    const read = { bucket_name: "bucket", object_key: "k" };
    expect(framed(textOf(await lying.call("get_object", read)))).toBe("x".repeat(200_000));
    expect(sent).toBeLessThanOrEqual(200_000 + 65_536);
    await lying.close();
  });

  it("tells a wrong version, a deleted object and a delete marker apart", async () => {
    await mcp.service.setVersioning("bucket", "Enabled");
    await put("k", "text");
    const wrong = await get("k", { version_id: "nonsense" });
    expect(textOf(wrong)).toMatch(
      /^NoSuchVersion: k has no version nonsense\nTry: .*list_versions/,
    );
    await mcp.bucket("bucket").remove([{ key: "k" }]);
    const gone = await get("k");
    expect(textOf(gone)).toMatch(/^NoSuchKey: k was deleted; .*\nTry: .*undelete_object/);
    const { versions } = factsOf(await call("list_versions", {}));
    const [newest] = versions as { version_id: string; deleted: boolean }[];
    expect(newest).toMatchObject({ deleted: true });
    const marker = await get("k", { version_id: newest!.version_id });
    expect(textOf(marker)).toMatch(/^DeleteMarker: .*\nTry: .*undelete_object/);
  });

  it("says what is missing", async () => {
    expect(textOf(await get("nope"))).toMatch(/^NoSuchKey: .*nope/);
    expect(textOf(await get("nope", { version_id: "abc" }))).toMatch(/^NoSuchVersion|^NoSuchKey/);
    const elsewhere = await mcp.call("get_object", { bucket_name: "nothing", object_key: "k" });
    expect(textOf(elsewhere)).toMatch(/^NoSuchBucket: /);
  });
});

describe("get_object, downloading", () => {
  const download = (key: string, path: string | undefined, more: Record<string, unknown> = {}) =>
    get(key, { mode: "download", ...(path !== undefined && { local_path: path }), ...more });

  it("saves the bytes under the path, making directories, and leaves nothing else", async () => {
    await put("a", PNG, "image/png");
    const result = await download("a", "out/deep/a.png");
    expect(readFileSync(local("out/deep/a.png"))).toEqual(PNG);
    expect(readdirSync(local("out/deep"))).toEqual(["a.png"]);
    expect(factsOf(result)).toMatchObject({
      local_path: local("out/deep/a.png"),
      bucket: "bucket",
      key: "a",
      size: PNG.length,
      content_type: "image/png",
    });
    expect(textOf(result)).toContain(`local_path: ${local("out/deep/a.png")}`);
  });

  it("needs local_path", async () => {
    expect(textOf(await download("a", undefined))).toMatch(
      /^InvalidArgument: local_path is required/,
    );
  });

  it("replaces no local file unasked, whatever the model says", async () => {
    await put("a", "new");
    mkdirSync(local("other"));
    writeFileSync(local("other/target"), "old");
    writeFileSync(local("a.txt"), "old");
    symlinkSync(local("other/target"), local("link"));
    symlinkSync(local("other/none"), local("dangling"));
    for (const name of ["a.txt", "link", "dangling"]) {
      for (const extra of [{}, { overwrite: true }]) {
        expect((await download("a", name, extra)).isError).toBe(true);
      }
    }
    expect(textOf(await download("a", "a.txt"))).toMatch(/^FileExists: .*\nTry: choose another/);
    expect(textOf(await download("a", "a.txt", { overwrite: true }))).toMatch(
      /^LocalFileRefused: .*nobody can be asked\nTry: .*--allow-overwrite/,
    );
    expect(readFileSync(local("a.txt"), "utf8")).toBe("old");
    expect(readFileSync(local("other/target"), "utf8")).toBe("old");
    expect(existsSync(local("other/none"))).toBe(false);
  });

  it("replaces a local file with a person's yes, keeps a copy, and never writes through a link", async () => {
    const questions: string[] = [];
    const asking = await startMcp({
      answer: (question) => {
        questions.push(question);
        return "yes";
      },
    });
    await asking.service.make("bucket");
    await asking.bucket("bucket").write("a", Buffer.from("new"));
    const at = (name: string) => join(asking.directory, name);
    writeFileSync(at("a.txt"), "old");
    symlinkSync(at("a.txt"), at("link"));
    const get = (local_path: string) =>
      asking.call("get_object", {
        bucket_name: "bucket",
        object_key: "a",
        mode: "download",
        local_path,
        overwrite: true,
      });
    expect(textOf(await get("link"))).toMatch(/^LocalFileRefused/);
    expect(factsOf(await get("a.txt"))).toMatchObject({ undo: expect.stringMatching(/^\w+-\d+$/) });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("new");
    expect(questions).toEqual([
      expect.stringMatching(/^Replace the local file ".*\/a\.txt" \(3 bytes, modified .*\)\?$/),
    ]);
    await asking.close();
  });

  it("makes no directory for an object that is not there", async () => {
    expect(textOf(await download("nope", "new/a"))).toMatch(/^NoSuchKey/);
    expect(existsSync(local("new"))).toBe(false);
  });

  it("names the file by the requested path when the disk fails", async () => {
    await put("a", "x");
    const failing = await startMcp({
      storage: (storage): BucketStorage => ({
        ...storage,
        stat: async () => ({ type: "object", key: "a", size: 1, checksums: {} }),
        read: async () => {
          rmSync(join(failing.directory, "out"), { recursive: true });
          const body = (async function* () {
            yield Buffer.from("x");
          })();
          return { info: { type: "object", key: "a", size: 1, checksums: {} }, body };
        },
      }),
    });
    const result = await failing.call("get_object", {
      bucket_name: "bucket",
      object_key: "a",
      mode: "download",
      local_path: "out/a",
    });
    expect(textOf(result)).toContain(`ENOENT: cannot write ${join(failing.directory, "out/a")}: `);
    expect(textOf(result)).not.toContain("/proc/");
    await failing.close();
  });

  it("refuses what the guard refuses", async () => {
    await put("a", "x");
    expect(textOf(await download("a", "~/.bashrc"))).toMatch(/^LocalFileRefused: /);
    expect(textOf(await download("a", "/etc/cron.d/x"))).toMatch(/^LocalFileRefused: /);
    expect(textOf(await download("a", "a\0b"))).toMatch(/^LocalFileRefused: /);
  });
});

describe("upload_file", () => {
  const upload = (path: string, key: string, more: Record<string, unknown> = {}) =>
    call("upload_file", { local_file_path: path, object_key: key, ...more });

  it("stores the file with the type its name suggests", async () => {
    writeFileSync(local("page.html"), "<p>");
    const result = await upload("page.html", "site/index");
    expect(factsOf(result)).toMatchObject({
      bucket: "bucket",
      key: "site/index",
      size: 3,
      content_type: "text/html",
      etag: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(await mcp.bucket("bucket").stat("site/index")).toMatchObject({
      contentType: "text/html",
    });
  });

  it("uses the given type, storage class and cache control", async () => {
    writeFileSync(local("a.bin"), "x");
    await upload("a.bin", "a", {
      content_type: "text/x-test",
      cache_control: "max-age=60",
      storage_class: "STANDARD_IA",
    });
    expect(await mcp.bucket("bucket").stat("a")).toMatchObject({
      contentType: "text/x-test",
      cacheControl: "max-age=60",
      storageClass: "STANDARD_IA",
    });
  });

  it("takes keys as they are", async () => {
    writeFileSync(local("a"), "x");
    for (const key of ["../up", "a//b", "./c", "d e+f%20?#", "new\nline", "/lead"]) {
      expect((await upload("a", key)).isError, key).toBeUndefined();
      expect((await mcp.bucket("bucket").stat(key)).key).toBe(key);
    }
  });

  it("refuses a key that names no object, a missing file and a directory", async () => {
    writeFileSync(local("a"), "x");
    mkdirSync(local("dir"));
    expect(textOf(await upload("a", "dir/"))).toMatch(/^InvalidArgument: .*ends with \//);
    expect(textOf(await upload("none", "k"))).toMatch(
      /^ENOENT: cannot read none: no such file or directory\nTry: check the path/,
    );
    expect(textOf(await upload("dir", "k"))).toMatch(/^LocalFileRefused: .*not a regular file/);
    expect(textOf(await upload("~/.ssh/id_rsa", "k"))).toMatch(/^LocalFileRefused/);
  });

  it("names the file and not the descriptor when the bucket is not there", async () => {
    writeFileSync(local("a"), "x");
    const result = await mcp.call("upload_file", {
      bucket_name: "nothing",
      local_file_path: "a",
      object_key: "k",
    });
    expect(textOf(result)).toMatch(/^NoSuchBucket/);
    expect(textOf(result)).not.toContain("/proc/");
  });
});

describe("put_object", () => {
  it("stores text, with the type that its key's extension suggests", async () => {
    const result = await call("put_object", { object_key: "a.json", content: '{"é":1}' });
    expect(factsOf(result)).toMatchObject({ size: 8, content_type: "application/json" });
    await call("put_object", { object_key: "notes", content: "x" });
    expect(await mcp.bucket("bucket").stat("notes")).toMatchObject({
      contentType: "text/plain; charset=utf-8",
    });
  });

  it("replaces an object only where its ETag is named", async () => {
    await put("a", "old");
    const store = (args: Record<string, unknown> = {}) =>
      call("put_object", { object_key: "a", content: "new", ...args });
    for (const args of [{}, { if_none_match: true }, { if_exists: "replace" }]) {
      expect(textOf(await store(args))).toMatch(/^ObjectExists: .*etag (\w+)\nTry: .*if_match: \1/);
    }
    expect(textOf(await store({ if_match: "0123" }))).toMatch(/^PreconditionFailed/);
    const etag = (await mcp.bucket("bucket").stat("a")).etag;
    expect(framed(textOf(await get("a")))).toBe("old");
    const replaced = await store({ if_exists: "replace", if_match: etag });
    expect(factsOf(replaced)).toMatchObject({ at: "local", replaced: true });
    expect(framed(textOf(await get("a")))).toBe("new");
    expect(textOf(await store({ object_key: "b", if_match: etag }))).toMatch(/^PreconditionFailed/);
  });

  it("stores an empty object", async () => {
    expect(factsOf(await call("put_object", { object_key: "e", content: "" }))).toMatchObject({
      size: 0,
    });
  });
});

describe("stat_object", () => {
  it("reports all known facts, tags too", async () => {
    await mcp.bucket("bucket").write("a", Buffer.from("abc"), {
      contentType: "text/plain",
      metadata: { owner: "ada" },
      tags: { kind: "note" },
    });
    const result = await call("stat_object", { object_key: "a" });
    expect(factsOf(result)).toMatchObject({
      bucket: "bucket",
      key: "a",
      size: 3,
      content_type: "text/plain",
      metadata: { owner: "ada" },
      tags: { kind: "note" },
    });
    expect(textOf(result)).toContain('metadata: {"owner":"ada"}');
  });
});

describe("set_tags", () => {
  it("adds tags unasked, and replaces or removes none without a yes", async () => {
    await put("a", "x");
    const set = (tags: object, more: object = {}) =>
      call("set_tags", { object_key: "a", tags, ...more });
    const tags = () => mcp.bucket("bucket").getTags("a");
    await set({ one: "1", two: "2" });
    await set({ one: "1", two: "2", three: "3" });
    const asked = textOf(await set({ one: "1", two: "other" }, { confirm: "true" }));
    expect(asked).toMatch(
      /^ConfirmationRequired: .*Replace 2 tags of "local\/bucket\/a"\? It can be undone\. "three=3" "two=2"\n/,
    );
    expect(await tags()).toEqual({ one: "1", two: "2", three: "3" });
    const confirm = /confirm: "([\w-]{16})"/.exec(asked)![1];
    expect(textOf(await set({}, { confirm }))).toMatch(/^PlanChanged/);
    await set({ one: "1", two: "other" }, { confirm });
    expect(await tags()).toEqual({ one: "1", two: "other" });
    const refusing = await startMcp({ confirm: "refuse", answer: () => "yes" });
    await refusing.service.make("bucket");
    const bucket = { bucket_name: "bucket" };
    await refusing.call("set_tags", { ...bucket, tags: { team: "x" } });
    const refused = await refusing.call("set_tags", { ...bucket, tags: {} });
    expect(textOf(refused)).toMatch(/^ConfirmationRefused: .*"local\/bucket".*"team=x"/);
    await refusing.close();
  });

  it("says when there is no such object", async () => {
    expect(textOf(await call("set_tags", { object_key: "no", tags: { a: "b" } }))).toMatch(
      /^NoSuchKey/,
    );
  });
});

describe("presign_url", () => {
  it("signs a URL for the time asked for", async () => {
    expect(textOf(await call("presign_url", { object_key: "a b" }))).toMatch(/^NoSuchKey/);
    await put("a b", "x");
    const result = await call("presign_url", { object_key: "a b", expires_in: 60 });
    const { url, method, expires_in: expires } = factsOf(result);
    expect(new URL(String(url)).searchParams.get("X-Amz-Expires")).toBe("60");
    expect(new URL(String(url)).pathname).toBe("/bucket/a%20b");
    expect([method, expires]).toEqual(["GET", 60]);
    expect(textOf(result)).toContain(`url: ${String(url)}`);
  });

  it("makes no link that could replace an object, unless the person says yes to that", async () => {
    await put("a", "x");
    const link = { object_key: "a", method: "PUT" };
    expect(textOf(await call("presign_url", link))).toMatch(/^ObjectExists: "local\/bucket\/a"/);
    expect((await call("presign_url", { ...link, object_key: "new" })).isError).toBeUndefined();
    const questions: string[] = [];
    const asked = await startMcp({
      answer: (question) => (questions.push(question) > 1 ? "yes" : { action: "decline" }),
    });
    await asked.service.make("bucket");
    await asked.bucket("bucket").write("a", Buffer.from("x"));
    const make = () => asked.call("presign_url", { bucket_name: "bucket", ...link });
    expect(textOf(await make())).toMatch(/^Declined/);
    expect(factsOf(await make())).toMatchObject({ method: "PUT" });
    expect(questions[0]).toMatch(/^Make a link with which anybody can replace "local\/bucket\/a"/);
    await asked.close();
  });

  it("says that the embedded store must be served for it", async () => {
    await put("a", "x");
    expect(factsOf(await call("presign_url", { object_key: "a" }))["note"]).toContain("pail serve");
  });

  it("signs for a week at most", async () => {
    expect((await call("presign_url", { object_key: "a", expires_in: 604_801 })).isError).toBe(
      true,
    );
  });
});
