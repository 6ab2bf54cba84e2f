/** Failures are reported in place, can be tried again, and leave the rest usable. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  DeleteBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { type Proxy, refuse, startProxy } from "../support/proxy.js";
import { keysOf, makeBucket } from "../support/sdk.js";
import { hostVariable } from "../support/store.js";
import { openTerminal } from "../support/terminal.js";

let home: ConsoleHome;
let proxy: Proxy;

beforeAll(async () => {
  home = await createConsoleHome();
  proxy = await startProxy(home.store.endpoint);
  const proxied = { ...home.store, endpoint: proxy.endpoint };
  Object.assign(home.env, {
    ...hostVariable("net", proxied),
    ...hostVariable("wrong", { ...proxied, secretAccessKey: "not-the-secret" }),
    // Nothing listens on port 1.
    ...hostVariable("down", { ...proxied, endpoint: "http://127.0.0.1:1" }),
  });
});
beforeEach(async () => {
  await makeBucket(home.s3, "data", { "a.txt": "a.txt", "b.txt": "b.txt", "c.txt": "c.txt" });
});
afterEach(() => {
  proxy.intercept = () => false;
});
afterAll(async () => {
  await proxy.close();
  await home.close();
});

describe("what failed", () => {
  it("is tried again alone, and the rest is not done twice", async () => {
    const asked: string[] = [];
    let refuses = true;
    proxy.intercept = ({ method, url = "" }, response) => {
      if (method !== "GET" || !url.includes(".txt")) return false;
      asked.push(url.slice(-5));
      return refuses && url.endsWith("b.txt") && refuse(response, 403, "AccessDenied");
    };
    const into = mkdtempSync(join(home.directory, "again-"));
    const terminal = home.open("net/data", { cwd: into });
    const { press, see } = terminal;
    await see("3 rows");
    press("<ctrl-a>", "d");
    await see("Into");
    press("<enter>");
    await see("AccessDenied");
    expect(new Set(asked)).toEqual(new Set(["a.txt", "b.txt", "c.txt"]));
    press("t");
    await see("failed");
    press("<enter>");
    await see(/b\.txt.*AccessDenied/);
    asked.length = 0;
    refuses = false;
    press("r");
    await see("Done: Download 3 items");
    expect(asked).toEqual(["b.txt"]);
    expect(readFileSync(join(into, "b.txt"), "utf8")).toBe("b.txt");
    await quit(terminal);
  });
});

describe("an endpoint", () => {
  it("that is down is said so in the place of its buckets, and another alias still opens", async () => {
    const terminal = home.open("down");
    const { press, see } = terminal;
    await see("ECONNREFUSED");
    await see("tries again");
    press("R");
    await see("ECONNREFUSED");
    press("a");
    await see("PAIL_HOST_net");
    press("g");
    await see(/▌ +down/);
    press("<down>", "<down>");
    await see(/▌ +net/);
    press("<enter>");
    await see(/data +\d{4}/);
    await quit(terminal);
  });

  it("that refuses the credentials is quoted, without the secret", async () => {
    const terminal = home.open("wrong");
    await terminal.see("SignatureDoesNotMatch");
    expect(terminal.output()).not.toContain("not-the-secret");
    await quit(terminal);
  });

  it("that denies the list of buckets can still open one by its name", async () => {
    proxy.intercept = ({ url }, response) =>
      /^\/(\?|$)/.test(url ?? "") && refuse(response, 403, "AccessDenied");
    const terminal = home.open("net");
    const { press, see } = terminal;
    await see("AccessDenied");
    press("o");
    await see("use but not list");
    press("data", "<enter>");
    await see("b.txt");
    await quit(terminal);
  });
});

describe("a bucket page", () => {
  it("says when its bucket was removed underneath it", async () => {
    await makeBucket(home.s3, "gone");
    const terminal = home.open("net/gone");
    const { press, see } = terminal;
    await see("Nothing here yet.");
    await home.s3.send(new DeleteBucketCommand({ Bucket: "gone" }));
    press("R");
    await see("NoSuchBucket");
    press("<esc>");
    await see(/data +\d{4}/);
    await quit(terminal);
  });

  it("keeps the row of what could not be deleted, with S3's code, and moves on from what was", async () => {
    proxy.intercept = ({ url, method }, response) => {
      if (method !== "POST" || !/\?delete/.test(url ?? "")) return false;
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(
        "<DeleteResult><Error><Key>b.txt</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>",
      );
      return true;
    };
    const refuseDelete = proxy.intercept;
    proxy.intercept = (request, response) =>
      request.method === "DELETE" && /b\.txt/.test(request.url ?? "")
        ? refuse(response, 403, "AccessDenied")
        : refuseDelete(request, response);
    const terminal = home.open("net/data");
    const { press, see, miss } = terminal;
    await see("3 rows");
    press("<down>");
    await see(/▌ +b\.txt/);
    press("x");
    await see("1 object, 5B");
    await see(/For good|delete marker|goes for good/);
    press("y");
    await see(/b\.txt +5B +✗ AccessDenied/);
    proxy.intercept = () => false;
    press("x");
    await see("1 object, 5B");
    await see(/For good|delete marker|goes for good/);
    press("y");
    await miss(/b\.txt +5B/);
    await see(/▌ +c\.txt/);
    await expect(
      home.s3.send(new HeadObjectCommand({ Bucket: "data", Key: "b.txt" })),
    ).rejects.toThrow();
    await quit(terminal);
  });

  it("keeps its rows when the network goes, and lists again when it is back", async () => {
    const terminal = home.open("net/data");
    const { press, see, miss } = terminal;
    await see(/\d rows/);
    proxy.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    press("R");
    await see(/ECONNRESET|socket|EPIPE/i);
    await see("a.txt");
    proxy.intercept = () => false;
    press("R");
    await miss(/ECONNRESET|EPIPE/i);
    await see("a.txt");
    await quit(terminal);
  });
});

describe("an upload", () => {
  it("that loses the network fails in the panel and succeeds when tried again", async () => {
    writeFileSync(join(home.directory, "big.bin"), Buffer.alloc(24 * 1024 * 1024, 1));
    let parts = 0;
    proxy.intercept = (request) => {
      if (request.method !== "PUT") return false;
      // The first part passes; then the line is dead for every further one.
      if (++parts === 1) return false;
      request.socket.destroy();
      return true;
    };
    const terminal = home.open("net/data");
    const { press, see } = terminal;
    await see(/\d rows/);
    press("u");
    await see("big.bin");
    press("G");
    await see(/▌ +big\.bin/);
    press("u");
    await see("t shows how far it is");
    press("t");
    await see("Transfers");
    await see(/✗ Upload big\.bin .* failed/);
    proxy.intercept = () => false;
    press("r");
    await see(/✓ Upload big\.bin .* done/);
    press("<esc>");
    await see(/big\.bin +24MiB/);
    const head = await home.s3.send(new HeadObjectCommand({ Bucket: "data", Key: "big.bin" }));
    expect(head.ContentLength).toBe(24 * 1024 * 1024);
    await quit(terminal);
  });

  it("that is canceled leaves no unfinished upload behind; quitting meanwhile asks first", async () => {
    writeFileSync(join(home.directory, "huge.bin"), Buffer.alloc(24 * 1024 * 1024, 2));
    // Parts never come to their end.
    proxy.intercept = ({ method, url }) => method === "PUT" && /partNumber=[2-9]/.test(url ?? "");
    const terminal = home.open("net/data");
    const { press, see, miss } = terminal;
    await see(/\d rows/);
    press("u");
    await see("huge.bin");
    press("G");
    await see(/▌ +huge\.bin/);
    press("u", "t");
    await see(/Upload huge\.bin .* running/);
    press("<ctrl-c>");
    await see("A transfer is running");
    press("<esc>");
    await miss("A transfer is running");
    press("x");
    await see("Stop the transfer?");
    press("y");
    await see(/Upload huge\.bin .* canceled/);
    const { Uploads = [] } = await home.s3.send(
      new ListMultipartUploadsCommand({ Bucket: "data" }),
    );
    expect(Uploads).toEqual([]);
    await quit(terminal);
  });
});

describe("an upload of many files", () => {
  it("that is canceled counts exactly what has arrived", async () => {
    const directory = mkdtempSync(join(home.directory, "many-"));
    for (let index = 0; index < 60; index++) writeFileSync(join(directory, `f${index}`), "x");
    let puts = 0;
    // Later uploads never arrive.
    proxy.intercept = ({ method }) => method === "PUT" && ++puts > 20;
    const terminal = home.open("net/data", { cwd: directory });
    const { press, see } = terminal;
    await see(/\d rows/);
    press("u");
    await see("f10");
    press("<ctrl-a>");
    await see("60 files");
    press("u", "t");
    await see("20/60");
    press("x");
    await see("Stop the transfer?");
    press("y");
    await see("canceled");
    await see("20/60");
    const keys = await keysOf(home.s3, "data");
    expect(keys.filter((key) => /^f\d+$/.test(key))).toHaveLength(20);
    proxy.intercept = () => false;
    await quit(terminal);
  });
});

describe("a read-only console", () => {
  it("does not change anything, and says why", async () => {
    const terminal = openTerminal({ home, args: ["tui", "net/data", "--readonly"] });
    const { press, see } = terminal;
    await see("read-only");
    await see(/\d rows/);
    for (const key of ["n", "N", "u", "x", "r", "m"]) {
      press(key);
      await see("the console is read-only");
      press("<down>");
      await see((lines) => !lines.join().includes("the console is read-only"));
    }
    await quit(terminal);
  });
});
