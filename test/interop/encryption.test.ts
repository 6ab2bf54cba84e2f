/**
 * Encryption by the service, with keys of the customer's own, and object lock, on services that have
 * them. Runs with PAIL_TEST_SERVERS=1, where MinIO and moto are on the machine.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { pseudoRandom } from "../support/bucket.js";
import { createHome, type Home } from "../support/run.js";
import {
  CREDENTIALS,
  KMS_KEY,
  minioTls,
  moto,
  type RunningServer,
  type Server,
  startServer,
} from "./servers/server.js";

const ASKED = process.env["PAIL_TEST_SERVERS"] === "1";
/** Three parts, the last one short. */
const LARGE = pseudoRandom(11 * 1024 * 1024 + 7);
const PARTS = ["--part-size", "5MiB"];
const KEY = randomBytes(32).toString("base64");

for (const server of [minioTls, moto]) {
  const [program, ...args] = server.probe;
  const here = ASKED && spawnSync(program, args, { stdio: "ignore" }).status === 0;
  const why = here ? "" : ASKED ? " (not on this machine)" : " (PAIL_TEST_SERVERS=1 runs it)";
  describe.skipIf(!here)(`on ${server.name}${why}`, () => {
    onServer(server);
  });
}

function onServer(server: Server): void {
  let home: Home;
  let running: RunningServer;
  let env: NodeJS.ProcessEnv;
  const at = (name: string) => join(home.directory, name);
  const ok = async (...args: string[]) => {
    const done = await home.pail(args, { env });
    expect(done, `pail ${args.join(" ")}: ${done.stderr}`).toMatchObject({ code: 0 });
    return done;
  };
  const fails = async (code: number, ...args: string[]) => {
    const done = await home.pail(args, { env });
    expect(done, `pail ${args.join(" ")}`).toMatchObject({ code });
    return done.stderr;
  };
  const stat = async (...args: string[]) =>
    (await ok("stat", "--json", ...args)).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { encryption?: string; kmsKey?: string; size: number });

  beforeAll(async () => {
    home = createHome();
    mkdirSync(at("server"));
    running = await startServer(server, at("server"));
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const endpoint = running.endpoint.replace("//", `//${accessKeyId}:${secretAccessKey}@`);
    env = { PAIL_HOST_x: endpoint, PAIL_HOST_play: endpoint, KEY };
    if (server.scheme === "https") env["NODE_EXTRA_CA_CERTS"] = running.ca;
    writeFileSync(at("key"), KEY);
    writeFileSync(at("other.key"), randomBytes(32));
    mkdirSync(at("tree/sub"), { recursive: true });
    writeFileSync(at("tree/small"), "small");
    writeFileSync(at("tree/sub/large"), LARGE);
    await ok("mb", "x/one", "x/two");
  });
  afterAll(async () => {
    await running?.stop();
    home?.remove();
  });

  test.each([["AES256"], ["aws:kms"], [`aws:kms:${KMS_KEY}`]])(
    "cp, put, pipe, sync and mv write with --sse %s, and all of it reads back the same",
    async (how) => {
      const below = `x/one/${how.replaceAll(":", "-")}`;
      writeFileSync(at("moved"), "small");
      await ok("cp", "--sse", how, ...PARTS, "tree/sub/large", `${below}/cp`);
      await ok("put", "--sse", how, "tree/small", `${below}/put`);
      await ok("sync", "--sse", how, ...PARTS, "tree", `${below}/tree`);
      await ok("mv", "--sse", how, "moved", `${below}/mv`);
      const piped = await home.pail(["pipe", "--sse", how, `${below}/pipe`], { env, stdin: LARGE });
      expect(piped, piped.stderr).toMatchObject({ code: 0 });
      await ok("cp", "--sse", how, `${below}/cp`, `${below}/copied`);
      await ok("mv", "--sse", how, `${below}/put`, "x/two/put");
      const made = ["cp", "tree/small", "tree/sub/large", "mv", "pipe", "copied"];
      const infos = await stat("x/two/put", ...made.map((key) => `${below}/${key}`));
      expect(infos.map(({ encryption }) => encryption)).toEqual(
        infos.map(() => how.replace(`:${KMS_KEY}`, "")),
      );
      if (how.endsWith(KMS_KEY)) {
        for (const { kmsKey } of infos) expect(kmsKey).toContain(KMS_KEY);
      }
      for (const key of ["cp", "pipe", "copied"]) {
        await ok("cp", ...PARTS, `${below}/${key}`, "back");
        expect(readFileSync(at("back")).equals(LARGE)).toBe(true);
      }
      const { bytes } = await ok("cat", "--range", "5242879-5242881", `${below}/cp`);
      expect(bytes.equals(LARGE.subarray(5242879, 5242882))).toBe(true);
      // A sync does not copy an unchanged encrypted object again.
      expect((await ok("sync", "tree", `${below}/tree`)).stderr).toContain("2 the same");
      await ok("diff", "tree", `${below}/tree`);
      await ok("sync", `${below}/tree`, `back-${how.replaceAll(":", "-")}`);
    },
  );

  test("other metadata and another name keep an object's own key", async () => {
    await ok("cp", "--sse", `aws:kms:${KMS_KEY}`, "tree/small", "x/one/kept");
    await ok("cp", "--metadata", "a=b", "x/one/kept", "x/one/kept");
    await ok("mv", "x/one/kept", "x/one/renamed");
    expect(await stat("x/one/renamed")).toMatchObject([
      { encryption: "aws:kms", kmsKey: expect.stringContaining(KMS_KEY) as string },
    ]);
    await ok("cp", "--sse", "AES256", "--metadata", "a=c", "x/one/renamed", "x/one/renamed");
    expect(await stat("x/one/renamed")).toMatchObject([{ encryption: "AES256" }]);
  });

  // moto takes customers' keys and forgets them.
  test.skipIf(server === moto)(
    "keys of the customer's own, from a file and a variable",
    async () => {
      const mine = ["--sse-c-key", "key"];
      writeFileSync(at("moved"), "small");
      await ok("cp", "--sse-c-key", "env:KEY", ...PARTS, "tree/sub/large", "x/one/c/cp");
      await ok("sync", ...mine, ...PARTS, "tree", "x/one/c/tree");
      await ok("mv", ...mine, "moved", "x/one/c/mv");
      const piped = await home.pail(["pipe", ...mine, "x/one/c/pipe"], { env, stdin: LARGE });
      expect(piped, piped.stderr).toMatchObject({ code: 0 });
      const made = ["cp", "tree/small", "tree/sub/large", "mv", "pipe"].map(
        (key) => `x/one/c/${key}`,
      );
      for (const info of await stat(...mine, ...made))
        expect(info).toMatchObject({ encryption: "SSE-C" });

      const source = ["--source-sse-c-key", "env:KEY"];
      await ok("cp", ...mine, ...source, "x/one/c/cp", "x/two/same");
      await ok("cp", "--sse-c-key", "other.key", ...source, "x/one/c/cp", "x/two/other");
      await ok("cp", ...source, "x/one/c/cp", "x/two/plain");
      await ok("cp", "--sse", "aws:kms", ...source, "x/one/c/cp", "x/two/kms");
      await ok("cp", "--sse-c-key", "other.key", "x/two/plain", "x/two/sealed");
      await ok("mv", "--sse-c-key", "other.key", ...source, "x/one/c/mv", "x/two/mv");
      await ok("sync", "--sse-c-key", "other.key", ...source, "x/one/c/tree", "x/two/tree");
      for (const [key, ...flags] of [
        ["same", ...mine],
        ["other", "--sse-c-key", "other.key"],
        ["plain"],
        ["kms"],
        ["sealed", "--sse-c-key", "other.key"],
      ] as const) {
        await ok("cp", ...PARTS, ...flags, `x/two/${key}`, "back");
        expect(readFileSync(at("back")).equals(LARGE), key).toBe(true);
      }
      const { bytes } = await ok("cat", "--range", "5242879-5242881", ...mine, "x/one/c/cp");
      expect(bytes.equals(LARGE.subarray(5242879, 5242882))).toBe(true);
      expect((await ok("head", "-c", "3", ...mine, "x/one/c/tree/small")).stdout).toBe("sma");
      expect((await ok("grep", "mal", ...mine, "x/one/c/tree/small")).stdout).toContain("small");
      expect((await ok("sync", ...mine, "tree", "x/one/c/tree")).stderr).toContain("2 the same");
      await ok("diff", "--compare", "checksum", ...mine, "tree", "x/one/c/tree");
      await ok(
        "diff",
        "--compare",
        "checksum",
        "--sse-c-key",
        "other.key",
        ...source,
        "x/one/c/tree",
        "x/two/tree",
      );

      expect(await fails(2, "cat", "x/one/c/cp")).toContain(
        "pail cat --sse-c-key KEYFILE x/one/c/cp",
      );
      await fails(4, "cat", "--sse-c-key", "other.key", "x/one/c/cp");
      await fails(2, "cp", "x/one/c/cp", "x/two/not");
      await fails(2, "mv", "x/one/c/cp", "x/two/not");
      await fails(3, "stat", "x/two/not");
      await ok("stat", ...mine, "x/one/c/cp");
      expect(await fails(2, "diff", "--sse-c-key", "env:NONE", "tree", "x/one/c/tree")).toContain(
        "NONE",
      );
    },
  );

  // moto answers these in words of its own.
  test.skipIf(server === moto)("retention and legal hold protect their objects", async () => {
    await ok("mb", "--with-lock", "x/locked");
    await ok("lock", "set", "x/locked", "--mode", "governance", "--for", "1d");
    await ok("cp", "tree/small", "x/locked/k");
    const held = (await ok("lock", "get", "--json", "x/locked/k")).stdout;
    expect(JSON.parse(held)).toMatchObject({ mode: "GOVERNANCE", legalHold: false });
    await fails(5, "rm", "-r", "--force", "--versions", "x/locked");
    await fails(2, "lock", "remove", "x/locked/k");
    await ok("lock", "set", "x/locked/k", "--legal-hold", "on");
    await ok("lock", "remove", "--bypass", "x/locked/k");
    await fails(5, "rm", "-r", "--force", "--versions", "x/locked");
    expect((await ok("lock", "get", "x/locked/k")).stdout).toContain("legal hold");
    await ok("lock", "set", "x/locked/k", "--legal-hold", "off");
    await ok("rm", "-r", "--force", "--versions", "x/locked");
    await ok("rb", "x/locked");
  });

  // Only where they can work: moto answers locks in words of its own, and MinIO archives nothing by
  // itself.
  const id = server === moto ? "restore" : "lock";
  test(`the examples of ${id} run as they are written`, async () => {
    if (id === "lock") {
      await ok("mb", "--with-lock", "play/kept");
      await ok("cp", "tree/small", "play/kept/contract.pdf");
    } else {
      await ok("mb", "play/backup");
      for (const key of ["2019.tar", "2019/1"]) {
        await ok("cp", "--storage-class", "GLACIER", "tree/small", `play/backup/${key}`);
      }
    }
    const manifest = new URL("../../oclif.manifest.json", import.meta.url);
    const { commands } = JSON.parse(readFileSync(manifest, "utf8")) as {
      commands: Record<string, { examples: { command: string }[] }>;
    };
    for (const { command } of commands[id]!.examples) {
      await ok(id, ...command.replace(/.*%> /, "").split(" "));
    }
  });
}
