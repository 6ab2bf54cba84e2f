/** Body bytes between the socket that reads them and the consumer that asks for them. */

/**
 * Holds two reads: the one the consumer works on and the one that came meanwhile. The socket pauses
 * while the queue is full; what it delivers all the same is held, too.
 */
export class BodyQueue {
  readonly #reads: Buffer[][] = [];
  readonly #onRoom: () => void;
  readonly #onLeave: () => void;
  #held = 0;
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `onRoom` is called when a read was given back, `onLeave` when the consumer stops early. */
  constructor(onRoom: () => void, onLeave: () => void) {
    this.#onRoom = onRoom;
    this.#onLeave = onLeave;
  }

  get full(): boolean {
    return this.#held >= 2;
  }

  /** Nothing is held: the buffers may be used for something else. */
  get empty(): boolean {
    return this.#held === 0;
  }

  /** Adds the body bytes of one read; they must stay untouched until `onRoom`. */
  push(pieces: Buffer[]): void {
    this.#reads.push(pieces);
    this.#held += 1;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  /** The bytes in order; a chunk is valid until the next one is asked for. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    let finished = false;
    try {
      for (;;) {
        const pieces = this.#reads.shift();
        if (pieces !== undefined) {
          // Delegating to an array would take several turns a piece.
          for (const piece of pieces) yield piece;
          this.#held -= 1;
          this.#onRoom();
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else if (this.#ended) {
          finished = true;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      if (!finished) this.#onLeave();
    }
  }
}
