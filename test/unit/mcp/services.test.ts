import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { createContext } from "../../../src/context.js";
import { connectServices } from "../../../src/mcp/services.js";

const HOME = { HOME: "/nowhere", PAIL_CONFIG_DIR: "/nowhere", PAIL_STORE_DIR: "/nowhere/store" };
const keys = { CLOUD_ACCESS_KEY_ID: "AKIAEXAMPLE", CLOUD_SECRET_ACCESS_KEY: "secretsecret" };

async function connect(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
  flags: Parameters<typeof connectServices>[2] = {},
) {
  return connectServices(createContext({ ...HOME, ...env }), names, flags);
}

afterEach(() => vi.unstubAllEnvs());

describe("connectServices", () => {
  it.each([
    ["nothing", {}, {}, "local (the embedded store on this computer, /nowhere/store; nothing is"],
    ["keys", keys, {}, "env (https://s3.us-east-1.amazonaws.com)"],
    [
      "keys and an endpoint",
      { ...keys, CLOUD_ENDPOINT_URL: "http://127.0.0.1:9" },
      {},
      "env (http://127.0.0.1:9)",
    ],
  ])("serves what %s describes", async (_what, env, flags, summary) => {
    expect((await connect(env, [], flags)).summary).toContain(summary);
  });

  it.each([
    ["AWS_REGION", { AWS_REGION: "eu-west-1" }, {}],
    ["AWS_DEFAULT_REGION", { AWS_DEFAULT_REGION: "eu-west-1" }, {}],
    ["CLOUD_REGION", { CLOUD_REGION: "eu-west-1" }, {}],
    ["CLOUD_ENDPOINT_URL", { CLOUD_ENDPOINT_URL: "http://127.0.0.1:9" }, {}],
    ["--region", {}, { region: "eu-west-1" }],
    ["--endpoint-url", {}, { endpointUrl: "http://127.0.0.1:9" }],
  ])(
    "serves no other store where %s is set and there are no credentials",
    async (what, env, flags) => {
      vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
      vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials");
      vi.stubEnv("AWS_CONFIG_FILE", "/nowhere/config");
      await expect(connect(env, [], flags)).rejects.toMatchObject({
        kind: "usage",
        code: "MissingCredentials",
        message: expect.stringContaining(`${what} is set, but no credentials`),
        hint: expect.stringContaining("--alias local"),
      });
    },
  );

  it("finds the credentials of a profile before it serves", async () => {
    const home = mkdtempSync(join(tmpdir(), "pail-profile-"));
    const file = join(home, "credentials");
    writeFileSync(
      file,
      "[work]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = secret\n",
    );
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    expect((await connect({ AWS_PROFILE: "work" })).aliases).toEqual(["env"]);
    rmSync(home, { recursive: true });
  });

  it.each([
    { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_REGION: "eu-west-1" },
    { AWS_REGION: "" },
    { AWS_ENDPOINT_URL: " " },
    { AWS_PROFILE: "" },
  ])("refuses a variable that is set but empty: %j", async (env) => {
    await expect(connect(env)).rejects.toMatchObject({ code: "EmptySetting", kind: "usage" });
  });

  it.each([{ region: "" }, { endpointUrl: "" }, { accessKeyId: "", secretAccessKey: "" }])(
    "refuses empty flags: %j",
    async (flags) => {
      await expect(connect({}, [], flags)).rejects.toMatchObject({ code: "EmptySetting" });
    },
  );

  it("serves the aliases named, each once, in their order", async () => {
    const env = { PAIL_HOST_play: "http://AKIAEXAMPLE:secretsecret@127.0.0.1:9" };
    const services = await connect(env, ["play", "local", "play"]);
    expect(services.aliases).toEqual(["play", "local"]);
    expect(services.embedded).toBe("local");
    expect(services.summary).not.toContain("secretsecret");
    expect(services.secrets).toContain("secretsecret");
  });

  it("refuses half a key pair, an unknown alias, and an alias with an endpoint", async () => {
    await expect(connect({ CLOUD_ACCESS_KEY_ID: "AKIAEXAMPLE" })).rejects.toMatchObject({
      code: "MissingCredentials",
      kind: "usage",
    });
    await expect(connect({}, ["nope"])).rejects.toMatchObject({ code: "UnknownAlias" });
    await expect(connect({}, ["local"], { region: "x" })).rejects.toMatchObject({
      code: "InvalidArgument",
    });
  });

  it("knows the secrets of the environment", async () => {
    const { secrets } = await connect({ ...keys, AWS_SESSION_TOKEN: "tokentoken" });
    expect(secrets).toEqual(expect.arrayContaining(["secretsecret", "tokentoken"]));
  });
});
