/** Links that anybody can open. */
import { type SharedLink, share } from "../../core/operations/share.js";
import type { ObjectRef } from "../state/types.js";
import type { Deps } from "./deps.js";

/** A link to an object that works for `seconds`, and what it takes for it to work. */
export async function shareLink(
  context: Deps["context"],
  { alias: name, ...object }: ObjectRef,
  seconds: number,
): Promise<{ url: string } & Pick<SharedLink, "note">> {
  const alias = await context.alias(name);
  const connect = (reached: typeof alias) => context.connect(reached);
  const { url, note } = await share({ alias, connect, ...object, seconds });
  return { url: url.href, note };
}
