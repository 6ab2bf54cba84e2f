import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeName,
  fromBytes,
  isBranch,
  nameOf,
  recordPath,
  toBytes,
} from "../../../../src/store/disk/names.js";
import { anyKey } from "./keys.js";
import { cases } from "../../../support/cases.js";

const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, cases(2000));

/** The key that a record's names spell, as a walk down the tree puts it together. */
const spelled = (names: readonly string[]): string =>
  fromBytes(names.map((name) => decodeName(name)).join(""));

describe("names of keys on disk", () => {
  it("give back the key they were made from", () => {
    check(
      fc.property(anyKey, (key) => {
        expect(spelled(recordPath(toBytes(key)).split("/"))).toBe(key);
      }),
    );
  });

  it("are legal, unreserved and short on every file system", () => {
    check(
      fc.property(anyKey, (key) => {
        for (const name of recordPath(toBytes(key)).split("/")) {
          expect(name.length).toBeLessThanOrEqual(255);
          expect(name).toMatch(/^[a-z0-9_%=+-][a-z0-9._%-]*[=+-]$|^[=+]$/);
        }
      }),
    );
  });

  it("differ for different keys, also where case and normal form make no difference", () => {
    const disk = (key: string): string => recordPath(toBytes(key)).toLowerCase().normalize("NFD");
    check(
      fc.property(anyKey, anyKey, (a, b) => {
        if (a !== b) expect(disk(a)).not.toBe(disk(b));
      }),
    );
    for (const [a, b] of [
      ["README", "readme"],
      ["\u00e9", "e\u0301"],
      ["a/b", "a"],
      ["a/", "a"],
      ["a+", "a/"],
      ["a%2fb", "a/b"],
    ] as const) {
      expect(disk(a)).not.toBe(disk(b));
    }
  });

  it("never make one key's record a directory of another's", () => {
    check(
      fc.property(anyKey, anyKey, (a, b) => {
        const [record, other] = [
          recordPath(toBytes(a)).split("/"),
          recordPath(toBytes(b)).split("/"),
        ];
        if (a === b) return;
        expect(other.slice(0, record.length).join("/")).not.toBe(record.join("/"));
      }),
    );
  });

  it("sort in their directories as the keys sort by UTF-8 bytes", () => {
    check(
      fc.property(anyKey, anyKey, (a, b) => {
        const [x, y] = [a, b].map((key) =>
          recordPath(toBytes(key))
            .split("/")
            .map((name) => decodeName(name)!),
        );
        let level = 0;
        while (level < x!.length - 1 && x![level] === y![level]) level += 1;
        const byName = x![level] === y![level] ? 0 : x![level]! < y![level]! ? -1 : 1;
        expect(byName).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  it("can be computed again from their entries", () => {
    check(
      fc.property(anyKey, (key) => {
        const names = recordPath(toBytes(key)).split("/");
        expect(names.map((name) => nameOf(decodeName(name)!))).toEqual(names);
        expect(names.map((name) => isBranch(decodeName(name)!))).toEqual(
          names.map((_, index) => index < names.length - 1),
        );
      }),
    );
  });

  it("avoid names that Windows reserves and files that systems leave behind", () => {
    expect(nameOf("con")).toBe("con=");
    expect(nameOf("..")).toBe("%2e.=");
    expect(nameOf("/")).toBe("+");
    for (const foreign of [
      ".DS_Store",
      "._a=",
      "lost+found",
      "Thumbs.db",
      "a",
      "A=",
      "a%2=",
      "%zz=",
    ]) {
      expect(decodeName(foreign)).toBeUndefined();
    }
  });

  it("keep ordinary names readable", () => {
    expect(nameOf("photo-2024_01.jpg")).toBe("photo-2024_01.jpg=");
    expect(recordPath("docs/a.txt")).toBe("docs+/a.txt=");
  });
});
