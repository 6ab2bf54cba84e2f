/** Text from strangers, made safe to show on a terminal. */

/**
 * C0 and C1 controls, which can move the cursor or retitle the window, and the bidirectional
 * controls, which can show a name in another order than it has
 * (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * One line of text with control and bidirectional characters written as escapes: `\n`, `\x1b`,
 * `\u202e`. For terminals only; a pipe or a file gets the exact characters.
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? escape(character));
}

/** JSON for a terminal: the same value, with what JSON itself leaves as it is escaped too. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function escape(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
