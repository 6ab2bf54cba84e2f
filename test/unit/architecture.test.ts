import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Every path of the tree block: two spaces a level, then one or more names, then words. */
function pathsOf(page: string): string[] {
  const tree = /^```\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  const parents: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const indent = /^ */.exec(line)![0].length;
    // Lines that are indented further continue a description.
    if (line === "" || indent > 8) return [];
    const names = /^ *((?:[\w./*-]+(?:\.tsx?|\.js|\/)(?: |$))+)/.exec(line)?.[1]?.trim().split(" ");
    parents.length = indent / 2;
    const paths = (names ?? [line.trim()]).map((name) => join(...parents, name));
    parents.push(names?.[0] ?? "");
    return paths;
  });
}

describe("the map of the house", () => {
  const paths = pathsOf(read("ARCHITECTURE.md"));

  it("names only what is there", () => {
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !path.includes("*") && !existsSync(join(root, path)))).toEqual(
      [],
    );
  });

  it("names every directory right below src", () => {
    for (const name of ["protocol", "core", "store", "cli", "commands", "tui", "mcp"]) {
      expect(paths).toContain(join("src", name, "/"));
    }
  });
});
