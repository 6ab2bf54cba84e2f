import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { credentialProvider } from "../../../../src/core/config/credentials.js";
import { complete } from "../../../../src/core/config/resolve.js";
import type { AliasConfig } from "../../../../src/core/config/types.js";

const alias = (config: Partial<AliasConfig>) =>
  complete("a", { url: "http://h", ...config }, "test", {});

afterEach(() => vi.unstubAllEnvs());

/** The SDK's chain reads the process's own environment. */
async function profileFiles(text: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "pail-aws-"));
  await writeFile(join(directory, "credentials"), text);
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(directory, "credentials"));
  vi.stubEnv("AWS_CONFIG_FILE", join(directory, "none"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
}

describe("credentials", () => {
  it("are the alias's own, its session token too", async () => {
    const source = credentialProvider(
      alias({ accessKey: "a", secretKey: "s", sessionToken: "t" }),
      {},
    );
    expect(await source()).toEqual({ accessKeyId: "a", secretAccessKey: "s", sessionToken: "t" });
  });

  it("do not exist for an anonymous alias", async () => {
    expect(await credentialProvider(alias({ credentials: "anonymous" }), {})()).toBeUndefined();
  });

  it("that are missing are a usage error that names the alias", async () => {
    await expect(credentialProvider(alias({}), {})()).rejects.toMatchObject({
      code: "MissingCredentials",
      kind: "usage",
      message: expect.stringContaining("alias a"),
    });
  });

  it("of the chain are the environment's", async () => {
    const env = { AWS_ACCESS_KEY_ID: "e", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "t" };
    expect(await credentialProvider(alias({ credentials: "chain" }), env)()).toEqual({
      accessKeyId: "e",
      secretAccessKey: "s",
      sessionToken: "t",
    });
  });

  it("of the chain are those of the profile the alias names", async () => {
    await profileFiles("[work]\naws_access_key_id = p\naws_secret_access_key = q\n");
    const env = { AWS_ACCESS_KEY_ID: "e", AWS_SECRET_ACCESS_KEY: "s" };
    const source = credentialProvider(alias({ credentials: "chain", profile: "work" }), env);
    expect(await source()).toMatchObject({ accessKeyId: "p", secretAccessKey: "q" });
  });

  it("of a profile that is not there are a usage error", async () => {
    await profileFiles("[other]\n");
    const source = credentialProvider(alias({ credentials: "chain", profile: "work" }), {});
    await expect(source()).rejects.toMatchObject({
      code: "MissingCredentials",
      hint: "aws configure --profile work",
    });
  });

  it("that are temporary are kept until shortly before their end, then fetched again", async () => {
    let fetched = 0;
    let lifetime = 3_600_000;
    const server = createServer((_request, response) => {
      fetched++;
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          AccessKeyId: `k${fetched}`,
          SecretAccessKey: "s",
          Token: "t",
          Expiration: new Date(Date.now() + lifetime).toISOString(),
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      await profileFiles("");
      const { port } = server.address() as AddressInfo;
      vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://127.0.0.1:${port}/`);
      const source = credentialProvider(alias({ credentials: "chain" }), {});
      expect(await source()).toMatchObject({ accessKeyId: "k1", sessionToken: "t" });
      expect(await source()).toMatchObject({ accessKeyId: "k1" });
      lifetime = 60_000;
      expect(await source({ refresh: true })).toMatchObject({ accessKeyId: "k2" });
      expect(await source()).toMatchObject({ accessKeyId: "k3" });
    } finally {
      server.close();
    }
  });
});
