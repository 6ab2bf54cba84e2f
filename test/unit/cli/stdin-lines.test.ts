/** Lists of exact names: where a line ends, and which bytes are no list. */
import { describe, expect, it } from "vitest";

import { linesOf } from "../../../src/cli/stdin-lines.js";

async function* chunks(...parts: readonly (string | readonly number[])[]) {
  for (const part of parts) yield Buffer.from(part as string);
}
const all = async (...from: Parameters<typeof linesOf>) => {
  const lines: string[] = [];
  for await (const line of linesOf(...from)) lines.push(line);
  return lines;
};

describe("a list of names", () => {
  it("has the same lines however it is cut, and the last one needs no end", async () => {
    expect(await all(chunks("a\nb", "c\n\n", " d"))).toEqual(["a", "bc", "", " d"]);
    const [first, ...rest] = Buffer.from("é\n");
    expect(await all(chunks([first!], rest))).toEqual(["é"]);
    expect(await all(chunks())).toEqual([]);
  });

  it("that ends its names with NUL may have any other character in them", async () => {
    expect(await all(chunks("a\nb\r\0", "c\0"), "\0")).toEqual(["a\nb\r", "c"]);
  });

  it("with a carriage return at the end of a line is refused, for it may be the key's", async () => {
    const refused = { code: "InvalidInput", kind: "usage" };
    await expect(all(chunks("a\r\n"))).rejects.toMatchObject(refused);
    await expect(all(chunks("a\r"))).rejects.toMatchObject(refused);
    expect(await all(chunks("a\rb\n"))).toEqual(["a\rb"]);
  });

  it("that is not UTF-8 is refused by its name, also when its last character is cut", async () => {
    await expect(all(chunks([0xff]), "\n", "keys.txt")).rejects.toThrow(/^keys\.txt is not UTF-8/);
    await expect(all(chunks("a", [0xc3]))).rejects.toThrow(/^stdin is not UTF-8/);
  });
});
