/** Text and links for the clipboard: what is sent to the terminal, and what is told. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { createContext } from "../../../../src/context.js";
import type { Context } from "../../../../src/context.js";
import { clipboard, copyLinks } from "../../../../src/tui/controller/clipboard.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import { shareLink } from "../../../../src/tui/controller/share.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import { createHome, type Home } from "../../../support/run.js";

let home: Home;
let context: Context;
beforeAll(() => {
  home = createHome();
  const env = { ...home.env, PAIL_HOST_far: "http://key:secretsecret@127.0.0.1:9" };
  context = createContext(env);
});
afterAll(() => {
  context.close();
  home.remove();
});

const { signal } = new AbortController();
function console(env: NodeJS.ProcessEnv = {}) {
  const written: string[] = [];
  const told: Action[] = [];
  const deps = {
    context: { ...context, env },
    write: (data: string) => written.push(data),
    dispatch: (action: Action) => told.push(action),
  } as unknown as Deps;
  return { deps, written, told };
}
const object = (key: string) => ({ type: "object", alias: "far", bucket: "b", key }) as const;

it("is set by a sequence of the terminal, through tmux too, and the text is shown as well", () => {
  const { deps, written, told } = console();
  void clipboard(deps, { type: "clipboard", text: "häl", what: "key" }, signal);
  expect(written).toEqual([`\u001B]52;c;${Buffer.from("häl").toString("base64")}\u0007`]);
  expect(told).toEqual([{ type: "copied", what: "key", text: "häl", sent: true }]);
  const tmux = console({ TMUX: "x" });
  void clipboard(tmux.deps, { type: "clipboard", text: "a", what: "key" }, signal);
  expect(tmux.written[0]).toMatch(/^\u001BPtmux;\u001B\u001B\]52/);
});

it("does not take what is too long for terminals, and says so", () => {
  const { deps, written, told } = console();
  void clipboard(deps, { type: "clipboard", text: "x".repeat(60_000), what: "key" }, signal);
  expect(written).toEqual([]);
  expect(told).toMatchObject([{ sent: false }]);
});

it("takes one link a line, each signed for its own object and for as long as asked", async () => {
  const { deps, told } = console();
  const objects = [object("a b"), object("c")];
  await copyLinks(deps, { type: "copy-links", objects, expiry: 600 }, signal);
  const [copied] = told as Extract<Action, { type: "copied" }>[];
  const { text, what } = copied!;
  expect(what).toBe("links");
  const links = text.split("\n").map((line) => new URL(line));
  expect(links.map(({ pathname }) => pathname)).toEqual(["/b/a%20b", "/b/c"]);
  for (const { searchParams } of links) expect(searchParams.get("X-Amz-Expires")).toBe("600");
});

it("says of a link to the embedded store what it takes to work", async () => {
  const { note } = await shareLink(context, { ...object("k"), alias: "local" }, 60);
  expect(note).toContain("pail serve");
  expect((await shareLink(context, object("k"), 60)).note).toBeUndefined();
});
