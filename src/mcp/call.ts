/** One call's doors to the core, each with its guard. */
import { setMaxListeners } from "node:events";

import { type Answer, createConsent } from "./consent.js";
import { keyPath, safePath } from "../core/local/safe-path.js";
import { type Approve, CannotAsk } from "./files/guard.js";
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
  /** The answers so far, by the question's id. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Runs something once this call's answer has been sent, or never will be. */
  readonly onSent: (done: () => void) => void;
  /** Sends a progress note; undefined when the client did not ask for any. */
  readonly notify: ((note: ProgressNote) => void) | undefined;
}

/** Makes the doors of one call. */
export function createCall(services: Services, options: ServerOptions, init: CallInit): Call {
  const { policy, files, now, confirm: mode, secret } = options;
  const { signal, notify } = init;
  // One listener a request in flight is not a leak.
  setMaxListeners(0, signal);
  const alias = init.alias ?? services.aliases[0]!;
  const report = notify === undefined ? () => undefined : createReporter(notify, now);
  const consent = createConsent({ mode, canAsk: init.canAsk, answers: init.answers, secret });
  const approve: Approve = (question) => consent.approve(question);
  let group: string | undefined;
  return {
    signal,
    consent,
    alias,
    tool: init.tool,
    readLimit: options.readLimit,
    journal: options.journal,
    group: () => (group ??= options.journal.call()),
    files: {
      reading: (path) => files.reading(path, approve),
      writing: (path, replace = false) => files.writing(path, approve, replace),
      folder: async (path, use) => {
        const root = await files.directory(path, use, approve);
        const never: Approve = async () => {
          throw new CannotAsk();
        };
        return {
          root,
          reading: async (key) => files.reading(keyPath(root, key), never, root),
          writing: async (key) => files.writing(safePath(root, key), never, false, root),
        };
      },
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
