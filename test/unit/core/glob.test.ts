import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { matchesGlob } from "../../../src/core/glob.js";
import { cases } from "../../support/cases.js";

describe("matchesGlob", () => {
  it.each([
    // A glob without `/` looks at the last segment.
    ["*.jpg", "a.jpg", true],
    ["*.jpg", "deep/down/a.jpg", true],
    ["*.jpg", "a.jpg/b", false],
    ["*.jpg", "a.jpeg", false],
    ["*.JPG", "a.jpg", false],
    ["a", "b/a", true],
    ["a", "ab", false],
    ["*", "", true],
    ["*", ".hidden", true],
    ["", "", true],
    ["", "a", false],
    // One with `/` looks at the whole name.
    ["/*.jpg", "a.jpg", true],
    ["/*.jpg", "deep/a.jpg", false],
    ["photos/*.jpg", "photos/a.jpg", true],
    ["photos/*.jpg", "photos/2024/a.jpg", false],
    ["photos/*.jpg", "my/photos/a.jpg", false],
    ["photos/**", "photos/2024/a.jpg", true],
    ["photos/**", "photos/", true],
    ["photos/**", "photos", false],
    ["photos/**/*.jpg", "photos/a.jpg", true],
    ["photos/**/*.jpg", "photos/2024/08/a.jpg", true],
    ["photos/**/*.jpg", "photos2/a.jpg", false],
    ["**/node_modules/**", "node_modules/x", true],
    ["**/node_modules/**", "a/b/node_modules/x/y", true],
    ["**/node_modules/**", "my_node_modules/x", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/xb", false],
    ["a/**/b", "ab", false],
    ["a**/b", "axx/yy/b", true],
    ["**", "a/b/c", true],
    // One character.
    ["?.txt", "a.txt", true],
    ["?.txt", ".txt", false],
    ["a/?", "a//", false],
    ["?", "\u{1f600}", true],
    // Sets.
    ["[abc].txt", "b.txt", true],
    ["[abc].txt", "d.txt", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "dx", true],
    ["[^a-c]x", "bx", false],
    ["[]]", "]", true],
    ["[a-]", "-", true],
    ["a/[!x]b", "a//b", false],
    ["[\u{1f600}-\u{1f610}]", "\u{1f605}", true],
    ["[abc", "[abc", true],
    ["a[", "a[", true],
    // Taken literally.
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["\\[a]", "[a]", true],
    ["end\\", "end\\", true],
    ["a+b.(c)^$|", "a+b.(c)^$|", true],
    ["\\{a,b}", "{a,b}", true],
    ["{a}", "{a}", true],
    ["{a", "{a", true],
    ["[{a,b]", "{", true],
    // Choices.
    ["{a,b}", "b", true],
    ["{a,b}", "c", false],
    ["{a,b}", "{a,b}", false],
    ["*.{jpg,png}", "x/y.png", true],
    ["{,x}a", "a", true],
    ["{a,{b,c}d}e", "cde", true],
    ["{a,b}{c,d}", "bc", true],
    ["{src,test/unit}/*.ts", "test/unit/a.ts", true],
    ["{a,b\\,c}", "b,c", true],
    ["{a,b}}", "a}", true],
    ["*", "new\nline", true],
  ])("%j on %j is %s", (glob, name, expected) => {
    expect(matchesGlob(glob, name)).toBe(expected);
  });

  it("agrees with the regular expression it stands for", () => {
    const piece = fc.constantFrom("*", "**", "**/", "/", "?", "a", "b", "[ab]", "[!a]");
    const name = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 10 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), name, (pieces, text) => {
        const glob = pieces.join("");
        expect(matchesGlob(glob, text)).toBe(referenceOf(glob).test(subjectOf(glob, text)));
      }),
      cases(5000),
    );
  });

  it("refuses braces that stand for too many patterns", () => {
    expect(() => matchesGlob("{a,b}".repeat(30), "a")).toThrow(/more than 1000 patterns/);
  });

  it("takes time in proportion to the name, whatever the glob", () => {
    const glob = `${"*a".repeat(50)}b`;
    expect(matchesGlob(glob, "a".repeat(1024))).toBe(false);
    expect(matchesGlob(`/${"**/".repeat(50)}b`, "a/".repeat(500))).toBe(false);
  });
});

function subjectOf(glob: string, name: string): string {
  return glob.includes("/") ? name : name.slice(name.lastIndexOf("/") + 1);
}

/** Written token by token, with the backtracking that the real one avoids. */
function referenceOf(glob: string): RegExp {
  let source = "";
  let rest = glob.startsWith("/") ? glob.slice(1) : glob;
  let segmentStart = true;
  while (rest !== "") {
    const token = /^(?:\*\*\/|\*\*|\[[^\]]+\]|.)/.exec(rest)![0];
    if (token === "**/" && segmentStart) source += "(?:.*/)?";
    else if (token === "**/") source += ".*/";
    else if (token === "**") source += ".*";
    else if (token === "*") source += "[^/]*";
    else if (token === "?") source += "[^/]";
    else if (token === "[!a]") source += "[^a/]";
    else source += token;
    segmentStart = token.endsWith("/");
    rest = rest.slice(token.length);
  }
  return new RegExp(`^${source}$`, "s");
}
