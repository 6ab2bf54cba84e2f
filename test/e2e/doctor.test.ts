/** `pail doctor` on machines and endpoints that are well, and on those that are not. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:https";
import { once } from "node:events";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { selfSigned } from "../support/certificate.js";
import { createHome, type Home } from "../support/run.js";

let home: Home;
beforeEach(() => {
  home = createHome({ here: true });
});
afterEach(() => home.remove());

interface Record {
  readonly check: string;
  readonly state: string;
  readonly text: string;
  readonly code?: string;
  readonly hint?: string;
}

async function findings(args: string[], env: NodeJS.ProcessEnv = {}) {
  const { code, stdout } = await home.pail(["doctor", "--json", ...args], { env });
  const records = stdout.split("\n").filter(Boolean);
  return { code, found: records.map((line) => JSON.parse(line) as Record) };
}

const LIST = "<?xml version='1.0'?><ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>";

test("a machine that is well has no problem, and is left as it was", async () => {
  const { code, found } = await findings([]);
  expect(code).toBe(0);
  expect(found.filter(({ state }) => state === "problem")).toEqual([]);
  expect(found).toContainEqual(expect.objectContaining({ check: "alias local", state: "ok" }));
  expect(existsSync(join(home.directory, "store"))).toBe(false);
});

test("a configuration that cannot be read, or that others can read, is reported", async () => {
  const config = join(home.directory, "config");
  mkdirSync(config);
  writeFileSync(join(config, "config.json"), "{");
  chmodSync(join(config, "config.json"), 0o644);
  const { code, found } = await findings([]);
  expect(code).toBe(2);
  const said = found.filter(({ check }) => check === "config");
  expect(said.map(({ state }) => state)).toEqual(["note", "problem"]);
  expect(said[0]!.text).toContain("mode 644");
});

test("an unreachable endpoint and half a key pair are each named with their reason", async () => {
  const { code, found } = await findings(["gone"], {
    PAIL_HOST_gone: "http://access:secretsecret@127.0.0.1:1",
    AWS_ACCESS_KEY_ID: "access",
  });
  expect(code).toBe(6);
  expect(found).toContainEqual(
    expect.objectContaining({ check: "alias gone", state: "problem", code: "ECONNREFUSED" }),
  );
  const half = found.find(({ check }) => check === "environment");
  expect(half?.text).toContain("AWS_SECRET_ACCESS_KEY is not set");
});

test("a wrong clock is measured against the service's time", async () => {
  const server = createServer((_, response) => {
    response.setHeader("date", new Date(Date.now() + 600_000).toUTCString());
    response.setHeader("content-type", "application/xml");
    response.end(LIST);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { code, found } = await findings(["ahead"], {
    PAIL_HOST_ahead: `http://access:secretsecret@127.0.0.1:${port}`,
  });
  server.close();
  expect(code).toBe(0);
  expect(found).toContainEqual(
    expect.objectContaining({ state: "note", text: "this clock is 10 min behind the service's" }),
  );
});

test("a certificate of an unknown authority is a problem; its end is told", async () => {
  const { key, cert } = selfSigned();
  const server = createTlsServer({ key, cert }, (_, response) => response.end(LIST));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { code, found } = await findings(["tls"], {
    PAIL_HOST_tls: `https://access:secretsecret@127.0.0.1:${port}`,
  });
  server.close();
  expect(code).toBe(4);
  const said = found.filter(({ check }) => check === "alias tls");
  expect(said[0]!.text).toMatch(/^certificate (?:only )?until \d{4}-/);
  expect(said.at(-1)).toMatchObject({ state: "problem" });
});

test("an unknown alias is refused", async () => {
  const { code, stderr } = await home.pail(["doctor", "nobody"]);
  expect(code).toBe(2);
  expect(stderr).toContain("nobody");
});
