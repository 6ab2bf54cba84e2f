/** `alias set`: the settings it keeps, those it refuses, and how it tries an endpoint. */
import { resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { aliasConfig, parseDialect, tryEndpoint } from "../../../src/cli/alias-setup.js";
import { type Context, createContext } from "../../../src/context.js";
import type { ResolvedAlias } from "../../../src/core/config/types.js";
import { AppError } from "../../../src/core/failures/errors.js";
import { createHome, type Home } from "../../support/run.js";

const { signal } = new AbortController();
const input = {
  name: "play",
  url: "http://127.0.0.1:9000",
  accessKey: "AKID",
  secretKey: "secret",
  "secret-key-stdin": false,
  insecure: false,
};

describe("aliasConfig", () => {
  it("keeps what was given and nothing else; a certificate by its whole path", async () => {
    const { url, accessKey, secretKey } = input;
    expect(await aliasConfig(input, signal)).toStrictEqual({ url, accessKey, secretKey });
    const more = { ...input, insecure: true, "ca-file": "ca.pem", dialect: "aws" };
    expect(await aliasConfig(more, signal)).toMatchObject({
      insecure: true,
      caFile: resolve("ca.pem"),
      dialect: "aws",
    });
  });

  it("takes a profile for credentials that are looked up, and then no keys", async () => {
    const { accessKey: _key, secretKey: _secret, ...bare } = input;
    expect(await aliasConfig({ ...bare, profile: "work" }, signal)).toStrictEqual({
      url: input.url,
      credentials: "chain",
      profile: "work",
    });
    const both = { ...input, credentials: "anonymous" } as const;
    await expect(aliasConfig(both, signal)).rejects.toThrow(/none of them/);
  });

  it.each([
    [{ name: "1st" }, /cannot name an alias/],
    [{ url: "127.0.0.1:9000" }, /is not an endpoint/],
    [{ url: "http://user:word@127.0.0.1" }, /key pair in it/],
    [{ accessKey: "" }, /access key is missing/],
    [{ secretKey: "" }, /secret key is missing/],
  ])("refuses %j", async (wrong, message) => {
    const refused = aliasConfig({ ...input, ...wrong }, signal);
    await expect(refused).rejects.toThrow(expect.objectContaining({ kind: "usage" }));
    await expect(refused).rejects.toThrow(message);
  });
});

it("a dialect is a preset's name or four words", () => {
  expect(parseDialect("aws")).toBe("aws");
  expect(parseDialect("X4, x, svc ,x4_request")).toEqual({
    scheme: "X4",
    infix: "x",
    service: "svc",
    terminator: "x4_request",
  });
  for (const text of ["toString", "a,b,c", "a,,b,c", "a,b,c,d,e"]) {
    expect(() => parseDialect(text)).toThrow(/is not a dialect/);
  }
});

describe("tryEndpoint", () => {
  let home: Home;
  let context: Context;
  beforeAll(() => {
    home = createHome();
    context = createContext({ ...home.env, PAIL_HOST_play: "http://old:secret@127.0.0.1:1" });
  });
  afterAll(() => {
    context.close();
    home.remove();
  });

  /** Tries the alias at the embedded store, which refuses with `error` where one is given. */
  const attempt = async (error?: AppError) => {
    const client = await context.client("local");
    const request: typeof client.request = (...asked) => {
      if (error !== undefined) throw error;
      return client.request(...asked);
    };
    let tried: ResolvedAlias | undefined;
    let closed = false;
    const connect: Context["connect"] = async (alias) => {
      tried = alias;
      return { ...client, request, close: () => void (closed = true) };
    };
    const config = await aliasConfig(input, signal);
    try {
      await tryEndpoint({ ...context, connect }, "play", config, signal);
    } finally {
      expect(closed).toBe(true);
    }
    return tried;
  };
  const failure = (code: string, hint?: string) =>
    new AppError({ kind: "unavailable", code, message: "m", ...(hint && { hint }) });

  it("asks with the keys that were given, whatever the environment says, and closes", async () => {
    expect(await attempt()).toMatchObject({ url: new URL(input.url), accessKey: "AKID" });
  });

  it("succeeds where only the list of buckets is denied", async () => {
    await expect(attempt(failure("AccessDenied"))).resolves.toBeDefined();
    await expect(attempt(failure("AccessDenied", "do this"))).rejects.toThrow("m");
  });

  it("suggests checking the URL where nothing answers", async () => {
    await expect(attempt(failure("ECONNREFUSED", "pail alias list"))).rejects.toMatchObject({
      hint: expect.stringContaining("--no-check"),
    });
    await expect(attempt(failure("Other", "as it was"))).rejects.toMatchObject({
      hint: "as it was",
    });
  });
});
