/** Facts that pail knows of itself in this process: where its files are (program-folder), and whether names are exact (lists). */

import { afterEach, describe, expect, it } from "vitest";

import type * as Lists from "../../../src/cli/lists.js";
import { programFolder, setProgramFolder } from "../../../src/cli/program-folder.js";

/**
 * Loads the module again: nothing else makes names inexact again, and other tests share this
 * process.
 */
const fresh = async (name: string) => {
  const { href } = new URL(`../../../src/cli/lists.ts?${name}`, import.meta.url);
  return (await import(href)) as typeof Lists;
};

describe("the folder of the program", () => {
  const before = programFolder();
  afterEach(() => setProgramFolder(() => before));

  it("is beside the one that the code is in, until another is set", () => {
    expect(programFolder()).toMatch(/src$/);
    setProgramFolder(() => "/elsewhere");
    expect(programFolder()).toBe("/elsewhere");
  });

  it("is asked for only when it is needed, since a single executable unpacks its files then", () => {
    let asked = 0;
    setProgramFolder(() => `/folder-${(asked += 1)}`);
    expect(asked).toBe(0);
    expect(programFolder()).toBe("/folder-1");
  });
});

describe("names", () => {
  it("may be patterns, except while a list of commands runs", async () => {
    const lists = await fresh("one");
    expect(lists.namesAreExact()).toBe(false);
    const release = lists.nameExactly();
    expect(lists.namesAreExact()).toBe(true);
    release();
    expect(lists.namesAreExact()).toBe(false);
    lists.nameExactly();
    expect((await fresh("two")).namesAreExact()).toBe(false);
  });
});
