/** One call's doors to the core, each with its guard. */
import { type Answer, confirm } from "./confirm.js";
import { allowedBuckets, requireAccess, requireBucket } from "./policy.js";
import { type ProgressNote, createReporter, reportTransfer } from "./progress.js";
import type { ServerOptions } from "./options.js";
import type { Services } from "./services.js";
import type { Call } from "./tool.js";

export interface CallInit {
  /** Default: the first that is served. */
  readonly alias: string | undefined;
  readonly signal: AbortSignal;
  /** Asks the person; undefined when the client cannot. */
  readonly ask: ((question: string) => Promise<Answer>) | undefined;
  /** Sends a progress note; undefined when the client did not ask for any. */
  readonly notify: ((note: ProgressNote) => void) | undefined;
}

/** Makes the doors of one call. */
export function createCall(services: Services, options: ServerOptions, init: CallInit): Call {
  const { policy, files, log, now } = options;
  const { signal, ask, notify } = init;
  const alias = init.alias ?? services.aliases[0]!;
  const report = notify === undefined ? () => undefined : createReporter(notify, now);
  return {
    alias,
    signal,
    files,
    log,
    isEmbedded: alias === services.embedded,
    allowedBuckets: allowedBuckets(policy, alias),
    bucket: async (name, access, other = alias) => {
      requireAccess(policy, access);
      requireBucket(policy, other, name);
      return services.bucket(other, name);
    },
    service: async (access) => {
      requireAccess(policy, access);
      return services.buckets(alias);
    },
    label: (bucket, other = alias) => `${other}/${bucket}`,
    onTransfer: notify === undefined ? () => undefined : reportTransfer(report),
    report,
    confirm: (question, confirmed) => confirm(question, confirmed, ask),
  };
}
