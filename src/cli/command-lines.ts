/** Lines of commands, for `run`: words are taken apart as in a shell, but nothing is expanded. */
import { usageError } from "../core/failures/errors.js";

/** The words of a line; none for a blank one or a comment. Throws for a quote that does not end. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    if (quote !== "") {
      const escapes = quote === '"' && character === "\\" && /["\\]/.test(line[at + 1] ?? "");
      if (character === quote) quote = "";
      else word += escapes ? line[++at]! : character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "#" && word === undefined) break;
    else {
      const escaped = character === "\\" && at + 1 < line.length;
      word = (word ?? "") + (escaped ? line[++at]! : character);
    }
  }
  if (quote !== "") {
    const message = `a ${quote} is not closed`;
    throw usageError("InvalidLine", message);
  }
  if (word !== undefined) words.push(word);
  return words;
}
