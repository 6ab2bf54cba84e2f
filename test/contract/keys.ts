/** Keys that S3 allows and that programs get wrong. */

/** Legal keys that a directory cannot hold as they are, and must refuse. */
export const NOT_FILES = [
  "a//b",
  "/leading",
  "trailing/",
  "//",
  "a/./b",
  "a/../b",
  "../up",
  "..",
  ".",
  "a/..",
] as const;

/** Legal keys that name a file on any POSIX system. */
export const HOSTILE = [
  " leading and trailing space ",
  "space in/a segment",
  "question?mark",
  "hash#mark",
  "per%cent",
  "%2F",
  "a%2fb%00",
  "plus+plus",
  "new\nline",
  "carriage\rreturn",
  "tab\tstop",
  "quote'double\"quote`",
  "angle<b>&amp;</b>",
  "]]>",
  "back\\slash",
  "a=b&c=d;e,f:g@h$i!j*k(l)m[n]o{p}q|r^s~t",
  "...",
  ".hidden",
  "-dash",
  "~tilde",
  "\u00e9 composed",
  "e\u0301 decomposed",
  "\u{1f600} emoji \u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  "\uff5e BMP above surrogates",
  "\u{10ffff} last",
  "\u202e right to left",
  "\ufeffmark",
  "null",
  "undefined",
  "__proto__",
  "constructor",
  `${"d".repeat(200)}/`.repeat(4) + "f".repeat(220), // 1,024 bytes
  "\u00fc".repeat(100), // 200 bytes
] as const;

/** Legal keys that no XML 1.0 document can carry. */
export const NOT_XML = [
  "bell\u0007",
  "escape\u001b[31m",
  "one\u0001two",
  "\ufffe",
  "\uffff",
] as const;

/** In the order of their UTF-8 bytes, which is not that of JavaScript's strings. */
export const ORDERED = [
  "A",
  "Z",
  "a",
  "a b",
  "a-b",
  "a.b",
  "a/b",
  "a/c/d",
  "a0",
  "b",
  "\u007a",
  "\u00e9",
  "\ud7ff",
  "\ue000",
  "\uff5e",
  "\ufffd",
  "\u{10000}",
  "\u{1f600}",
] as const;
