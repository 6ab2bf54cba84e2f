/** `pail sync` in a process of its own, for behaviour that only a process shows. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { BIN, createHome, finish, type Home, listenTo, RUNTIME } from "../support/run.js";

let home: Home;
let source: string;
beforeAll(async () => {
  home = createHome();
  source = join(home.directory, "source");
  expect((await home.pail(["mb", "local/bkt"])).code).toBe(0);
});
afterAll(() => {
  home.remove();
});

function plant(...names: string[]): void {
  rmSync(source, { recursive: true, force: true, maxRetries: 5 });
  for (const name of names) {
    mkdirSync(join(source, name, ".."), { recursive: true });
    writeFileSync(join(source, name), name);
  }
}

const keys = async (prefix: string) =>
  (await home.pail(["ls", "-r", "--json", `local/bkt/${prefix}`])).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { key: string }).key.slice(prefix.length));

// A superuser may read everything, unless these two powers are taken away.
const POWERS = "-dac_override,-dac_read_search";
const AS_OTHERS = ["setpriv", `--bounding-set=${POWERS}`, `--inh-caps=${POWERS}`];

it.skipIf(process.platform !== "linux")(
  "removes nothing when a folder of the source cannot be read, and names it (s5cmd empties it)",
  async () => {
    plant("a", "locked/b", "other/c");
    expect((await home.pail(["sync", "-q", source, "local/bkt/u"])).code).toBe(0);
    rmSync(join(source, "a"));
    chmodSync(join(source, "locked"), 0);
    const [program, ...first] = process.getuid?.() === 0 ? AS_OTHERS : ["/usr/bin/env"];
    const args = [...first, RUNTIME, BIN, "sync", "--delete", source, "local/bkt/u"];
    const { code, stderr } = await finish(spawn(program!, args, { env: home.env }));
    chmodSync(join(source, "locked"), 0o755);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/locked.*permission denied/is)]);
    expect(await keys("u/")).toEqual(["a", "locked/b", "other/c"]);
  },
);

it("watches until it is told to end, and prints nothing for a pass without changes", async () => {
  plant("a");
  const watch = ["sync", "--watch", "--delete", source, "local/bkt/w"];
  const child = home.start(watch);
  const ended = finish(child);
  const said = listenTo(child, "stderr");
  await said("waiting for changes below");
  writeFileSync(join(source, "b"), "b");
  await said(/waiting for changes below[^]*1 new, 0 changed/);
  rmSync(source, { recursive: true });
  await said("trying again in");
  expect(await keys("w/")).toEqual(["a", "b"]);
  child.kill("SIGTERM");
  const { code } = await ended;
  // The last pass failed.
  expect(code).toBe(3);
});

it("takes a list of names from stdin, and -0 only with one", async () => {
  plant("a", "b c", "d/e");
  const up = ["cp", "-q", "--files-from", "-", "-0", `${source}/`, "local/bkt/l/"];
  expect(await home.pail(up, { stdin: "b c\0d/e\0" })).toMatchObject({ code: 0 });
  expect(await keys("l/")).toEqual(["b c", "d/e"]);
  const gone = await home.pail(["rm", "--files-from", "-", "local/bkt/l/"], { stdin: "d/e\n" });
  expect([gone.code, await keys("l/")]).toEqual([0, ["b c"]]);
  expect((await home.pail(["cp", "-r", "-0", source, "local/bkt/l/"])).code).toBe(2);
  expect((await home.pail(["cp", "--larger", "1k", join(source, "a"), "local/bkt/l/"])).code).toBe(
    2,
  );
});

it("pays for its requests where the bucket wants its readers to, and only when told", async () => {
  const page =
    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>k</Key>" +
    "<LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;e-1&quot;</ETag>" +
    "<Size>5</Size></Contents></ListBucketResult>";
  const unpaid: string[] = [];
  const server = createServer(({ method, url, headers }, answer) => {
    if (headers["x-amz-request-payer"] !== "requester") {
      unpaid.push(`${method} ${url}`);
      answer.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    } else if (url!.includes("list-type")) answer.end(page);
    else {
      answer.setHeader("etag", '"e-1"');
      answer.writeHead(200, { "content-length": 5 }).end(method === "HEAD" ? "" : "bytes");
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = { PAIL_HOST_paid: `http://key:secret@127.0.0.1:${port}` };
  const to = join(home.directory, "paid");
  try {
    expect(await home.pail(["sync", "paid/bkt", to], { env })).toMatchObject({ code: 4 });
    expect(unpaid).not.toEqual([]);
    unpaid.length = 0;
    const paid = await home.pail(["sync", "--request-payer", "paid/bkt", to], { env });
    expect([paid.code, paid.stderr, unpaid]).toEqual([0, expect.anything(), []]);
    expect(readFileSync(join(to, "k"), "utf8")).toBe("bytes");
  } finally {
    server.close();
  }
});
