import { describe, expect, test } from "vitest";

import { parseDialect } from "../../../src/cli/alias-setup.js";
import { exitCodeOf } from "../../../src/cli/api-lines.js";
import { toProblem, unknownCommand } from "../../../src/cli/problem.js";
import { parseAddress } from "../../../src/cli/serve-lines.js";
import { AppError } from "../../../src/core/failures/errors.js";

describe("a problem", () => {
  test("that is an AppError stays what it is", () => {
    const error = new AppError({ kind: "conflict", code: "X", message: "x" });
    expect(toProblem(error, "pail ls")).toBe(error);
  });

  test("of any other kind is a bug, and the message says how to see where", () => {
    const problem = toProblem(new TypeError("x is not a function"), "pail ls");
    expect(problem).toMatchObject({ kind: "bug", exitCode: 1 });
    expect(problem.message).toBe("this is a bug in pail: x is not a function");
    expect(problem.hint).toContain("--debug");
  });

  test("of the system keeps its name", () => {
    const error = Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" });
    expect(toProblem(error, "pail cp")).toMatchObject({ kind: "unavailable", code: "ENOSPC" });
  });
});

describe("an unknown command", () => {
  const commands = ["ls", "cp", "alias set", "alias list"];
  test.each([
    [["lss"], 'there is no command "lss"', "did you mean pail ls?"],
    [["alias", "lst", "x"], 'there is no command "alias lst"', "did you mean pail alias list?"],
    [["alias", "explode"], 'there is no command "alias explode"', "pail alias --help"],
    [["s3", "ls"], 'there is no command "s3 ls"', "did you mean pail ls?"],
    [["s3", "mkdir"], 'there is no command "s3 mkdir"', "did you mean pail mb?"],
    [["copyto", "a"], 'there is no command "copyto"', "did you mean pail cp?"],
    [["bisync"], 'there is no command "bisync"', /other tools/],
    [["event", "add"], 'there is no command "event"', /pail api/],
    [["admin", "info"], 'there is no command "admin"', /its own tool/],
    [["frobnicate", "x"], 'there is no command "frobnicate"', "pail --help"],
    [["--recursive", "ls"], "unknown flag --recursive", /behind their command/],
    [["--endpoint-url=http://a", "ls"], "unknown flag --endpoint-url", /pail alias set/],
  ])("%j", (typed, message, hint) => {
    const problem = unknownCommand(typed, commands);
    expect(problem).toMatchObject({ message, exitCode: 2 });
    expect(problem.hint).toMatch(hint);
  });
});

test.each([
  ["127.0.0.1:9000", { host: "127.0.0.1", port: 9000 }],
  ["localhost:0", { host: "localhost", port: 0 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  [":9000", { host: "::", port: 9000 }],
])("%s is an address", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

test.each(["9000", "host", "host:", "host:70000", "::1:80", ""])("%j is no address", (text) => {
  expect(() => parseAddress(text)).toThrow(/is not an address/);
});

test("a dialect is a preset or four words", () => {
  expect(parseDialect("google")).toBe("google");
  expect(parseDialect("A4,a,s,a4_request")).toEqual({
    scheme: "A4",
    infix: "a",
    service: "s",
    terminator: "a4_request",
  });
  for (const text of ["", "amazon", "a,b,c", "a,b,c,", "a,b,c,d,e"]) {
    expect(() => parseDialect(text)).toThrow(/is not a dialect/);
  }
});

test.each([
  [200, 0],
  [304, 0],
  [400, 2],
  [403, 4],
  [404, 3],
  [412, 5],
  [429, 6],
  [503, 6],
])("status %d exits with %d", (status, code) => {
  expect(exitCodeOf(status)).toBe(code);
});
