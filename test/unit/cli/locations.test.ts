/** Locations of a command line: local ones, remote ones, and mistakes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  anywhere,
  remote,
  remoteBucket,
  requireOne,
  unknownTarget,
} from "../../../src/cli/locations.js";
import type { Context } from "../../../src/context.js";
import { createSession, type TestSession } from "../../support/session.js";

let session: TestSession;
let context: Context;
beforeAll(async () => {
  session = await createSession();
  ({ context } = session);
});
afterAll(() => session.close());

describe("a location", () => {
  it("is remote when its first part is an alias, and ./ is always local", async () => {
    expect(await anywhere(context, "local/photos/a")).toMatchObject({ type: "remote", key: "a" });
    expect(await anywhere(context, "./local/photos")).toMatchObject({ type: "local" });
    expect(await anywhere(context, "-")).toMatchObject({ type: "stdio" });
    for (const name of ["/dev/stdout", "/dev/fd/3", "/proc/self/fd/1"]) {
      expect(await anywhere(context, name)).toMatchObject({ type: "stdio" });
    }
  });

  it("that is nearly an alias is a mistake, not a new directory", async () => {
    await expect(anywhere(context, "lcoal/photos/a")).rejects.toMatchObject({
      code: "UnknownAlias",
      hint: expect.stringContaining("did you mean local/photos/a?"),
    });
    expect(await anywhere(context, "elsewhere/photos")).toMatchObject({ type: "local" });
    expect(unknownTarget("nowhere/x")).toMatchObject({ hint: "pail alias set nowhere URL" });
    for (const text of ["nowhere", "./nowhere/x", "/nowhere/x", "src/x"]) {
      expect(unknownTarget(text)).toBeUndefined();
    }
  });

  it("must have the parts that are needed; the error says how to write them", async () => {
    await expect(remote(context, "local", "bucket")).rejects.toMatchObject({
      exitCode: 2,
      hint: "write it as local/bucket; pail ls local lists them",
    });
    await expect(remote(context, "local/photos", "key")).rejects.toMatchObject({
      exitCode: 2,
      hint: "write it as local/photos/key",
    });
    await expect(remote(context, "nosuch/b", "bucket")).rejects.toMatchObject({
      code: "UnknownAlias",
    });
    expect(await remote(context, "local/photos/a//b/", "key")).toMatchObject({ key: "a//b/" });
  });

  it("is a bucket and nothing below it, with or without a slash, where that is asked for", async () => {
    expect(await remoteBucket(context, "local/photos/")).toMatchObject({ bucket: "photos" });
    await expect(remoteBucket(context, "local/photos/a")).rejects.toMatchObject({
      exitCode: 2,
      hint: "write it as local/photos",
    });
  });

  it("names one object when a version is named", () => {
    expect(() => requireOne(["a", "b"], "v")).toThrow(/one object/);
    expect(() => requireOne(["a"], "v")).not.toThrow();
    expect(() => requireOne(["a", "b"], undefined)).not.toThrow();
  });
});
