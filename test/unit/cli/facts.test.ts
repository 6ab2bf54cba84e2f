import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { exitStatus, variables } from "../../../src/cli/facts.js";

const docs = new URL("../../../docs/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, docs), "utf8");

it("has the exit codes of the manual", () => {
  const told = [...read("exit-codes.md").matchAll(/^\| (\d+) \|/gm)].map(([, code]) =>
    Number(code),
  );
  expect(exitStatus().map(([code]) => code)).toEqual(told);
});

it("has only variables that the manual explains", () => {
  const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
  const text = pages.map(read).join("\n");
  for (const [name] of variables()) expect(text).toContain(name.replace(/[<*].*/, ""));
});

it("gives a command its own meaning of a code, and its own variables", () => {
  expect(exitStatus("find")).toContainEqual([3, "nothing found"]);
  expect(exitStatus("ls")).toContainEqual([3, "not found"]);
  expect(exitStatus("mc").map(([code]) => code)).toEqual([0, 1]);
  const names = (id: string) => variables(id).map(([name]) => name);
  expect(names("serve:key:list")).toEqual(["PAIL_STORE_DIR"]);
  expect(names("cp")).toContain("AWS_MAX_ATTEMPTS");
  // Names that were completed are kept with the state.
  expect(names("completion")).toContain("PAIL_STATE_DIR");
});
