/** The flags of commands that read objects, and the context that they make. */
import { string } from "@oclif/core/flags";

import { literalFlag } from "./address.js";
import { atFlag, contextAt } from "./at-flag.js";
import type { Session } from "./base.js";
import { contextWithKey, keyFlag } from "./extras.js";
import { payerFlag } from "./transfer-flags.js";

export const versionFlag = {
  "version-id": string({ description: "This version.", helpValue: "ID" }),
};

export const readingFlags = { ...atFlag, ...payerFlag, ...literalFlag, ...keyFlag };

/** The session whose buckets are read as the flags say: as they were, with the key of the objects. */
export function readingSession<S extends Session>(
  session: S,
  flags: { readonly at?: string | undefined; readonly "sse-c-key"?: string | undefined },
): S {
  return { ...session, context: contextAt(contextWithKey(session.context, flags), flags.at) };
}
