/** One call's doors to the core, each with its guard. */
import { type Answer, createConsent } from "./consent.js";
import type { Approve } from "./files/guard.js";
import { allowedBuckets, requireAccess, requireBucket } from "./policy.js";
import { type ProgressNote, createReporter, reportTransfer } from "./progress.js";
import type { ServerOptions } from "./options.js";
import type { Services } from "./services.js";
import type { Call } from "./tool.js";

export interface CallInit {
  readonly tool: string;
  /** Default: the first that is served. */
  readonly alias: string | undefined;
  readonly signal: AbortSignal;
  /** Whether the client can put a question to a person. */
  readonly canAsk: boolean;
  /** What was answered so far, by the question's id. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Runs something once this call's answer has been sent, or never will be. */
  readonly onSent: (done: () => void) => void;
  /** Sends a progress note; undefined when the client did not ask for any. */
  readonly notify: ((note: ProgressNote) => void) | undefined;
}

/** Makes the doors of one call. */
export function createCall(services: Services, options: ServerOptions, init: CallInit): Call {
  const { policy, files, log, now, confirm: mode, secret } = options;
  const { signal, notify } = init;
  const alias = init.alias ?? services.aliases[0]!;
  const report = notify === undefined ? () => undefined : createReporter(notify, now);
  const consent = createConsent({ mode, canAsk: init.canAsk, answers: init.answers, secret });
  const approve: Approve = (question) => consent.approve(question);
  let group: string | undefined;
  return {
    signal,
    log,
    consent,
    alias,
    tool: init.tool,
    journal: options.journal,
    group: () => (group ??= options.journal.call()),
    files: {
      roots: files.roots,
      reading: (path) => files.reading(path, approve),
      writing: (path, replace = false) => files.writing(path, approve, replace),
      directory: (path) => files.directory(path, approve),
    },
    isEmbedded: alias === services.embedded,
    allowedBuckets: allowedBuckets(policy, alias),
    bucket: async (name, access, other = alias) => {
      requireAccess(policy, access);
      requireBucket(policy, other, name);
      return services.bucket(other, name);
    },
    service: async (access, other = alias) => {
      requireAccess(policy, access);
      return services.buckets(other);
    },
    label: (bucket, other = alias) => `${other}/${bucket}`,
    at: (other = alias) => services.place(other),
    endpoint: (name) => services.endpoint(name),
    room: async (bytes) => init.onSent(await options.answers.take(bytes, signal)),
    onTransfer: notify === undefined ? () => undefined : reportTransfer(report),
    report,
  };
}
