/** What goes wrong is said in place, can be tried again, and leaves the rest usable. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  CreateBucketCommand,
  DeleteBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type Proxy, refuse, startProxy } from "../support/proxy.js";
import { createHome, type Home } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";
import { openTerminal } from "../support/terminal.js";

let home: Home;
let store: RunningStore;
let proxy: Proxy;
let s3: S3Client;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  home = createHome();
  store = await startStore();
  proxy = await startProxy(store.endpoint);
  s3 = new S3Client({
    endpoint: store.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: store,
  });
  const host = (key: string, secret: string, endpoint: string) =>
    endpoint.replace("://", `://${key}:${secret}@`);
  env = {
    PAIL_HOST_net: host(store.accessKeyId, store.secretAccessKey, proxy.endpoint),
    PAIL_HOST_wrong: host(store.accessKeyId, "not-the-secret", proxy.endpoint),
    // Nothing listens on port 1.
    PAIL_HOST_down: host("key", "secret", "http://127.0.0.1:1"),
  };
  await s3.send(new CreateBucketCommand({ Bucket: "data" }));
  for (const key of ["a.txt", "b.txt", "c.txt"]) {
    await s3.send(new PutObjectCommand({ Bucket: "data", Key: key, Body: key }));
  }
});
afterEach(() => {
  proxy.intercept = () => false;
});
afterAll(async () => {
  s3.destroy();
  await proxy.close();
  await store.close();
  home.remove();
});

const open = (place: string) => openTerminal({ home, args: ["tui", place], env });

describe("an endpoint", () => {
  it("that is down is said so in the place of its buckets, and another alias still opens", async () => {
    const terminal = open("down");
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
    press("<ctrl-c>");
    expect((await terminal.exit()).code).toBe(0);
  });

  it("that refuses the credentials is quoted, without the secret", async () => {
    const terminal = open("wrong");
    await terminal.see("SignatureDoesNotMatch");
    expect(terminal.output()).not.toContain("not-the-secret");
    terminal.press("<ctrl-c>");
    await terminal.exit();
  });

  it("that denies the list of buckets can still open one by its name", async () => {
    proxy.intercept = ({ url }, response) =>
      /^\/(\?|$)/.test(url ?? "") && refuse(response, 403, "AccessDenied");
    const terminal = open("net");
    const { press, see } = terminal;
    await see("AccessDenied");
    press("o");
    await see("use but not list");
    press("data", "<enter>");
    await see("b.txt");
    press("<ctrl-c>");
    await terminal.exit();
  });
});

describe("a bucket page", () => {
  it("says when its bucket was removed underneath it", async () => {
    await s3.send(new CreateBucketCommand({ Bucket: "gone" }));
    const terminal = open("net/gone");
    const { press, see } = terminal;
    await see("Nothing here yet.");
    await s3.send(new DeleteBucketCommand({ Bucket: "gone" }));
    press("R");
    await see("NoSuchBucket");
    press("<esc>");
    await see(/data +\d{4}/);
    press("<ctrl-c>");
    await terminal.exit();
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
    const terminal = open("net/data");
    const { press, see, miss } = terminal;
    await see("3 rows");
    press("<down>");
    await see(/▌ +b\.txt/);
    press("x");
    await see("1 object, 5B");
    press("y");
    await see(/b\.txt +5B +✗ AccessDenied/);
    proxy.intercept = () => false;
    press("x");
    await see("1 object, 5B");
    press("y");
    await miss(/b\.txt +5B/);
    await see(/▌ +c\.txt/);
    await expect(
      s3.send(new HeadObjectCommand({ Bucket: "data", Key: "b.txt" })),
    ).rejects.toThrow();
    press("<ctrl-c>");
    await terminal.exit();
  });

  it("keeps its rows when the network goes, and lists again when it is back", async () => {
    const terminal = open("net/data");
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
    press("<ctrl-c>");
    await terminal.exit();
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
    const terminal = open("net/data");
    const { press, see } = terminal;
    await see(/\d rows/);
    press("u");
    await see("big.bin");
    press("G");
    await see(/▌ +big\.bin/);
    press("u");
    await see("Transfers");
    await see(/✗ Upload big\.bin .* failed/);
    proxy.intercept = () => false;
    press("r");
    await see(/✓ Upload big\.bin .* done/);
    press("<esc>");
    await see(/big\.bin +24MiB/);
    const head = await s3.send(new HeadObjectCommand({ Bucket: "data", Key: "big.bin" }));
    expect(head.ContentLength).toBe(24 * 1024 * 1024);
    press("<ctrl-c>");
    await terminal.exit();
  });

  it("that is canceled leaves no unfinished upload behind; quitting meanwhile asks first", async () => {
    writeFileSync(join(home.directory, "huge.bin"), Buffer.alloc(24 * 1024 * 1024, 2));
    // Parts never come to their end.
    proxy.intercept = ({ method, url }) => method === "PUT" && /partNumber=[2-9]/.test(url ?? "");
    const terminal = open("net/data");
    const { press, see, miss } = terminal;
    await see(/\d rows/);
    press("u");
    await see("huge.bin");
    press("G");
    await see(/▌ +huge\.bin/);
    press("u");
    await see(/Upload huge\.bin .* running/);
    press("<ctrl-c>");
    await see("A transfer is running");
    press("<esc>");
    await miss("A transfer is running");
    press("x");
    await see("Cancel the transfer?");
    press("y");
    await see(/Upload huge\.bin .* canceled/);
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: "data" }));
    expect(Uploads).toEqual([]);
    press("<ctrl-c>");
    expect((await terminal.exit()).code).toBe(0);
  });
});

describe("a read-only console", () => {
  it("does not change anything, and says why", async () => {
    const terminal = openTerminal({ home, args: ["tui", "net/data", "--readonly"], env });
    const { press, see } = terminal;
    await see("read-only");
    await see(/\d rows/);
    for (const key of ["n", "N", "u", "x", "r", "m"]) {
      press(key);
      await see("the console is read-only");
      press("<down>");
      await see((lines) => !lines.join().includes("the console is read-only"));
    }
    press("<ctrl-c>");
    await terminal.exit();
  });
});
