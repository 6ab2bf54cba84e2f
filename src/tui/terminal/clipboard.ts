/** Putting text on the clipboard of whoever sits at the terminal. */

/** Longer texts are refused by some terminals, silently. */
const LONGEST = 74_000;

/**
 * The OSC 52 sequence that sets the clipboard, wrapped for tmux; undefined when the text is too
 * long to be taken. A terminal does not say whether it obeyed.
 */
export function clipboardSequence(text: string, env: NodeJS.ProcessEnv): string | undefined {
  const encoded = Buffer.from(text, "utf8").toString("base64");
  if (encoded.length > LONGEST) return undefined;
  const sequence = `\u001B]52;c;${encoded}\u0007`;
  return env["TMUX"]
    ? `\u001BPtmux;${sequence.replaceAll("\u001B", "\u001B\u001B")}\u001B\\`
    : sequence;
}
