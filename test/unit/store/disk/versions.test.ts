import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Backend } from "../../../../src/store/disk/index.js";
import { freshDisk, put, readText } from "./support.js";
import { cases } from "../../../support/cases.js";

interface ModelVersion {
  readonly id: string;
  /** Undefined for a delete marker. */
  readonly body: string | undefined;
}

type Versioning = "Enabled" | "Suspended" | undefined;

type Step =
  | { readonly do: "put"; readonly large: boolean }
  | { readonly do: "delete" }
  | { readonly do: "delete version"; readonly at: number }
  | { readonly do: "tag"; readonly at: number }
  | { readonly do: "set"; readonly versioning: "Enabled" | "Suspended" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), large: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("delete version" as const), at: fc.nat(6) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tag" as const), at: fc.nat(6) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("set" as const),
      versioning: fc.constantFrom("Enabled" as const, "Suspended" as const),
    }),
  },
);

/** Amazon's rules for one key, as a list with the latest version first. */
async function run(disk: Backend, steps: readonly Step[]): Promise<void> {
  let versions: ModelVersion[] = [];
  let versioning: Versioning;
  const without = (id: string): ModelVersion[] => versions.filter((version) => version.id !== id);
  for (const [index, action] of steps.entries()) {
    if (action.do === "set") {
      ({ versioning } = action);
      await disk.updateBucket("b", { versioning });
    } else if (action.do === "put") {
      const body = action.large ? `${index}`.repeat(70_000) : `${index}`;
      const { versionId } = await put(disk, "k", body);
      if (versioning !== "Enabled") expect(versionId).toBe("null");
      versions = [{ id: versionId, body }, ...without(versionId)];
    } else if (action.do === "delete") {
      const outcome = await disk.deleteObject("b", "k");
      expect(outcome.deleteMarker).toBe(versioning !== undefined);
      if (versioning === undefined) versions = [];
      else versions = [{ id: outcome.versionId!, body: undefined }, ...without(outcome.versionId!)];
    } else {
      const target = versions[action.at];
      const id = target?.id ?? "00000000000000000000000000000000";
      if (action.do === "delete version") {
        const outcome = await disk.deleteObject("b", "k", id);
        expect(outcome).toEqual({
          versionId: id,
          deleteMarker: target !== undefined && target.body === undefined,
        });
        versions = without(id);
      } else if (target !== undefined) {
        await disk.updateObject("b", "k", id, { tags: { step: `${index}` } });
        expect((await disk.headObject("b", "k", id)).tags).toEqual({ step: `${index}` });
      }
    }
    await agree(disk, versions);
  }
}

async function agree(disk: Backend, versions: readonly ModelVersion[]): Promise<void> {
  const listed = await disk.listVersions("b", { prefix: "", delimiter: "", limit: 1000 });
  expect(
    listed.entries.map(({ versionId, isLatest, deleteMarker }) => [
      versionId,
      isLatest,
      deleteMarker,
    ]),
  ).toEqual(versions.map(({ id, body }, index) => [id, index === 0, body === undefined]));
  const objects = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 1000 });
  expect(objects.entries.map(({ versionId }) => versionId)).toEqual(
    versions.slice(0, 1).flatMap(({ id, body }) => (body === undefined ? [] : [id])),
  );
  for (const { id, body } of versions) {
    if (body !== undefined) expect(await readText(disk, "k", id)).toBe(body);
  }
  const latest = versions[0];
  if (latest === undefined) {
    await expect(disk.headObject("b", "k")).rejects.toMatchObject({ code: "NoSuchKey" });
  } else {
    const head = await disk.headObject("b", "k");
    expect([head.versionId, head.deleteMarker]).toEqual([latest.id, latest.body === undefined]);
  }
}

describe("versions of a key", () => {
  it("follow Amazon's rules through any sequence of changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { disk } = await freshDisk();
        await run(disk, steps);
      }),
      cases(50),
    );
  });

  it("have ids that sort newest first, however quickly they are made", async () => {
    const { disk } = await freshDisk("Enabled");
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) ids.push((await put(disk, "k", "x")).versionId);
    expect([...ids].sort().reverse()).toEqual(ids);
    expect(new Set(ids).size).toBe(30);
  });

  it("reveal the previous version when a delete marker or the latest version is removed", async () => {
    const { disk } = await freshDisk("Enabled");
    const first = await put(disk, "k", "first");
    const second = await put(disk, "k", "second");
    const marker = await disk.deleteObject("b", "k");
    expect(marker).toMatchObject({ deleteMarker: true });
    expect(await disk.deleteObject("b", "k", marker.versionId)).toMatchObject({
      deleteMarker: true,
    });
    expect(await readText(disk, "k")).toBe("second");
    await disk.deleteObject("b", "k", second.versionId);
    expect(await disk.headObject("b", "k")).toMatchObject({
      versionId: first.versionId,
      isLatest: true,
    });
    await expect(disk.headObject("b", "k", second.versionId)).rejects.toMatchObject({
      code: "NoSuchVersion",
    });
  });
});
