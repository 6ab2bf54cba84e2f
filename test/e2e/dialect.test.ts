/** An invented vendor: `pail serve` and an alias that spell the signature the same way. */
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { pseudoRandom } from "../support/bucket.js";
import { type Proxy, startProxy } from "../support/proxy.js";
import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";

const DIALECT = "ACME,acme,objects,acme_request";
const LARGE = pseudoRandom(17 * 1024 * 1024 + 5);

let home: Home;
let serve: Serve;
let proxy: Proxy;
/** The headers of every request, and the queries, as they went over the wire. */
const sent: { headers: IncomingHttpHeaders; url: string }[] = [];

const setAlias = (name: string, ...flags: string[]) =>
  home.pail(
    ["alias", "set", name, proxy.endpoint, serve.accessKeyId, "--secret-key-stdin", ...flags],
    { stdin: serve.secretAccessKey },
  );
const ok = async (...args: string[]) => {
  const result = await home.pail(args);
  expect(result, `pail ${args.join(" ")}: ${result.stderr}`).toMatchObject({ code: 0 });
  return result;
};

beforeAll(async () => {
  home = createHome({ here: true });
  serve = await startServe(home, ["--dialect", DIALECT]);
  proxy = await startProxy(serve.endpoint);
  proxy.intercept = ({ headers, url = "" }) => {
    sent.push({ headers, url });
    return false;
  };
  const set = await setAlias("acme", "--dialect", DIALECT);
  expect(set, set.stderr).toMatchObject({ code: 0 });
  writeFileSync(join(home.directory, "1.txt"), "Hello, vendor");
  writeFileSync(join(home.directory, "large.bin"), LARGE);
  await ok("mb", "--with-versioning", "acme/photos");
});
afterAll(async () => {
  await proxy?.close();
  expect(await serve?.stop()).toBe(0);
  home.remove();
});

describe("an alias in the dialect of its server", () => {
  test("stores an object with metadata, storage class and headers, and shows them", async () => {
    const flags = ["--metadata", "owner=me", "--storage-class", "STANDARD_IA"];
    await ok("cp", ...flags, "--cache-control", "no-store", "1.txt", "acme/photos");
    const stat = JSON.parse((await ok("stat", "--json", "acme/photos/1.txt")).stdout) as object;
    expect(stat).toMatchObject({
      size: 13,
      metadata: { owner: "me" },
      storageClass: "STANDARD_IA",
      cacheControl: "no-store",
      contentType: "text/plain",
      checksums: expect.objectContaining({}),
    });
    expect((await ok("ls", "acme/photos")).stdout).toMatch(/13B STANDARD_IA 1\.txt\n$/);
    expect((await ok("cat", "acme/photos/1.txt")).stdout).toBe("Hello, vendor");
  });

  test("moves a large object in parts, from a file and from stdin, and copies it", async () => {
    await ok("cp", "--part-size", "5MiB", "large.bin", "acme/photos");
    const put = await home.pail(["cp", "-", "acme/photos/piped.bin"], { stdin: LARGE });
    expect(put, put.stderr).toMatchObject({ code: 0 });
    await ok("cp", "acme/photos/large.bin", "acme/photos/copy.bin");
    for (const name of ["large.bin", "piped.bin", "copy.bin"]) {
      expect((await ok("cat", `acme/photos/${name}`)).bytes.equals(LARGE)).toBe(true);
    }
  });

  test("presigns a URL with the vendor's parameters, and the URL reads the object", async () => {
    const url = (await ok("presign", "acme/photos/1.txt")).stdout.trim();
    expect(url).toContain("X-Acme-Algorithm=ACME-HMAC-SHA256");
    expect(await (await fetch(url)).text()).toBe("Hello, vendor");
  });

  test("sends no header and no parameter of another vendor", () => {
    expect(sent.length).toBeGreaterThan(10);
    const presigned = sent.filter(({ url }) => url.includes("X-Acme-Signature="));
    for (const { headers, url } of sent) {
      const names = Object.keys(headers).join(" ");
      expect(`${names} ${url}`).not.toMatch(/x-amz-|x-goog-|aws4/i);
      if (!presigned.some((one) => one.headers === headers)) {
        expect(headers["x-acme-date"]).toMatch(/^\d{8}T\d{6}Z$/);
        expect(headers["authorization"]).toMatch(
          /^ACME-HMAC-SHA256 Credential=\w+\/\d{8}\/us-east-1\/objects\/acme_request,/,
        );
      }
    }
    expect(sent.some(({ headers }) => headers["x-acme-storage-class"] === "STANDARD_IA")).toBe(
      true,
    );
    expect(sent.some(({ headers }) => headers["x-acme-meta-owner"] === "me")).toBe(true);
    expect(sent.some(({ headers }) => headers["x-acme-copy-source"] !== undefined)).toBe(true);
  });

  test("removes objects and their versions", async () => {
    await ok("mb", "-p", "--with-versioning", "acme/photos");
    await ok("cp", "1.txt", "acme/photos");
    await ok("rm", "acme/photos/1.txt");
    const versions = (await ok("ls", "--versions", "--json", "acme/photos")).stdout;
    expect(versions).toMatch(/"isDeleteMarker":true/);
    await ok("rb", "--force", "acme/photos");
    expect(await home.pail(["ls", "acme/photos"])).toMatchObject({ code: 3 });
  });
});

describe.each([
  ["Amazon's dialect", "aws", /use ACME-HMAC-SHA256/],
  ["Google's dialect", "google", /use ACME-HMAC-SHA256/],
  ["another scheme", "ACME2,acme,objects,acme_request", /use ACME-HMAC-SHA256/],
  ["another infix", "ACME,other,objects,acme_request", /valid Date or x-acme-date/],
  ["another service", "ACME,acme,blobs,acme_request", /service "blobs"; expecting "objects"/],
  ["another terminator", "ACME,acme,objects,end", /terminator "end"; expecting "acme_request"/],
])("an alias in %s", (_, dialect, words) => {
  test("is denied, told what the server expects, and not saved", async () => {
    const refused = {
      code: 4,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(`${words.source}[^]*\nhint: pail alias set wrong http://\\S+ --dialect `),
      ) as string,
    };
    expect(await setAlias("wrong", "--dialect", dialect)).toMatchObject(refused);
    expect(await home.pail(["ls", "wrong"])).toMatchObject({ code: 2 });

    const unchecked = await setAlias("wrong", "--dialect", dialect, "--no-check");
    expect(unchecked).toMatchObject({ code: 0 });
    expect(await home.pail(["ls", "wrong"])).toMatchObject(refused);
    const { stderr } = await home.pail(["cp", "1.txt", "wrong/photos"]);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(serve.secretAccessKey);
    expect(await home.pail(["alias", "remove", "wrong"])).toMatchObject({ code: 0 });
  });
});
