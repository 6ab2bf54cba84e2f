/** One request on a connection, from its first byte to the last of its answer. */
import type { HttpResponse } from "../../../protocol/message.js";
import type { BodyQueue } from "./body-queue.js";
import type { BodyReader } from "./body-reader.js";
import type { Sending } from "./request-writer.js";

/** The state of a request under way. */
export class Exchange implements Sending {
  /** Set once the answer's head has come. */
  reader: BodyReader | undefined = undefined;
  /** Between the socket and whoever reads the answer, unless that came in one piece. */
  queue: BodyQueue | undefined = undefined;
  keepAlive = false;
  /** The whole request has left, or the rest of it is not wanted. */
  sent = false;
  starved = false;
  /** The whole answer has come. */
  complete = false;
  /** Whether bytes that belong to no answer may wait behind it: the last read left that open. */
  surplus: "none" | "possible" | "looked for" = "none";
  /** The connection has nothing more to do with it. */
  over = false;

  constructor(
    readonly method: string,
    readonly onSent: ((count: number) => void) | undefined,
    readonly resolve: (response: HttpResponse) => void,
    readonly reject: (error: unknown) => void,
    /** Stops listening for an abort. */
    readonly release: (() => void) | undefined,
  ) {}

  get isWanted(): boolean {
    return !this.over && !this.sent;
  }

  get isAnswered(): boolean {
    return this.reader !== undefined;
  }
}
