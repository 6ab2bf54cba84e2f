import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { factsOf, type RunningMcp, startMcp, textOf } from "../../../support/mcp.js";

let mcp: RunningMcp;

beforeEach(async () => {
  mcp = await startMcp();
  await mcp.service.make("photos");
});

afterEach(() => mcp.close());

async function fill(...keys: string[]): Promise<void> {
  for (const key of keys) await mcp.bucket("photos").write(key, Buffer.from(key));
}

const keysOf = (facts: Record<string, unknown>) =>
  (facts["objects"] as { key: string }[]).map(({ key }) => key);

describe("list_buckets", () => {
  it("lists names and dates", async () => {
    await mcp.service.make("archive");
    const result = await mcp.call("list_buckets");
    expect(textOf(result)).toMatch(
      /^2 buckets at local\nname\tcreated\narchive\t\d{4}-.*Z\nphotos\t\d{4}-.*Z$/,
    );
    expect(factsOf(result)).toEqual({
      alias: "local",
      buckets: [
        { name: "archive", created: expect.any(String) },
        { name: "photos", created: expect.any(String) },
      ],
      total: 2,
    });
  });

  it("says when there are none", async () => {
    await mcp.service.remove("photos");
    expect(textOf(await mcp.call("list_buckets"))).toBe("0 buckets at local");
  });

  it("needs no permission to list the service when buckets were named", async () => {
    const named = await startMcp({
      buckets: ["photos", "gone"],
      service: (service) => ({
        ...service,
        list: async () => {
          throw new AppError({ kind: "denied", code: "AccessDenied", message: "no" });
        },
        exists: async (name) => name === "photos",
      }),
    });
    expect(factsOf(await named.call("list_buckets"))).toEqual({
      alias: "local",
      buckets: [{ name: "photos" }],
      total: 1,
    });
    // No empty column for the dates that were not asked for.
    expect(textOf(await named.call("list_buckets"))).toBe("1 bucket at local\nname\nphotos");
    await named.close();
  });
});

describe("list_objects", () => {
  it("lists keys, sizes and dates, the same in text and structure", async () => {
    await fill("a.txt", "b/c.txt");
    const result = await mcp.call("list_objects", { bucket_name: "photos" });
    const { objects, ...rest } = factsOf(result) as { objects: Record<string, unknown>[] };
    expect(rest).toEqual({ alias: "local", bucket: "photos", truncated: false });
    expect(objects).toEqual([
      { key: "a.txt", size: 5, modified: expect.any(String) },
      { key: "b/c.txt", size: 7, modified: expect.any(String) },
    ]);
    expect(textOf(result)).toBe(
      [
        "2 objects in local/photos",
        "key\tsize\tmodified",
        ...objects.map(({ key, size, modified }) => [key, size, modified].join("\t")),
      ].join("\n"),
    );
  });

  it("shows ETags and classes on request, and the same time as stat_object", async () => {
    await fill("a.txt");
    const details = { bucket_name: "photos", details: true };
    const { objects } = factsOf(await mcp.call("list_objects", details));
    const stat = { bucket_name: "photos", object_key: "a.txt" };
    const { etag, modified } = factsOf(await mcp.call("stat_object", stat));
    expect(objects).toEqual([{ key: "a.txt", size: 5, modified, etag, class: "STANDARD" }]);
  });

  it("groups keys by a delimiter below a prefix", async () => {
    await fill("2024/a/1", "2024/a/2", "2024/b", "2025/c");
    const result = await mcp.call("list_objects", {
      bucket_name: "photos",
      prefix: "2024/",
      delimiter: "/",
    });
    expect(factsOf(result)["prefixes"]).toEqual(["2024/a/"]);
    expect(keysOf(factsOf(result))).toEqual(["2024/b"]);
    expect(textOf(result)).toMatch(/^1 object, 1 prefix in local\/photos with prefix 2024\/\n/);
  });

  it("shows every key once, page by page, with and without a delimiter", async () => {
    const keys = ["a", "b/1", "b/2", "c/d/e", "c/f", "d", "é", "😀", "x y", "z\n"].sort();
    await fill(...keys);
    for (const delimiter of [undefined, "/"]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const result = await mcp.call("list_objects", {
          bucket_name: "photos",
          max_keys: 3,
          ...(delimiter && { delimiter }),
          ...(cursor && { cursor }),
        });
        const facts = factsOf(result);
        seen.push(...keysOf(facts), ...((facts["prefixes"] as string[] | undefined) ?? []));
        cursor = facts["cursor"] as string | undefined;
        expect(facts["truncated"]).toBe(cursor !== undefined);
        if (cursor !== undefined) expect(textOf(result)).toContain(`more: cursor=${cursor}`);
      } while (cursor !== undefined);
      const expected =
        delimiter === undefined ? keys : ["a", "b/", "c/", "d", "x y", "z\n", "é", "😀"];
      expect(seen.sort()).toEqual([...expected].sort());
    }
  });

  it("shows 200 keys unless asked otherwise", async () => {
    const names = Array.from({ length: 205 }, (_, at) => `k${String(at).padStart(3, "0")}`);
    await Promise.all(names.map((name) => fill(name)));
    const first = factsOf(await mcp.call("list_objects", { bucket_name: "photos" }));
    expect(keysOf(first)).toEqual(names.slice(0, 200));
    const second = await mcp.call("list_objects", {
      bucket_name: "photos",
      cursor: first["cursor"],
    });
    expect(keysOf(factsOf(second))).toEqual(names.slice(200));
  });

  it("keeps a hostile key on its line", async () => {
    await fill("a\n2 objects\tfake\u202e");
    const result = await mcp.call("list_objects", { bucket_name: "photos" });
    expect(textOf(result).split("\n")).toHaveLength(3);
    expect(textOf(result)).toContain('"a\\n2 objects\\tfake\\u202e"\t');
    expect(keysOf(factsOf(result))).toEqual(["a\n2 objects\tfake\u202e"]);
  });

  it("refuses a cursor that is not its own", async () => {
    const result = await mcp.call("list_objects", { bucket_name: "photos", cursor: "page2" });
    expect(textOf(result)).toMatch(/^InvalidCursor: .*\nTry: /);
  });
});

describe("search_objects", () => {
  const search = (args: Record<string, unknown>) =>
    mcp.call("search_objects", { bucket_name: "photos", ...args });

  it("finds by glob, size and date, below a prefix", async () => {
    await fill("logs/a.log", "logs/deep/bb.log", "logs/c.txt", "other.log");
    expect(keysOf(factsOf(await search({ glob: "**/*.log", prefix: "logs/" })))).toEqual([
      "logs/a.log",
      "logs/deep/bb.log",
    ]);
    expect(keysOf(factsOf(await search({ glob: "**/{a,c}.{log,txt}" })))).toEqual([
      "logs/a.log",
      "logs/c.txt",
    ]);
    expect(keysOf(factsOf(await search({ min_size: 10, max_size: 10 })))).toEqual([
      "logs/a.log",
      "logs/c.txt",
    ]);
    expect(keysOf(factsOf(await search({ modified_after: "2020-01-01" })))).toHaveLength(4);
    expect(keysOf(factsOf(await search({ modified_before: "2020-01-01T00:00:00Z" })))).toEqual([]);
  });

  it("stops at a limit, says how far it looked, and goes on from there", async () => {
    await fill("a1", "b1", "a2", "b2");
    const first = await search({ glob: "b*", max_keys: 1 });
    expect(keysOf(factsOf(first))).toEqual(["b1"]);
    expect(textOf(first)).toMatch(
      /^1 match among \d objects scanned in local\/photos\n[^]*stopped at max_keys; go on with cursor=/,
    );
    const second = await search({ glob: "b*", max_keys: 1, cursor: factsOf(first)["cursor"] });
    expect(keysOf(factsOf(second))).toEqual(["b2"]);
  });
});

describe("list_versions", () => {
  it("lists versions and delete markers, newest first, and pages among them", async () => {
    await mcp.service.setVersioning("photos", "Enabled");
    await fill("a", "a", "a", "b");
    await mcp.bucket("photos").remove([{ key: "a" }]);
    const all = factsOf(await mcp.call("list_versions", { bucket_name: "photos" }))["versions"] as {
      key: string;
      version_id: string;
      latest: boolean;
      deleted: boolean;
    }[];
    expect(all.map(({ key, latest, deleted }) => [key, latest, deleted])).toEqual([
      ["a", true, true],
      ["a", false, false],
      ["a", false, false],
      ["a", false, false],
      ["b", true, false],
    ]);
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = factsOf(
        await mcp.call("list_versions", {
          bucket_name: "photos",
          max_keys: 2,
          ...(cursor ? { cursor } : {}),
        }),
      );
      seen.push(...(page["versions"] as unknown[]));
      cursor = page["cursor"];
    } while (cursor !== undefined);
    expect(seen).toEqual(all);

    const old = all[3]!.version_id;
    const read = await mcp.call("get_object", {
      bucket_name: "photos",
      object_key: "a",
      version_id: old,
    });
    expect(textOf(read)).toContain(`version ${old}`);
  });
});

describe("bucket_info", () => {
  it("reports versioning, tags, count and size", async () => {
    await fill("a", "bb");
    await mcp.call("set_tags", { bucket_name: "photos", tags: { team: "x" } });
    const result = await mcp.call("bucket_info", { bucket_name: "photos" });
    const facts = {
      alias: "local",
      bucket: "photos",
      versioning: "Disabled",
      tags: { team: "x" },
      objects: 2,
      bytes: 3,
      complete: true,
    };
    expect(factsOf(result)).toEqual(facts);
    expect(textOf(result)).toContain("objects: 2\nbytes: 3");
  });

  it.each([
    ["denied", "AccessDenied"],
    ["not-found", "NotFound"],
    ["unavailable", "InternalError"],
    ["conflict", "MethodNotAllowed"],
  ] as const)("keeps its count where tags and versioning are %s", async (kind, code) => {
    const fail = async () => {
      throw new AppError({ kind, code, message: "no" });
    };
    const limited = await startMcp({
      service: (service) => ({ ...service, getTags: fail, getVersioning: fail }),
    });
    await limited.service.make("photos");
    await limited.bucket("photos").write("k", Buffer.from("abc"));
    const result = await limited.call("bucket_info", { bucket_name: "photos" });
    expect(factsOf(result)).toMatchObject({
      tags: `unavailable (${code})`,
      versioning: `unavailable (${code})`,
      objects: 1,
      bytes: 3,
    });
    await limited.close();
  });
});
