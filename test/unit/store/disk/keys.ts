import fc from "fast-check";

/** Pieces of keys, of the kinds that are most easily confused. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "ab",
      "A",
      "/",
      "//",
      "-",
      ".",
      "..",
      "%",
      "+",
      "=",
      "~",
      "!",
      "0",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      " ",
      "\n",
      "\0",
      "\u007f",
      "é",
      "e\u0301",
      "\uffff",
      "\ue000",
      "😀",
      "\u{10ffff}",
      "con",
      "nul.txt",
      "%2f",
      "%2e%2e",
      "?",
      "#",
      "&",
      "\\",
      ":",
      "*",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "x".repeat(79),
      "x".repeat(80),
      "x".repeat(81),
      "é".repeat(40),
      "y".repeat(160),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);

/** A legal key: 1 to 1024 bytes of UTF-8. */
export const anyKey = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(""))
  .filter((key) => key !== "" && Buffer.byteLength(key) <= 1024);
