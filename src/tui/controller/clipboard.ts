/** The clipboard of the terminal. */
import { clipboardSequence } from "../terminal/clipboard.js";
import type { Deps, Handler } from "./deps.js";

function send({ context, dispatch, write }: Deps, text: string, what: string): void {
  const sequence = clipboardSequence(text, context.env);
  if (sequence !== undefined) write(sequence);
  // A terminal does not say whether it obeyed, so the text is shown as well.
  dispatch({ type: "copied", what, text, sent: sequence !== undefined });
}

export const clipboard: Handler<"clipboard"> = (deps, { text, what }) => send(deps, text, what);

export const copyLink: Handler<"copy-link"> = async (deps, { object, expiry }) => {
  const storage = await deps.context.bucket(object.alias, object.bucket);
  const { versionId } = object;
  const url = await storage.presign("GET", object.key, expiry, versionId ? { versionId } : {});
  send(deps, url.href, "link");
};
