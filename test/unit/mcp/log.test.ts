import { describe, expect, it } from "vitest";

import { createLog, logStack, parseLogLevel } from "../../../src/mcp/log.js";

describe("parseLogLevel", () => {
  it.each([
    ["debug", "debug"],
    ["WARN", "warn"],
    ["warning", "warn"],
    ["trace", "debug"],
    ["off", "off"],
    ["rustfs_mcp_server=debug", "debug"],
    ["warn,rustfs_mcp_server=debug", "debug"],
    ["pail=error,debug", "error"],
    ["hyper=debug,warn", "warn"],
    ["hyper=debug", "debug"],
    ["info/some filter", "info"],
    ["hyper::client[conn]=trace, error", "error"],
  ])("reads %s as %s", (text, level) => {
    expect(parseLogLevel(text)).toBe(level);
  });

  it.each(["", "loud", "rustfs=loud", "="])("does not understand %j", (text) => {
    expect(parseLogLevel(text)).toBeUndefined();
  });
});

describe("createLog", () => {
  it("writes its level and more urgent ones, one line each", () => {
    const lines: string[] = [];
    const log = createLog("warn", (line) => lines.push(line));
    log.error("one");
    log.warn("two");
    log.info("three");
    log.debug("four");
    expect(lines).toEqual(["pail-mcp error: one\n", "pail-mcp warn: two\n"]);
  });

  it("keeps a message on its line and a stack on as many as it has frames", () => {
    const lines: string[] = [];
    const log = createLog("info", (line) => lines.push(line));
    log.info("a\npail-mcp info: forged\u001b[2J");
    logStack(log, new Error("b"));
    expect(lines[0]).toBe("pail-mcp info: a\\u000apail-mcp info: forged\\u001b[2J\n");
    expect(lines[1]).toBe("pail-mcp error: Error: b\n");
    expect(lines[2]).toMatch(/^pail-mcp error: {5}at .*\n$/);
  });

  it("is silent when off", () => {
    const lines: string[] = [];
    createLog("off", (line) => lines.push(line)).error("one");
    expect(lines).toEqual([]);
  });
});
