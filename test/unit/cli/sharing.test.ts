/** Links to objects, and how long they may live. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { printLinks, secondsOf, type SharingInput } from "../../../src/cli/sharing.js";
import { createSession, type TestSession } from "../../support/session.js";

let session: TestSession;
beforeAll(async () => {
  session = await createSession({ buckets: ["bkt"] });
  const storage = await session.context.bucket("local", "bkt");
  for (const key of ["a.txt", "b.txt", "c.jpg"]) await storage.write(key, Buffer.from("x"));
});
afterAll(() => session.close());

const FLAGS = { recursive: false, expires: "1h", address: "127.0.0.1:9000", literal: false };
const links = (given: string[], flags: Partial<SharingInput> = {}, method: "GET" | "PUT" = "GET") =>
  printLinks(session, given, { ...FLAGS, ...flags }, method);

it("a link lives between a second and a week", () => {
  expect(secondsOf("1s")).toBe(1);
  expect(secondsOf("7d")).toBe(604_800);
  for (const text of ["0s", "8d"]) expect(() => secondsOf(text)).toThrow(/cannot be valid for/);
});

describe("links", () => {
  it("are made of every object that a pattern matches, with one remark for all", async () => {
    const made = await links(["local/bkt/*.txt"], { address: "127.0.0.1:9123", expires: "2h" });
    expect(made.map(({ location }) => location)).toEqual(["local/bkt/a.txt", "local/bkt/b.txt"]);
    const { stdout, stderr } = await session.said();
    expect(stdout).toEqual(made.map(({ url }) => url));
    expect(stderr).toEqual([expect.stringContaining("pail serve --address 127.0.0.1:9123")]);
    const { origin, pathname, searchParams } = new URL(made[0]!.url);
    expect([origin, pathname]).toEqual(["http://127.0.0.1:9123", "/bkt/a.txt"]);
    expect(searchParams.get("X-Amz-Expires")).toBe("7200");
  });

  it("for uploads take every name as it is, since no object needs to be there", async () => {
    const [made, ...rest] = await links(["local/bkt/new-*.txt"], {}, "PUT");
    expect([made?.location, rest]).toEqual(["local/bkt/new-*.txt", []]);
    await expect(links(["local/bkt/new-*.txt"])).rejects.toMatchObject({ exitCode: 3 });
    await session.said();
  });

  it("are of one object where a version is named; otherwise they are refused", async () => {
    const version = { "version-id": "v1" };
    const [made] = await links(["local/bkt/a.txt"], version);
    expect(new URL(made!.url).searchParams.get("versionId")).toBe("v1");
    await session.said();
    await expect(links(["local/bkt/a.txt", "local/bkt/b.txt"], version)).rejects.toMatchObject({
      exitCode: 2,
    });
    await expect(links(["local/bkt/a.txt"], { expires: "8d" })).rejects.toMatchObject({
      exitCode: 2,
    });
    expect((await session.said()).stdout).toEqual([]);
  });

  it("are made of the others where one names no object", async () => {
    const failed = links(["local/bkt", "local/bkt/a.txt"], {}, "PUT");
    await expect(failed).rejects.toMatchObject({ exitCode: 7 });
    const { stdout, stderr } = await session.said();
    expect(stdout).toEqual([expect.stringContaining("/bkt/a.txt?")]);
    expect(stderr[0]).toContain('"local/bkt" names no object');
  });
});
