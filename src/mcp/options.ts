/** The settings of a server, whatever it serves. */
import type { Journal } from "../core/journal/file.js";
import type { Audit } from "./audit.js";
import type { ConfirmMode } from "./consent.js";
import type { FileGuard } from "./files/guard.js";
import type { Budget } from "./flight.js";
import type { Log } from "./log.js";
import type { Policy } from "./policy.js";
import type { Redact } from "./redact.js";

export interface ServerOptions {
  readonly version: string;
  readonly policy: Policy;
  readonly files: FileGuard;
  readonly journal: Journal;
  /** Told of every call. */
  readonly audit?: Audit | undefined;
  readonly confirm: ConfirmMode;
  /** The secret that this process's confirmation tokens are made with. */
  readonly secret: Buffer;
  /** Bytes that get_object gives by default. */
  readonly readLimit: number;
  /** Bytes of answers that are being made or wait to be sent. */
  readonly answers: Budget;
  readonly log: Log;
  readonly redact: Redact;
  /** The clock in milliseconds, for tests. */
  readonly now: () => number;
}
