/** A second terminal emulator: what one forgives, the other shows. */
import { execFileSync } from "node:child_process";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";

const available = (() => {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!available)("the console in tmux", () => {
  const socket = `pail-test-${process.pid}`;
  let home: Home;
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...home.env, LANG: "C.UTF-8", TERM: "xterm-256color" },
    });
  const lines = () => tmux("capture-pane", "-p", "-t", "pail").split("\n");
  const see = (what: RegExp) =>
    expect.poll(() => lines().join("\n"), { interval: 50 }).toMatch(what);
  /** The lines above and below the list, in a screen of this size. */
  const framed = (columns: number, rows: number) =>
    expect.poll(() => [lines()[2], lines()[rows - 3]]).toEqual(Array(2).fill("─".repeat(columns)));

  beforeAll(async () => {
    home = createHome();
    expect((await home.pail(["mb", "local/tmux"])).code).toBe(0);
    for (const key of ["日本語.txt", "plain.txt", "zero/one.txt"]) {
      expect((await home.pail(["cp", "-", `local/tmux/${key}`], { stdin: key })).code).toBe(0);
    }
  });
  beforeEach(() => {
    const command = `'${RUNTIME}' '${BIN}' tui local/tmux; echo left with $?; cat`;
    tmux("new-session", "-d", "-s", "pail", "-x", "100", "-y", "30", command);
  });
  afterEach(() => {
    tmux("kill-server");
  });
  afterAll(() => home.remove());

  it("draws its frame whole, moves, resizes, and leaves the screen as it was", async () => {
    await see(/3 rows/);
    await framed(100, 30);
    for (const [key, row] of [
      ["j", /▌ {2}plain/],
      ["j", /▌ {2}日本語/],
      ["k", /▌ {2}plain/],
    ] as const) {
      tmux("send-keys", "-t", "pail", key);
      await see(row);
    }
    const dates = lines().flatMap((line) => /^(.*)\d{4}-\d\d-\d\d /.exec(line)?.[1] ?? []);
    expect(dates).toHaveLength(2);

    tmux("resize-window", "-t", "pail", "-x", "80", "-y", "24");
    await framed(80, 24);
    await see(/▌ {2}plain/);

    tmux("send-keys", "-t", "pail", "C-c");
    await see(/left with 0/);
    expect(lines().join("\n")).not.toContain("plain.txt");
    expect(
      tmux("display-message", "-p", "-t", "pail", "#{alternate_on}#{cursor_flag}").trim(),
    ).toBe("01");
  });
});
