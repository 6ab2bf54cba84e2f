/** Addresses and credentials given to `serve`. */
import { existsSync } from "node:fs";

import { expect, test } from "vitest";

import {
  insecureNote,
  notListening,
  parseAddress,
  reachLines,
  rootCredentials,
  storeFolder,
} from "../../../src/cli/serve-lines.js";

test.each([
  ["127.0.0.1:9000", { host: "127.0.0.1", port: 9000 }],
  [":0", { host: "::", port: 0 }],
  ["[::1]:9000", { host: "::1", port: 9000 }],
  ["name.example:65535", { host: "name.example", port: 65_535 }],
])("the address %s", (text, parsed) => {
  expect(parseAddress(text)).toEqual(parsed);
});

test.each(["9000", "::1:9000", "host:70000", "host:", "host:-1", "[::1]"])(
  "no address: %s",
  (text) => {
    expect(() => parseAddress(text)).toThrow(/not an address/);
  },
);

test("root credentials come whole or not at all", () => {
  expect(rootCredentials({})).toBeUndefined();
  expect(rootCredentials({ PAIL_ROOT_USER: "user", PAIL_ROOT_PASSWORD: "secretsecret" })).toEqual({
    accessKeyId: "user",
    secretAccessKey: "secretsecret",
  });
  expect(() => rootCredentials({ PAIL_ROOT_USER: "user" })).toThrow(
    expect.objectContaining({ kind: "usage" }),
  );
});

test("a secret that came from the environment is not shown", () => {
  expect(reachLines("http://x", "user", "/s", "").join("\n")).toContain("PAIL_ROOT_PASSWORD");
  expect(reachLines("http://x", "user", "/s").join("\n")).toContain("serve key create");
});

test("a warning appears when requests can be read on the way", () => {
  for (const url of ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1", "https://x:1"]) {
    expect(insecureNote(url)).toBeUndefined();
  }
  expect(insecureNote("http://192.0.2.1:1")).toContain("--tls-cert");
  expect(insecureNote("http://127.0.0.1.example:1")).toContain("--tls-cert");
});

test("a port that is taken is a conflict, and any other failure stays as it is", () => {
  const taken = Object.assign(new Error("x"), { code: "EADDRINUSE" });
  expect(notListening(taken, "h:1")).toMatchObject({ kind: "conflict", code: "EADDRINUSE" });
  const other = new Error("y");
  expect(notListening(other, "h:1")).toBe(other);
});

test("a temporary folder goes with the server, a named one stays", async () => {
  const own = await storeFolder(undefined);
  expect(existsSync(own.path)).toBe(true);
  await own.remove();
  expect(existsSync(own.path)).toBe(false);
  const named = await storeFolder(import.meta.dirname);
  await named.remove();
  expect(existsSync(import.meta.dirname)).toBe(true);
});
