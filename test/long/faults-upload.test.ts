/** Failures of uploads, and what they leave: nothing, or what the error says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom, recorder } from "../support/bucket.js";
import type { Fault } from "../support/fault-proxy.js";
import { useFaults } from "../support/faults.js";
import { OBJECT_PUT, PART, PART_PUT } from "../support/faulty-bucket.js";

const faults = useFaults();

describe("an upload", () => {
  const passing: [string, string, Fault][] = [
    [
      "a burst of 503",
      "large",
      { on: PART_PUT, times: 3, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "a burst of 500",
      "large",
      { on: PART_PUT, times: 3, does: { type: "refuse", status: 500, code: "InternalError" } },
    ],
    [
      "a 503 to its beginning",
      "large",
      { on: /^POST .*uploads/, times: 1, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "a 500 to its end",
      "large",
      {
        on: /^POST .*uploadId/,
        times: 1,
        does: { type: "refuse", status: 500, code: "InternalError" },
      },
    ],
    [
      "a lost answer to a part",
      "large",
      { on: PART_PUT, times: 2, does: { type: "lose-response" } },
    ],
    [
      "a lost answer to its end",
      "large",
      { on: /^POST .*uploadId/, times: 1, does: { type: "lose-response" } },
    ],
    [
      "a lost answer to a small object",
      "small",
      { on: OBJECT_PUT, times: 1, does: { type: "lose-response" } },
    ],
    [
      "a connection reset before the first byte",
      "large",
      { on: PART_PUT, times: 2, does: { type: "reset-request", bytes: 0 } },
    ],
    [
      "a connection reset in a part",
      "large",
      { on: PART_PUT, times: 2, does: { type: "reset-request", bytes: 3 * MIB } },
    ],
    [
      "a connection reset in a small object",
      "small",
      { on: OBJECT_PUT, times: 2, does: { type: "reset-request", bytes: 100_000 } },
    ],
    [
      "an answer cut short",
      "small",
      {
        on: OBJECT_PUT,
        times: 1,
        does: { type: "refuse", status: 503, code: "ServiceUnavailable" },
      },
    ],
  ];
  it.each(passing)("survives %s, and counts every byte once", async (_name, file, fault) => {
    const struck = faults.proxy.inject(fault);
    const seen = recorder();
    const report = await faults.bucket.upload(file, { onEvent: seen.onEvent });
    expect(struck()).toBeGreaterThan(0);
    expect(report.failures).toEqual([]);
    expect(
      (await faults.bucket.get(file)).equals(readFileSync(join(faults.bucket.root, file))),
    ).toBe(true);
    expect(report.snapshot.bytes.done).toBe(report.snapshot.bytes.total);
    expect(await faults.bucket.uploads()).toEqual([]);
    if (fault.does.type === "refuse") expect(seen.of("retried").length).toBe(struck());
  });

  it("whose part fails at every try fails, and removes what it had sent", async () => {
    faults.proxy.inject({
      on: /partNumber=2/,
      does: { type: "refuse", status: 500, code: "InternalError" },
    });
    const report = await faults.bucket.upload("large");
    expect(report.failures).toMatchObject([
      { error: { kind: "unavailable", code: "InternalError" } },
    ]);
    expect(await faults.bucket.keys()).toEqual([]);
    expect(await faults.bucket.uploads()).toEqual([]);
    expect(report.left).toEqual([]);
  });

  it("whose part fails at every try says what it left, and the next run goes on from there", async () => {
    faults.proxy.inject({
      on: /partNumber=2/,
      times: 5,
      does: { type: "refuse", status: 500, code: "InternalError" },
    });
    const report = await faults.bucket.upload("large", { stateDir: faults.bucket.state });
    expect(report.failures).toHaveLength(1);
    expect(report.left).toMatchObject(
      (await faults.bucket.uploads()).map((uploadId) => ({ uploadId })),
    );
    const seen = recorder();
    const again = await faults.bucket.upload("large", {
      stateDir: faults.bucket.state,
      onEvent: seen.onEvent,
    });
    expect(again.failures).toEqual([]);
    expect(seen.of("resumed")[0]?.skipped).toBeGreaterThan(0);
    expect((await faults.bucket.get("large")).equals(faults.bucket.large)).toBe(true);
    expect(await faults.bucket.uploads()).toEqual([]);
  });

  it("reports an upload that it could not remove", async () => {
    faults.proxy.inject({
      on: /partNumber=2/,
      does: { type: "refuse", status: 403, code: "AccessDenied" },
    });
    faults.proxy.inject({
      on: /^DELETE/,
      does: { type: "refuse", status: 403, code: "AccessDenied" },
    });
    const report = await faults.bucket.upload("large");
    expect(report.failures).toMatchObject([{ error: { kind: "denied" } }]);
    expect(report.left).toMatchObject(
      (await faults.bucket.uploads()).map((uploadId) => ({ uploadId })),
    );
  });

  it("whose bytes change on the way is refused, and leaves nothing", async () => {
    for (const [name, on] of [
      ["large", PART_PUT],
      ["small", OBJECT_PUT],
    ] as const) {
      faults.proxy.inject({ on, does: { type: "corrupt-request", at: 1_000 } });
      const report = await faults.bucket.upload(name);
      const code = expect.stringMatching(/^(BadDigest|XAmzContentSHA256Mismatch)$/) as string;
      expect(report.failures).toMatchObject([{ error: { code } }]);
    }
    expect(await faults.bucket.keys()).toEqual([]);
    expect(await faults.bucket.uploads()).toEqual([]);
  });

  it("whose bytes change once on the way is sent again", async () => {
    for (const [name, on] of [
      ["large", PART_PUT],
      ["small", OBJECT_PUT],
    ] as const) {
      faults.proxy.inject({ on, times: 1, does: { type: "corrupt-request", at: 1_000 } });
      const report = await faults.bucket.upload(name);
      expect(report.failures).toEqual([]);
      expect((await faults.bucket.get(name)).equals(faults.bucket[name])).toBe(true);
    }
  });

  it("stops when its credentials end, and the rest of the run with it", async () => {
    for (let i = 0; i < 200; i += 1) writeFileSync(join(faults.bucket.root, "files", `${i}`), "x");
    faults.proxy.inject({
      on: OBJECT_PUT,
      after: 20,
      does: { type: "refuse", status: 400, code: "ExpiredToken" },
    });
    const running = copy({
      sources: [faults.bucket.local("files")],
      target: faults.bucket.place(""),
      recursive: true,
    });
    await expect(running).rejects.toMatchObject({ code: "ExpiredToken" });
  });

  it("of a file that changes meanwhile is an error, and leaves no object", async () => {
    const other = pseudoRandom(faults.bucket.large.length, 9);
    const report = await copy({
      sources: [faults.bucket.local("large")],
      target: faults.bucket.place("large"),
      partSize: PART,
      onEvent: ({ type }) => {
        if (type === "bytes") writeFileSync(join(faults.bucket.root, "large"), other);
      },
    });
    expect(report.failures).toMatchObject([{ error: { kind: "conflict", code: "SourceChanged" } }]);
    expect(await faults.bucket.keys()).toEqual([]);
    expect(await faults.bucket.uploads()).toEqual([]);
  });

  it("falls back to a signed hash where checksum headers are refused, once for the endpoint", async () => {
    const put = {
      on: OBJECT_PUT,
      times: 1,
      does: { type: "refuse", status: 501, code: "NotImplemented" },
    } as const;
    const struck = faults.proxy.inject(put);
    const lines: string[] = [];
    faults.proxy.watch((line) => lines.push(line));
    await faults.bucket.upload("small");
    expect(faults.bucket.faulty.client.uploadChecksum.known()).toBe("signed");
    await faults.bucket.upload("small");
    expect(struck()).toBe(1);
    expect(lines.filter((line) => OBJECT_PUT.test(line))).toHaveLength(3);
    expect((await faults.bucket.get("small")).equals(faults.bucket.small)).toBe(true);
    // A checksum that was asked for by name is not silently left out.
    faults.proxy.inject(put);
    const report = await faults.bucket.upload("small", { checksum: "CRC32" });
    expect(report.failures).toMatchObject([{ error: { code: "NotImplemented" } }]);
  });
});
