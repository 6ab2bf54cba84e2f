import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const docs = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

interface Manifest {
  readonly commands: Readonly<
    Record<string, { readonly flags: Readonly<Record<string, { readonly char?: string }>> }>
  >;
}

describe("the manual", () => {
  const text = docs.map(read).join("\n");
  const { commands } = JSON.parse(read("oclif.manifest.json")) as Manifest;

  it.each(Object.keys(commands))("describes %s and each of its flags", (id) => {
    expect(text).toMatch(new RegExp(`\\b${id.replaceAll(":", " ")}\\b`));
    const flags = Object.entries(commands[id]!.flags).filter(([name, { char }]) => {
      const short = char !== undefined && new RegExp(`(?:^|[\\s\`])-${char}\\b`, "m").test(text);
      return !short && !text.includes(`--${name}`);
    });
    expect(flags.map(([name]) => name)).toEqual([]);
  });
});

describe("the requests of other clients' users", () => {
  const rows = [...read("docs/coming-from.md").matchAll(/^\| (\d+) +\|.*$/gm)];
  const answered = rows.filter(([row]) => !row.includes("not yet"));

  it("are twenty-five", () => {
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1));
    expect(rows).toHaveLength(25);
  });

  it.each(answered.map(([row, number]) => [number!, row]))(
    "%s has a test of its name",
    (number, row) => {
      const named = /`(test\/[\w./-]+)`/.exec(row)?.[1] ?? "test/e2e/requests.test.ts";
      const tests = named.includes("faults-kill") ? "test/support/killed-transfers.ts" : named;
      expect(read(tests)).toMatch(new RegExp(`(?:request |["\`, ])${number}[ ,]`));
    },
  );
});

describe("the pages", () => {
  it.each(docs)("%s is linked from the README", (page) => {
    expect(read("README.md")).toContain(`](${page})`);
  });

  it.each(["README.md", "ARCHITECTURE.md", ...docs])(
    "%s links to pages and headings that are there",
    (page) => {
      for (const [, target, anchor] of read(page).matchAll(
        /\]\(([\w./-]*\.md)?(?:#([\w-]+))?\)/g,
      )) {
        const file = target === undefined ? page : join(dirname(page), target);
        expect(existsSync(join(root, file)), `${page} -> ${file}`).toBe(true);
        if (anchor !== undefined) expect(headings(read(file))).toContain(anchor);
      }
    },
  );
});

/** The anchors of a page's headings, as GitHub makes them. */
function headings(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}
