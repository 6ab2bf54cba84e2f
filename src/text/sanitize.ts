/** Text from strangers, made safe to show on a terminal. */

/**
 * C0 and C1 controls, which can move the cursor or retitle the window; the bidirectional controls,
 * which can show a name in another order than it has
 * (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing); and what is not seen at all:
 * zero-width characters, soft hyphens, fillers and tags. The joiners U+200C and U+200D stay, as words and emoji need them.
 */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

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
  return JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

function escape(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}
