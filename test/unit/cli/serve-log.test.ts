import { expect, it } from "vitest";

import { createServeLog } from "../../../src/cli/serve-log.js";

const ANSWERED = {
  time: new Date(0),
  method: "GET",
  target: "/b/\u001b[2J",
  status: 404,
  code: "NoSuchKey",
  bytes: 12,
  milliseconds: 1.6,
  requestId: "R",
};

function logged(what: "requests" | "errors" | "off", json = false) {
  const lines: string[] = [];
  return { lines, log: createServeLog({ what, json, write: (line) => lines.push(line) }) };
}

it("a request is a line, in which a stranger's text is escaped", () => {
  const { lines, log } = logged("requests");
  log.onAnswer?.(ANSWERED);
  log.onAnswer?.({
    ...ANSWERED,
    peer: "10.0.0.1",
    accessKeyId: "AK",
    code: undefined,
    status: 200,
  });
  expect(lines).toEqual([
    "1970-01-01T00:00:00.000Z - - GET /b/\\x1b[2J 404 NoSuchKey 12B 2ms R",
    "1970-01-01T00:00:00.000Z 10.0.0.1 AK GET /b/\\x1b[2J 200 12B 2ms R",
  ]);
});

it("is JSON for programs, failures of the store too", () => {
  const { lines, log } = logged("errors", true);
  expect(log.onAnswer).toBeUndefined();
  log.onError?.(Object.assign(new Error("disk\n"), { code: "ENOSPC" }));
  expect(JSON.parse(lines[0]!)).toMatchObject({ type: "error", code: "ENOSPC", message: "disk\n" });
});

it("is not written when the log is off", () => {
  expect(logged("off").log).toEqual({});
});
