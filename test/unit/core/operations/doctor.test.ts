/** Findings on a machine that is well, and on machines that are not. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ResolvedAlias } from "../../../../src/core/config/types.js";
import { AppError } from "../../../../src/core/failures/errors.js";
import { diagnose, type Finding, type Machine } from "../../../../src/core/operations/doctor.js";
import { AWS_DIALECT } from "../../../../src/protocol/dialect.js";
import { answer, refusal, script } from "../../../support/answers.js";
import { clientFor } from "../../../support/client.js";

const NOW = Date.UTC(2026, 0, 2, 12);
const WELL: Machine = {
  env: { LANG: "C.UTF-8" },
  node: "v22.1.0",
  terminal: { columns: 100, rows: 30, colors: 24 },
  now: () => NOW,
};
const LIST = "<?xml version='1.0'?><ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pail-doctor-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const alias = (name: string, more: Partial<ResolvedAlias> = {}): ResolvedAlias => ({
  name,
  url: new URL("http://127.0.0.1:1"),
  region: "us-east-1",
  pathStyle: "on",
  dialect: AWS_DIALECT,
  credentials: "static",
  insecure: false,
  origin: "config",
  ...more,
});

async function findings(
  machine: Partial<Machine>,
  respond: Parameters<typeof script>[0] = () => answer(200, LIST, dated(NOW)),
  aliases: () => Promise<readonly ResolvedAlias[]> = async () => [alias("a")],
): Promise<Finding[]> {
  const { handler } = script(respond);
  const [config, store, state] = ["config", "store", "state"].map((name) => join(root, name));
  const options = {
    machine: { ...WELL, ...machine },
    directories: {
      config: config!,
      configFile: join(config!, "config.json"),
      store: store!,
      state: state!,
    },
    aliases,
    client: async () => clientFor({ handler }),
    only: [],
    signal: new AbortController().signal,
  };
  const found: Finding[] = [];
  for await (const finding of diagnose(options)) found.push(finding);
  return found;
}

const dated = (time: number) => ({
  "content-type": "application/xml",
  date: new Date(time).toUTCString(),
});
const troubles = (found: readonly Finding[]) =>
  found
    .filter(({ state }) => state !== "ok")
    .map(({ check, state, text }) => `${check} ${state}: ${text}`);

describe("a machine", () => {
  it("that is well has nothing to say", async () => {
    const found = await findings({});
    expect(troubles(found)).toEqual([]);
    expect(found.at(-1)).toMatchObject({ check: "alias a", text: "answers in 0ms" });
  });

  it("whose runtime, terminal or environment will trouble somebody is told so", async () => {
    const env = {
      LANG: "C",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      AWS_ACCESS_KEY_ID: "a",
      AWS_PROFILE: "",
    };
    expect(troubles(await findings({ node: "v20.19.0", env }))).toEqual([
      "runtime note: Node v20.19.0",
      "terminal note: 100×30, true color, locale C",
      expect.stringContaining("NODE_TLS_REJECT_UNAUTHORIZED=0"),
      "environment note: AWS_SECRET_ACCESS_KEY is not set, its other half is",
      "environment note: AWS_PROFILE is set, but empty",
    ]);
    const small = { columns: 40, rows: 10, colors: 4 };
    expect(troubles(await findings({ terminal: small }))).toEqual([
      "terminal note: 40×10, 16 colors",
    ]);
  });

  it("whose configuration others can read is told the mode", async () => {
    mkdirSync(join(root, "config"));
    writeFileSync(join(root, "config", "config.json"), "{}");
    chmodSync(join(root, "config", "config.json"), 0o640);
    expect(troubles(await findings({}))).toEqual([expect.stringContaining("(mode 640)")]);
  });

  it("whose configuration cannot be read is asked about no endpoint", async () => {
    const error = new AppError({ kind: "usage", code: "InvalidConfig", message: "not JSON" });
    const found = await findings({}, undefined, () => Promise.reject(error));
    expect(found.at(-1)).toMatchObject({ check: "config", state: "problem", error });
  });
});

describe("an endpoint", () => {
  it("whose clock differs by minutes is named, in the right direction", async () => {
    const at = (minutes: number) =>
      findings({}, () => answer(200, LIST, dated(NOW + minutes * 60_000)));
    expect(troubles(await at(10))).toEqual([
      "alias a note: this clock is 10 min behind the service's",
    ]);
    expect(troubles(await at(-10))).toEqual([
      "alias a note: this clock is 10 min ahead of the service's",
    ]);
    expect(troubles(await at(0.5))).toEqual([]);
  });

  it("that refuses a list is well, and one that refuses the key is not", async () => {
    expect(troubles(await findings({}, () => refusal(403, "AccessDenied")))).toEqual([]);
    const found = await findings({}, () => refusal(403, "InvalidAccessKeyId"));
    expect(found.at(-1)).toMatchObject({ state: "problem", error: { kind: "denied" } });
  });

  it("keeps no other from being asked when it fails", async () => {
    const two = async () => [alias("gone"), alias("b")];
    // Each is asked twice: for anything at all, and for its buckets.
    const refusesFirst: Parameters<typeof script>[0] = (_request, index) =>
      index < 2 ? refusal(403, "SignatureDoesNotMatch") : answer(200, LIST, dated(NOW));
    const found = await findings({}, refusesFirst, two);
    expect(found.filter(({ check }) => check.startsWith("alias"))).toMatchObject([
      { check: "alias gone", state: "problem" },
      { check: "alias b", state: "ok" },
    ]);
  });

  it("is the embedded store, which is not made by looking", async () => {
    const local = async () => [alias("local", { origin: "built-in" })];
    const found = await findings({}, undefined, local);
    expect(found.at(-1)).toMatchObject({ state: "ok", text: "the store is not there yet" });
  });
});
