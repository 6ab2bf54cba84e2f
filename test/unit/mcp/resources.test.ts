import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { objectUri, parseObjectUri } from "../../../src/mcp/resources.js";
import { type RunningMcp, startMcp } from "../../support/mcp.js";

describe("object URIs", () => {
  it("lead back to the exact key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (key) => {
        expect(parseObjectUri(objectUri("bucket", key))).toEqual({
          alias: undefined,
          bucket: "bucket",
          key,
        });
        expect(parseObjectUri(objectUri("bucket", key, "prod"))).toEqual({
          alias: "prod",
          bucket: "bucket",
          key,
        });
      }),
    );
  });

  it.each([
    ["s3://b/a/../c", "a/../c"],
    ["s3://b/a//b/", "a//b/"],
    ["s3://b/a?b#c", "a?b#c"],
    ["s3://b/a%2Fb%20c", "a/b c"],
    ["s3://b/a@b", "a@b"],
  ])("%s is the key %s", (uri, key) => {
    expect(parseObjectUri(uri)).toEqual({ alias: undefined, bucket: "b", key });
  });

  it.each(["s3://b", "s3://b/", "s3:///k", "http://b/k", "s3://b/%zz", ""])(
    "%j is no object's URI",
    (uri) => {
      expect(() => parseObjectUri(uri)).toThrow(expect.objectContaining({ code: "InvalidURI" }));
    },
  );
});

describe("the object resource", () => {
  let mcp: RunningMcp;
  beforeEach(async () => {
    mcp = await startMcp({ buckets: ["photos", "paper"] });
    for (const name of ["photos", "paper", "secret"]) await mcp.service.make(name);
  });
  afterEach(() => mcp.close());
  const read = (uri: string) => mcp.client.readResource({ uri });

  it("has a template", async () => {
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "s3://{bucket}/{+key}" }]);
  });

  it("gives text as text and the rest as bytes, for the exact key", async () => {
    const key = "a/../b c?d#e%20";
    await mcp.bucket("photos").write(key, Buffer.from("text é"), { contentType: "text/plain" });
    await mcp.bucket("photos").write("bin", Buffer.from([0, 255]), { contentType: "image/x" });
    const uri = objectUri("photos", key);
    expect(await read(uri)).toEqual({
      contents: [{ uri, mimeType: "text/plain", text: "text é" }],
    });
    expect(await read("s3://photos/bin")).toEqual({
      contents: [{ uri: "s3://photos/bin", mimeType: "image/x", blob: "AP8=" }],
    });
  });

  it("refuses objects that are missing, not allowed or too large", async () => {
    await expect(read("s3://photos/none")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("NoSuchKey"),
    });
    await expect(read("s3://secret/k")).rejects.toMatchObject({
      message: expect.stringContaining("AccessDenied"),
    });
    await expect(read("s3://photos")).rejects.toMatchObject({
      message: expect.stringContaining("InvalidURI"),
    });
    await mcp.bucket("photos").write("big", Buffer.alloc(5 * 1024 * 1024 + 1));
    // Invisible characters are longer once they are shown.
    await mcp.bucket("photos").write("unseen", Buffer.from("\u200b".repeat(1_200_000)));
    for (const key of ["big", "unseen"]) {
      await expect(read(`s3://photos/${key}`)).rejects.toMatchObject({
        message: expect.stringMatching(/EntityTooLarge[^]*get_object/),
      });
    }
  });

  it("completes the allowed buckets, and keys one level at a time", async () => {
    for (const key of ["2024/a.jpg", "2024/b.jpg", "2025/c.jpg", "index"]) {
      await mcp.bucket("photos").write(key, Buffer.from("x"));
    }
    const ref = { type: "ref/resource", uri: "s3://{bucket}/{+key}" } as const;
    const complete = async (name: string, value: string, context?: Record<string, string>) => {
      const argument = { name, value };
      const { completion } = await mcp.client.complete({
        ref,
        argument,
        ...(context && { context: { arguments: context } }),
      });
      return completion.values;
    };
    expect(await complete("bucket", "p")).toEqual(["photos", "paper"]);
    expect(await complete("bucket", "s")).toEqual([]);
    expect(await complete("key", "20", { bucket: "photos" })).toEqual(["2024/", "2025/"]);
    expect(await complete("key", "2024/", { bucket: "photos" })).toEqual([
      "2024/a.jpg",
      "2024/b.jpg",
    ]);
    expect(await complete("key", "", { bucket: "secret" })).toEqual([]);
    expect(await complete("key", "")).toEqual([]);
  });

  it("is not there when get_object is not offered", async () => {
    const without = await startMcp({ tools: ["list_objects"] });
    await without.service.make("photos");
    await without.bucket("photos").write("k", Buffer.from("v"));
    await expect(without.client.readResource({ uri: "s3://photos/k" })).rejects.toThrow();
    expect(without.client.getServerCapabilities()).not.toHaveProperty("resources");
    await without.close();
  });

  it("names the alias when several are served", async () => {
    const several = await startMcp({ aliases: ["local", "other"] });
    await several.service.make("photos");
    await several.bucket("photos").write("k", Buffer.from("v"));
    const { resourceTemplates } = await several.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "s3://{alias}@{bucket}/{+key}" }]);
    const { contents } = await several.client.readResource({ uri: "s3://other@photos/k" });
    expect(contents).toMatchObject([{ text: "v" }]);
    await expect(several.client.readResource({ uri: "s3://third@photos/k" })).rejects.toThrow(
      "UnknownAlias",
    );
    await several.close();
  });
});
