import { describe, expect, it } from "vitest";

import { createContext } from "../../../src/context.js";
import { connectServices } from "../../../src/mcp/services.js";

const HOME = { HOME: "/nowhere", PAIL_CONFIG_DIR: "/nowhere", PAIL_STORE_DIR: "/nowhere/store" };
const keys = { CLOUD_ACCESS_KEY_ID: "AKIAEXAMPLE", CLOUD_SECRET_ACCESS_KEY: "secretsecret" };

async function connect(
  env: Record<string, string>,
  names: readonly string[] = [],
  flags: Parameters<typeof connectServices>[2] = {},
) {
  return connectServices(createContext({ ...HOME, ...env }), names, flags);
}

describe("connectServices", () => {
  it.each([
    ["nothing", {}, {}, "local, the embedded store in /nowhere/store"],
    ["a region in the environment", { AWS_REGION: "eu-west-1" }, {}, "local, the embedded store"],
    ["keys", keys, {}, "env, https://s3.us-east-1.amazonaws.com (CLOUD_ACCESS_KEY_ID)"],
    [
      "keys and an endpoint",
      { ...keys, CLOUD_ENDPOINT_URL: "http://127.0.0.1:9" },
      {},
      "env, http://127.0.0.1:9 (CLOUD_ACCESS_KEY_ID)",
    ],
    ["a profile", { AWS_PROFILE: "work" }, {}, "(AWS_PROFILE)"],
    [
      "a role",
      { AWS_WEB_IDENTITY_TOKEN_FILE: "/token", AWS_REGION: "eu-west-1" },
      {},
      "env, https://s3.eu-west-1.amazonaws.com (AWS_WEB_IDENTITY_TOKEN_FILE)",
    ],
    [
      "a region by flag",
      {},
      { region: "eu-west-1" },
      "env, https://s3.eu-west-1.amazonaws.com (--region)",
    ],
  ])("serves what %s describes", async (_what, env, flags, summary) => {
    expect((await connect(env, [], flags)).summary).toContain(summary);
  });

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
