/** The objects of a page of a listing, in its bytes. */
import { isAscii } from "node:buffer";

import type { Borrowed } from "../../protocol/message.js";
import { decodeKeyBytes, hasEscape } from "./key-encoding.js";
import { compareKeys } from "./key-order.js";
import { type Layout, WINDOW } from "./list-layout.js";
import type { Run } from "./run.js";
import type { ObjectEntry } from "./storage.js";

/** `<`, which no key has unescaped. */
const TAG = 0x3c;

/** An object of a page: read, or where it begins in the bytes. Those in the bytes come first. */
type Slot = number | ObjectEntry;

/** What the runs of one page share. */
interface Page extends Borrowed {
  readonly layout: Layout;
  readonly isAscii: boolean;
  runs: number;
}

/** Objects that are read when they are asked for; with them the run gives up the bytes. */
export class PageRun implements Run<ObjectEntry> {
  #page: Page | undefined;
  readonly #slots: readonly Slot[];
  /** Where the last object ends. */
  readonly #end: number;
  /** The keys, where those in the bytes are encoded. */
  readonly #keys: readonly string[] | undefined;

  private constructor(page: Page, slots: readonly Slot[], end: number, keys?: readonly string[]) {
    page.runs += 1;
    this.#page = page;
    this.#slots = slots;
    this.#end = end;
    this.#keys = keys;
  }

  /**
   * The objects that begin at `starts` and have a layout, the last one up to `end`, and `others` behind
   * them. `encoded` tells whether their keys are.
   */
  static of(
    body: Borrowed,
    layout: Layout,
    starts: readonly number[],
    end: number,
    others: readonly ObjectEntry[],
    encoded: boolean,
  ): PageRun {
    const { bytes, giveBack } = body;
    const page = { bytes, giveBack, layout, isAscii: isAscii(bytes), runs: 0 };
    const slots: readonly Slot[] = others.length === 0 ? starts : [...starts, ...others];
    const [first = end] = starts;
    if (!encoded || !hasEscape(bytes.subarray(first, end))) return new PageRun(page, slots, end);
    const keys = slots.map((slot) => {
      if (typeof slot !== "number") return slot.key;
      const from = layout.keyOf(slot);
      return decodeKeyBytes(bytes, from, bytes.indexOf(TAG, from));
    });
    return new PageRun(page, slots, end, keys);
  }

  get length(): number {
    return this.#slots.length;
  }

  keyAt(index: number): string {
    if (this.#keys !== undefined) return this.#keys[index]!;
    const slot = this.#slots[index]!;
    if (typeof slot !== "number") return slot.key;
    const { bytes, layout, isAscii: plain } = this.#held();
    const from = layout.keyOf(slot);
    return bytes.toString(plain ? "latin1" : "utf8", from, bytes.indexOf(TAG, from));
  }

  slice(from: number, to?: number): PageRun {
    const behind = to === undefined ? undefined : this.#slots[to];
    const end = typeof behind === "number" ? behind : this.#end;
    return new PageRun(this.#held(), this.#slots.slice(from, to), end, this.#keys?.slice(from, to));
  }

  isAscending(): boolean {
    const { bytes, layout } = this.#held();
    for (let i = 1; i < this.#slots.length; i++) {
      const one = this.#slots[i - 1]!;
      const other = this.#slots[i]!;
      const inBytes = typeof one === "number" && typeof other === "number" && !this.#keys;
      const fits = inBytes
        ? ascends(bytes, layout.keyOf(one), layout.keyOf(other))
        : compareKeys(this.keyAt(i - 1), this.keyAt(i)) < 0;
      if (!fits) return false;
    }
    return true;
  }

  entries(): ObjectEntry[] {
    const { bytes, layout, isAscii: plain } = this.#held();
    let text = "";
    let base = 0;
    const entries = this.#slots.map((slot, index) => {
      if (typeof slot !== "number") return slot;
      const behind = this.#slots[index + 1];
      const end = typeof behind === "number" ? behind : this.#end;
      if (end > base + text.length) {
        text = bytes.toString("latin1", slot, Math.min(this.#end, Math.max(end, slot + WINDOW)));
        base = slot;
      }
      const entry = layout.read(text, slot - base);
      if (this.#keys !== undefined) entry.key = this.#keys[index]!;
      else if (!plain) {
        const from = layout.keyOf(slot);
        entry.key = bytes.toString("utf8", from, from + entry.key.length);
      }
      return entry;
    });
    this.drop();
    return entries;
  }

  drop(): void {
    const page = this.#held();
    this.#page = undefined;
    page.runs -= 1;
    if (page.runs === 0) page.giveBack();
  }

  #held(): Page {
    if (this.#page === undefined) throw new Error("the entries of this page were taken");
    return this.#page;
  }
}

/** Whether the key at one place comes before the one at another. */
function ascends(bytes: Buffer, one: number, other: number): boolean {
  for (let i = 0; ; i++) {
    const x = bytes[one + i]!;
    const y = bytes[other + i]!;
    if (x === y && x !== TAG) continue;
    return y !== TAG && (x === TAG || x < y);
  }
}
