/** The clipboard of the terminal. */
import { clipboardSequence } from "../terminal/clipboard.js";
import { shareLink } from "./share.js";
import type { Deps, Handler } from "./deps.js";

function send({ context, dispatch, write }: Deps, text: string, what: string): void {
  const sequence = clipboardSequence(text, context.env);
  if (sequence !== undefined) write(sequence);
  // A terminal does not say whether it obeyed, so the text is shown as well.
  dispatch({ type: "copied", what, text, sent: sequence !== undefined });
}

export const clipboard: Handler<"clipboard"> = (deps, { text, what }) => send(deps, text, what);

export const copyLink: Handler<"copy-link"> = async (deps, { object, expiry }) => {
  const { url } = await shareLink(deps.context, object, expiry);
  send(deps, url, "link");
};
