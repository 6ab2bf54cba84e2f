/** Words for a POSIX shell. */

/** The word as a shell takes it for exactly these characters: quoted where that is needed. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
