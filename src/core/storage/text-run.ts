/** The objects of a page of a listing, in its text. */
import { compareKeys, compareUnits } from "./key-order.js";
import type { Layout, Slot } from "./list-layout.js";
import type { Run } from "./run.js";
import type { ObjectEntry } from "./storage.js";

/** `<`, which no key has unescaped. */
const TAG = 0x3c;

/** The objects of a page, each read when it is asked for. */
export class TextRun implements Run<ObjectEntry> {
  readonly #text: string;
  readonly #slots: readonly Slot[];
  readonly #layout: Layout | undefined;
  /** The keys, where those in the text are encoded. */
  readonly #keys: readonly string[] | undefined;

  private constructor(
    text: string,
    slots: readonly Slot[],
    layout: Layout | undefined,
    keys?: readonly string[],
  ) {
    this.#text = text;
    this.#slots = slots;
    this.#layout = layout;
    this.#keys = keys;
  }

  /** `decode` undoes the encoding of keys, if they have one. */
  static of(
    text: string,
    slots: readonly Slot[],
    layout: Layout | undefined,
    decode?: (key: string) => string,
  ): TextRun {
    const run = new TextRun(text, slots, layout);
    if (decode === undefined || !/[%+]/.test(text)) return run;
    return new TextRun(
      text,
      slots,
      layout,
      Array.from(slots, (_, i) => decode(run.keyAt(i))),
    );
  }

  get length(): number {
    return this.#slots.length;
  }

  keyAt(index: number): string {
    if (this.#keys !== undefined) return this.#keys[index]!;
    const slot = this.#slots[index]!;
    if (typeof slot !== "number") return slot.key;
    const from = this.#layout!.keyOf(slot);
    return this.#text.slice(from, this.#text.indexOf("<", from));
  }

  slice(from: number, to?: number): TextRun {
    const keys = this.#keys?.slice(from, to);
    return new TextRun(this.#text, this.#slots.slice(from, to), this.#layout, keys);
  }

  entries(): ObjectEntry[] {
    return this.#slots.map((slot, index) => {
      const entry = typeof slot === "number" ? this.#layout!.read(this.#text, slot) : slot;
      return this.#keys === undefined ? entry : { ...entry, key: this.#keys[index]! };
    });
  }

  isAscending(): boolean {
    for (let i = 1; i < this.#slots.length; i++) {
      const [one, other] = [this.#slots[i - 1]!, this.#slots[i]!];
      const inText = typeof one === "number" && typeof other === "number" && !this.#keys;
      const fits = inText
        ? this.#ascends(this.#layout!.keyOf(one), this.#layout!.keyOf(other))
        : compareKeys(this.keyAt(i - 1), this.keyAt(i)) < 0;
      if (!fits) return false;
    }
    return true;
  }

  /** Whether the key at one place in the text comes before the one at another. */
  #ascends(one: number, other: number): boolean {
    const text = this.#text;
    for (let i = 0; ; i++) {
      const x = text.charCodeAt(one + i);
      const y = text.charCodeAt(other + i);
      if (x === y && x !== TAG) continue;
      return y !== TAG && (x === TAG || compareUnits(x, y) < 0);
    }
  }
}
