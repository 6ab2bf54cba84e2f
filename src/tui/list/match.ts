/** The names that a typed text finds. */

/**
 * A test for names: with `*` or `?` a pattern for the whole name or its last part, `*` going over
 * slashes; else every typed word must be in it, whatever the case.
 */
export function matcher(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase();
  if (/[*?]/.test(wanted)) {
    const source = wanted.replaceAll(/[*?]|[^*?]+/g, (part) =>
      part === "*" ? ".*" : part === "?" ? "." : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"),
    );
    const pattern = new RegExp(`^${source}$`, "su");
    return (name) => {
      const lower = name.toLowerCase();
      return pattern.test(lower) || pattern.test(lower.slice(lower.lastIndexOf("/") + 1));
    };
  }
  const words = wanted.split(/\s+/);
  return (name) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
