/** The clipboard of the terminal. */
import { clipboardSequence } from "../terminal/clipboard.js";
import { shareLink } from "./share.js";
import type { Deps, Handler } from "./deps.js";

function send({ context, dispatch, write }: Deps, text: string, what: string): void {
  const sequence = write && clipboardSequence(text, context.env);
  if (sequence !== undefined) write?.(sequence);
  // A terminal does not say whether it obeyed, so the text is shown as well.
  dispatch({ type: "copied", what, text, sent: sequence !== undefined });
}

export const clipboard: Handler<"clipboard"> = (deps, { text, what }) => send(deps, text, what);

export const copyLinks: Handler<"copy-links"> = async (deps, { objects, expiry }) => {
  const links: string[] = [];
  for (const object of objects) links.push((await shareLink(deps.context, object, expiry)).url);
  send(deps, links.join("\n"), links.length === 1 ? "link" : "links");
};
