/** The marked entries of a store, with their count and bytes at hand. */
import { type EntryStore, alive, column, sizeAt } from "./store.js";

export interface Marks {
  /** 1 for each marked entry. */
  readonly bits: Uint8Array;
  readonly count: number;
  readonly bytes: number;
}

export const NO_MARKS: Marks = { bits: new Uint8Array(0), count: 0, bytes: 0 };

/** Entries whose sizes are looked up one by one. */
const MANY = 10_000;

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
  const bits = new Uint8Array(store.count);
  bits.set(marks.bits.subarray(0, store.count));
  let { count, bytes } = marks;
  // A million lookups take a third of a second, a copy of the column milliseconds.
  const sizes = ids.length > MANY ? column(store, "size") : undefined;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    if ((bits[id] === 1) === on) continue;
    bits[id] = on ? 1 : 0;
    count += on ? 1 : -1;
    bytes += (on ? 1 : -1) * (sizes?.[id] ?? sizeAt(store, id));
  }
  return { bits, count, bytes };
}

/** The numbers of marked entries, in the order they were listed. */
export function markedIds({ bits, count }: Marks): number[] {
  const ids: number[] = [];
  for (let id = bits.indexOf(1); id >= 0 && ids.length < count; id = bits.indexOf(1, id + 1)) {
    ids.push(id);
  }
  return ids;
}

/** The marks on entries that are still there. */
export function pruneMarks(store: EntryStore, marks: Marks): Marks {
  if (marks.count === 0) return marks;
  const dead = markedIds(marks).filter((id) => !alive(store, id));
  return dead.length === 0 ? marks : setMarks(store, marks, dead, false);
}
