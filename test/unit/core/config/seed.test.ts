import { describe, expect, it } from "vitest";

import { aliasFromEnvironment } from "../../../../src/core/config/seed.js";

const cloud = { CLOUD_ACCESS_KEY_ID: "cid", CLOUD_SECRET_ACCESS_KEY: "csecret" };
const aws = { AWS_ACCESS_KEY_ID: "aid", AWS_SECRET_ACCESS_KEY: "asecret", AWS_SESSION_TOKEN: "t" };

describe("an endpoint from the environment", () => {
  it("is undefined when nothing is set", () => {
    expect(aliasFromEnvironment({})).toBeUndefined();
    expect(aliasFromEnvironment({ CLOUD_REGION: "eu-1", AWS_REGION: "eu-2" })).toBeUndefined();
  });

  it("takes the neutral variables, and Amazon's endpoint of the region without one", () => {
    const alias = aliasFromEnvironment({ ...cloud, CLOUD_REGION: "eu-west-1" });
    expect(alias).toMatchObject({
      accessKey: "cid",
      secretKey: "csecret",
      region: "eu-west-1",
      credentials: "static",
      origin: "CLOUD_ACCESS_KEY_ID",
      url: new URL("https://s3.eu-west-1.amazonaws.com"),
    });
    expect(aliasFromEnvironment(cloud)).toMatchObject({
      region: "us-east-1",
      url: new URL("https://s3.us-east-1.amazonaws.com"),
    });
    expect(aliasFromEnvironment({ ...cloud, CLOUD_ENDPOINT_URL: "http://h:9000" })!.url.href).toBe(
      "http://h:9000/",
    );
  });

  it("prefers flags to the neutral variables, and these to Amazon's", () => {
    const env = {
      ...cloud,
      ...aws,
      AWS_ENDPOINT_URL: "http://aws",
      CLOUD_ENDPOINT_URL: "http://c",
    };
    expect(aliasFromEnvironment(env)).toMatchObject({ accessKey: "cid", sessionToken: undefined });
    expect(aliasFromEnvironment(env)!.url.host).toBe("c");
    const flags = {
      accessKeyId: "fid",
      secretAccessKey: "fs",
      region: "fr",
      endpointUrl: "http://f",
    };
    expect(aliasFromEnvironment(env, flags)).toMatchObject({
      accessKey: "fid",
      secretKey: "fs",
      region: "fr",
      origin: "--access-key-id",
      url: new URL("http://f"),
    });
    expect(aliasFromEnvironment(aws)).toMatchObject({ accessKey: "aid", sessionToken: "t" });
  });

  it("takes credentials from the standard sources when only an endpoint or a profile is given", () => {
    expect(aliasFromEnvironment({ AWS_PROFILE: "p" })).toMatchObject({
      credentials: "chain",
      profile: "p",
    });
    expect(aliasFromEnvironment({}, { endpointUrl: "http://h" })).toMatchObject({
      credentials: "chain",
      accessKey: undefined,
    });
  });

  it.each([
    [
      { CLOUD_ACCESS_KEY_ID: "x" },
      {},
      "CLOUD_ACCESS_KEY_ID is set but CLOUD_SECRET_ACCESS_KEY is not",
    ],
    [
      { ...aws, CLOUD_SECRET_ACCESS_KEY: "x" },
      {},
      "CLOUD_SECRET_ACCESS_KEY is set but CLOUD_ACCESS_KEY_ID is not",
    ],
    [
      { AWS_SECRET_ACCESS_KEY: "x" },
      {},
      "AWS_SECRET_ACCESS_KEY is set but AWS_ACCESS_KEY_ID is not",
    ],
    [cloud, { accessKeyId: "f" }, "--access-key-id is set but --secret-access-key is not"],
  ])("with half a pair says which half is missing", (env, flags, message) => {
    expect(() => aliasFromEnvironment(env, flags)).toThrow(
      expect.objectContaining({ kind: "usage", code: "MissingCredentials", message }),
    );
  });

  it.each([
    [{ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" }, {}, "AWS_ACCESS_KEY_ID"],
    [{ ...cloud, CLOUD_ENDPOINT_URL: " " }, {}, "CLOUD_ENDPOINT_URL"],
    [{ AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: "" }, {}, "AWS_ENDPOINT_URL"],
    [{ AWS_PROFILE: "" }, {}, "AWS_PROFILE"],
    [{}, { accessKeyId: "", secretAccessKey: "" }, "--access-key-id"],
    [cloud, { region: "" }, "--region"],
  ])("that is set but empty is refused by its name", (env, flags, name) => {
    expect(() => aliasFromEnvironment(env, flags)).toThrow(
      expect.objectContaining({ kind: "usage", code: "EmptySetting", message: `${name} is empty` }),
    );
  });

  it("that is no URL is refused by the name of its variable", () => {
    expect(() => aliasFromEnvironment({ ...cloud, CLOUD_ENDPOINT_URL: "h:9000" })).toThrow(
      expect.objectContaining({
        code: "BadEndpoint",
        message: "CLOUD_ENDPOINT_URL is not an http or https URL",
      }),
    );
  });
});
