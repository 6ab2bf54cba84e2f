import { describe, expect, it } from "vitest";

import { createMemory } from "../../../../src/core/engine/memory.js";
import { type SeekableSource, seekableSupply } from "../../../../src/core/transfer/supply.js";

const MIB = 1024 * 1024;
const { signal } = new AbortController();

/** A source whose byte at a position is the number of the MiB that it lies in. */
function source(mebibytes: number, isLocal: boolean): SeekableSource {
  const at = (position: number) => Math.floor(position / MIB);
  return {
    size: mebibytes * MIB,
    isLocal,
    read: async (buffer, position) => {
      for (let i = 0; i < buffer.length; i += MIB) buffer.fill(at(position + i), i, i + MIB);
    },
    stream: async function* (start, end) {
      for (let i = start; i < end; i += MIB) yield Buffer.alloc(MIB, at(i));
    },
    check: () => Promise.resolve(),
  };
}

async function bytesOf(payload: { open(): AsyncIterable<Uint8Array> }): Promise<number[]> {
  const seen: number[] = [];
  for await (const chunk of payload.open()) {
    for (let i = 0; i < chunk.length; i += MIB) seen.push(chunk[i]!);
  }
  return seen;
}

describe("parts of a source of known length", () => {
  it("are held in memory while there is room, and read twice from a local source after that", async () => {
    const supply = seekableSupply(source(7, true), 2 * MIB, createMemory(4 * MIB), signal);
    const parts = [];
    for (let i = 0; i < supply.count; i += 1) parts.push(await supply.next(new Set()));
    expect(parts.map((part) => part!.payload.bytes?.length)).toEqual([
      2 * MIB,
      2 * MIB,
      undefined,
      undefined,
    ]);
    const read = await Promise.all(parts.map((part) => bytesOf(part!.payload)));
    expect(read).toEqual([[0, 1], [2, 3], [4, 5], [6]]);
    // As often as it is sent again.
    expect(await bytesOf(parts[2]!.payload)).toEqual([4, 5]);
    expect(await supply.next(new Set())).toBeUndefined();
  });

  it("of a remote source wait for memory, since reading them twice is fetching them twice", async () => {
    const memory = createMemory(2 * MIB);
    const supply = seekableSupply(source(4, false), 2 * MIB, memory, signal);
    const first = await supply.next(new Set());
    let second: Awaited<ReturnType<typeof supply.next>>;
    const waiting = supply.next(new Set()).then((part) => (second = part));
    await new Promise((resolve) => setImmediate(resolve));
    expect(second).toBeUndefined();
    first!.payload.release();
    await waiting;
    expect(second!.payload.bytes).toHaveLength(2 * MIB);
  });

  it("leave out the parts that are done", async () => {
    const supply = seekableSupply(source(3, true), MIB, createMemory(8 * MIB), signal);
    expect((await supply.next(new Set([1, 2])))!.number).toBe(3);
  });
});
