import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createContext } from "../../../../src/context.js";
import { withProfileRegion } from "../../../../src/core/config/profile-region.js";
import { complete } from "../../../../src/core/config/resolve.js";
import { aliasFromEnvironment } from "../../../../src/core/config/seed.js";
import type { AliasConfig } from "../../../../src/core/config/types.js";

let root: string;
let files: Record<string, string>;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "pail-profile-"));
  files = {
    HOME: root,
    PAIL_CONFIG_DIR: join(root, "config"),
    AWS_CONFIG_FILE: join(root, "aws-config"),
    AWS_SHARED_CREDENTIALS_FILE: join(root, "none"),
  };
  writeFileSync(
    files["AWS_CONFIG_FILE"]!,
    "[default]\nregion = eu-west-1\n\n[profile work]\nregion=eu-central-1 # near\n[profile bare]\n",
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

/**
 * Region and host of an alias with these settings, in an environment with these further variables.
 */
async function found(config: Partial<AliasConfig>, env: Record<string, string> = {}) {
  const all = { ...files, ...env };
  const whole: AliasConfig = { url: "https://s3.example", credentials: "chain", ...config };
  const { region, url } = await withProfileRegion(complete("a", whole, "test", all), all);
  return [region, url.host];
}

describe("the region of an alias with the AWS chain", () => {
  it("is its profile's, else that of the profile in use, else the default one's", async () => {
    expect(await found({ profile: "work" })).toEqual(["eu-central-1", "s3.example"]);
    expect(await found({}, { AWS_PROFILE: "work" })).toEqual(["eu-central-1", "s3.example"]);
    expect(await found({})).toEqual(["eu-west-1", "s3.example"]);
  });

  it("is rather the one of the alias, a variable or the endpoint's name", async () => {
    expect(await found({ region: "x-1" })).toEqual(["x-1", "s3.example"]);
    expect(await found({}, { AWS_REGION: "x-2" })).toEqual(["x-2", "s3.example"]);
    expect(await found({}, { AWS_DEFAULT_REGION: "x-3" })).toEqual(["x-3", "s3.example"]);
    const url = "https://s3.ap-south-1.amazonaws.com";
    expect(await found({ url })).toEqual(["ap-south-1", "s3.ap-south-1.amazonaws.com"]);
  });

  it("chooses Amazon's endpoint", async () => {
    const host = "s3.eu-west-1.amazonaws.com";
    expect(await found({ url: "https://s3.amazonaws.com" })).toEqual(["eu-west-1", host]);
    const env = { ...files, AWS_PROFILE: "work" };
    const seeded = await withProfileRegion(aliasFromEnvironment(env)!, env);
    expect(seeded.url.host).toBe("s3.eu-central-1.amazonaws.com");
  });

  it("is the default where the profile says nothing or there is no file", async () => {
    expect(await found({ profile: "bare" })).toEqual(["us-east-1", "s3.example"]);
    expect(await found({ profile: "other" })).toEqual(["us-east-1", "s3.example"]);
    const env = { AWS_CONFIG_FILE: join(root, "missing") };
    expect(await found({}, env)).toEqual(["us-east-1", "s3.example"]);
  });

  it("is not asked for where credentials are the alias's own", async () => {
    const keys = { credentials: "static", accessKey: "a", secretKey: "s" } as const;
    expect(await found(keys)).toEqual(["us-east-1", "s3.example"]);
  });

  it("is the one its client signs with", async () => {
    const context = createContext(files);
    await context.saveAlias("amazon", {
      url: "https://s3.amazonaws.com",
      credentials: "chain",
      profile: "work",
    });
    const client = await context.client("amazon");
    expect(client.region).toBe("eu-central-1");
    expect(client.endpoint.host).toBe("s3.eu-central-1.amazonaws.com");
    context.close();
  });
});
