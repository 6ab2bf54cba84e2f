/** A list of keys to remove must remove those keys and no others. */
import { expect, it } from "vitest";

import { linesOf } from "../../src/cli/stdin-lines.js";
import { createHome } from "../support/run.js";

async function lines(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const stream = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  })();
  const found: string[] = [];
  for await (const line of linesOf(stream)) found.push(line);
  return found;
}

it("ends a line at a line feed and nowhere else", async () => {
  const text = "a\rb\u2028c\u2029d\u0085e\n\nf";
  expect(await lines(text)).toEqual(["a\rb\u2028c\u2029d\u0085e", "", "f"]);
  const bytes = Buffer.from("x\u{1F600}y\nz");
  expect(await lines(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
    "x\u{1F600}y",
    "z",
  ]);
});

it("refuses lines of uncertain meaning: a carriage return at the end, broken UTF-8", async () => {
  await expect(lines("local/b/k\r\n")).rejects.toMatchObject({ code: "InvalidInput" });
  await expect(lines(Uint8Array.of(0x61, 0xff, 0x0a))).rejects.toMatchObject({
    code: "InvalidInput",
  });
  await expect(lines(Uint8Array.of(0x61, 0xc3))).rejects.toMatchObject({ code: "InvalidInput" });
});

it("rm --stdin does not remove the keys that stand on both sides of a carriage return", async () => {
  const home = createHome({ here: true });
  try {
    await home.pail(["mb", "local/demo"]);
    for (const key of ["foo", "bar", "foo\rlocal/demo/bar"]) {
      await home.pail(["cp", "-", `local/demo/${key}`], { stdin: "x" });
    }
    const stdin = "local/demo/foo\rlocal/demo/bar\n";
    expect(await home.pail(["rm", "--stdin"], { stdin })).toMatchObject({ code: 0 });
    const { stdout } = await home.pail(["ls", "-r", "local/demo"]);
    expect(stdout).toMatch(/bar\n.*foo\n$/);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  } finally {
    home.remove();
  }
});
