/** What a server is set up with, whatever it serves. */
import type { FileGuard } from "./files/guard.js";
import type { Log } from "./log.js";
import type { Policy } from "./policy.js";
import type { Redact } from "./redact.js";

export interface ServerOptions {
  readonly version: string;
  readonly policy: Policy;
  readonly files: FileGuard;
  readonly log: Log;
  readonly redact: Redact;
  /** The clock in milliseconds, for tests. */
  readonly now: () => number;
}
