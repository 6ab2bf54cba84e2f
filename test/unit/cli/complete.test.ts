import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { complete, type Manifest } from "../../../src/cli/complete.js";

const manifest = JSON.parse(
  readFileSync(new URL("../../../oclif.manifest.json", import.meta.url), "utf8"),
) as Manifest;
const asked: string[] = [];
const locations = async (word: string) => {
  asked.push(word);
  return ["local/", "play/"].filter((name) => name.startsWith(word));
};
const completed = async (...words: string[]) => {
  const { candidates, files } = await complete(words, manifest, locations);
  return { values: candidates.map(({ value }) => value), files };
};

it.each([
  [["serv"], ["serve"], false],
  [["alias", ""], ["edit", "export", "import", "list", "remove", "set"], false],
  [["serve", "key", "l"], ["list"], false],
  [["ls", "lo"], ["local/"], false],
  [["ls", "-r", "p"], ["play/"], false],
  [["cp", "l"], ["local/"], true],
  [["cp", "1.txt", "l"], ["local/"], true],
  [["ls", "--rec"], ["--recursive"], false],
  [["ls", "-r", "--", "--"], [], false],
  [["cp", "--checksum", "S"], ["SHA1", "SHA256"], false],
  [["cp", "--checksum=SHA2"], ["--checksum=SHA256"], false],
  [["cp", "--exclude-from", ""], [], true],
  [["cp", "--metadata", ""], [], false],
  [["nothing", "x"], [], false],
  [["comple"], ["completion"], false],
])("%j becomes %j", async (words, values, files) => {
  expect(await completed(...words)).toEqual({ values, files });
});

it("names every command, with what it does", async () => {
  const { candidates } = await complete([""], manifest, locations);
  const words = Object.keys(manifest.commands).map((id) => id.split(":")[0]);
  const shown = new Set(words.filter((word) => word !== "complete"));
  expect(new Set(candidates.map(({ value }) => value))).toEqual(shown);
  expect(candidates.find(({ value }) => value === "cp")?.description).toMatch(/^Copy/);
});

it("asks no service about a word that is no location", async () => {
  asked.length = 0;
  await completed("cp", "--conc");
  await completed("cp", "--concurrency", "");
  await completed("alia");
  expect(asked).toEqual([]);
});
