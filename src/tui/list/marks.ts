/** The marked entries of a store, with their count and bytes at hand. */
import { type EntryStore, sizesOf } from "./store.js";

export interface Marks {
  /** 1 for each marked entry. */
  readonly bits: Uint8Array;
  readonly count: number;
  readonly bytes: number;
}

export const NO_MARKS: Marks = { bits: new Uint8Array(0), count: 0, bytes: 0 };

/** Whether an entry is marked. */
export function isMarked({ bits }: Marks, id: number): boolean {
  return bits[id] === 1;
}

/** The marks with entries set or cleared. */
export function setMarks(
  store: EntryStore,
  marks: Marks,
  ids: ArrayLike<number>,
  on: boolean,
): Marks {
  if (ids.length === 0 || (!on && marks.count === 0)) return marks;
  const bits = new Uint8Array(store.count);
  bits.set(marks.bits.subarray(0, store.count));
  const bit = on ? 1 : 0;
  // One key may mark a million rows: this loop runs before V8 has compiled it, so it does nothing else.
  for (let index = 0; index < ids.length; index++) bits[ids[index]!] = bit;
  return { bits, ...sizesOf(store, bits) };
}

/** The numbers of marked entries, in the order they were listed. */
export function* markedIds({ bits, count }: Marks): Generator<number> {
  let id = -1;
  for (let left = count; left > 0; left--) yield (id = bits.indexOf(1, id + 1));
}
