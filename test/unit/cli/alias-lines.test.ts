/** Aliases as they are shown: all their settings except secrets. */
import { expect, test } from "vitest";

import { aliasLines, aliasRecord } from "../../../src/cli/alias-lines.js";
import { resolveAlias } from "../../../src/core/config/resolve.js";
import type { AliasConfig, ResolvedAlias } from "../../../src/core/config/types.js";

const url = "http://127.0.0.1:9000";
const made = (name: string, config: Omit<AliasConfig, "url">): ResolvedAlias =>
  resolveAlias(name, {}, { version: 1, aliases: { [name]: { url, ...config } } });
const keys = made("keys", {
  accessKey: "AKID",
  secretKey: "a-secret-key",
  sessionToken: "a-token",
});

test("a line says where an alias leads and which credentials it uses, in columns", () => {
  const { origin } = keys;
  const lines = aliasLines([
    keys,
    made("open", { credentials: "anonymous" }),
    made("chained", { credentials: "chain", profile: "work" }),
    resolveAlias("local", {}, { version: 1, aliases: {} }),
  ]);
  expect(lines).toEqual([
    `keys     ${url}  AKID:********  ${origin}`,
    `open     ${url}  anonymous      ${origin}`,
    `chained  ${url}  profile work   ${origin}`,
    "local    (embedded store)       -              built-in",
  ]);
  expect(aliasLines([])).toEqual([]);
});

test("a record has the settings that a program needs, and no secret", () => {
  const record = aliasRecord(keys);
  expect(record).toMatchObject({ type: "alias", url: `${url}/`, accessKey: "AKID" });
  expect(record).toHaveProperty("secretKey", "********");
  expect(JSON.stringify(record)).not.toMatch(/a-secret-key|a-token/);
});

test("a record of the embedded store has no address, and one without keys names none", () => {
  const local = aliasRecord(resolveAlias("local", {}, { version: 1, aliases: {} }));
  expect(local).toMatchObject({ name: "local", origin: "built-in" });
  expect(local).not.toHaveProperty("url");
  const open = aliasRecord(made("open", { credentials: "anonymous", insecure: true }));
  expect(open).toMatchObject({ credentials: "anonymous", insecure: true });
  expect(open).not.toHaveProperty("secretKey");
});
