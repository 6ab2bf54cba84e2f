/** Patterns with `*` for any text and `?` for one character, as policies and CORS rules have them. */

/** Whether the whole text matches. Takes time in proportion to both lengths, whatever the pattern. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let position = 0;
  /** Where the last `*` stands, and how much of the text it has taken. */
  let star = -1;
  let taken = 0;
  while (position < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      taken = position;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      position = ++taken;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
