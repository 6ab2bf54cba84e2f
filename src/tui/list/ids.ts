/**
 * Numbers in a row that only grows at its end. A value: older ones keep their length while a newer
 * one is written behind them into the same memory.
 */
interface Memory {
  data: Uint32Array;
  used: number;
}

export interface Ids {
  readonly memory: Memory;
  readonly length: number;
}

/** A row of these numbers, which are not copied. */
export function idsOf(data: Uint32Array = new Uint32Array(0), length = data.length): Ids {
  return { memory: { data, used: length }, length };
}

/** The number at a place that is there. */
export function at({ memory }: Ids, index: number): number {
  return memory.data[index]!;
}

/** The row with numbers added at its end. */
export function push(ids: Ids, added: readonly number[]): Ids {
  if (added.length === 0) return ids;
  const length = ids.length + added.length;
  let { memory } = ids;
  // Another row was written behind this one, or there is no room: go on in new memory.
  if (memory.used !== ids.length || memory.data.length < length) {
    const data = new Uint32Array(Math.max(1024, length * 2));
    data.set(memory.data.subarray(0, ids.length));
    memory = { data, used: ids.length };
  }
  memory.data.set(added, ids.length);
  memory.used = length;
  return { memory, length };
}

/** The numbers as an array that must not be changed. */
export function dataOf({ memory, length }: Ids): Uint32Array {
  return memory.data.subarray(0, length);
}
