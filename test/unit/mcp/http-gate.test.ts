import { describe, expect, it } from "vitest";

import { judgeRequest, parseHttpAddress } from "../../../src/mcp/http-gate.js";

describe("parseHttpAddress", () => {
  it.each([
    ["3000", { host: "127.0.0.1", port: 3000 }],
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["localhost:80", { host: "localhost", port: 80 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
  ])("reads %s", (text, address) => {
    expect(parseHttpAddress(text)).toEqual(address);
  });

  it.each([
    "0.0.0.0:80",
    "example.com:80",
    "127.0.0.1",
    ":80",
    "127.0.0.1:70000",
    "",
    "127.0.0.1:x",
  ])("refuses %j", (text) => {
    expect(() => parseHttpAddress(text)).toThrow(expect.objectContaining({ kind: "usage" }));
  });
});

describe("judgeRequest", () => {
  const good = { host: "127.0.0.1:3000", authorization: "Bearer token" };
  const judge = (headers: Record<string, string>, path = "/mcp") =>
    judgeRequest(path, { ...good, ...headers }, "token")?.status;

  it.each([
    [{}],
    [{ host: "localhost" }],
    [{ host: "[::1]:3000" }],
    [{ origin: "http://localhost:5173" }],
    [{ origin: "http://127.0.0.1" }],
    [{ authorization: "bearer token" }],
  ])("lets %j in", (headers) => {
    expect(judge(headers)).toBeUndefined();
  });

  it.each<Record<string, string>>([
    { host: "evil.example" },
    { host: "127.0.0.1.evil.example:3000" },
    { host: "localhost.evil.example" },
    { host: "" },
    { origin: "http://evil.example" },
    { origin: "http://localhost.evil.example" },
    { origin: "http://localhost@evil.example" },
    { origin: "null" },
    { origin: "" },
  ])("turns %j away with 403, even with the token", (headers) => {
    expect(judge(headers)).toBe(403);
  });

  it.each(["", "Bearer", "Bearer ", "Bearer tokens", "Bearer toke", "Basic token", "token"])(
    "turns the authorization %j away with 401",
    (authorization) => {
      expect(judge({ authorization })).toBe(401);
    },
  );

  it("has one endpoint", () => {
    expect(judge({}, "/mcp?x=1")).toBeUndefined();
    expect(judge({}, "/")).toBe(404);
    expect(judge({}, "/mcp/../etc")).toBe(404);
  });
});
