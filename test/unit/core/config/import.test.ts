import { expect, it } from "vitest";

import { importAliases } from "../../../../src/core/config/import.js";

it("reads mc's file, old and new", () => {
  const play = { url: "https://play.example", accessKey: "A", secretKey: "S", path: "auto" };
  const entries = {
    play,
    old: { url: "http://10.0.0.1:9000", accessKey: "A", secretKey: "S", path: "on" },
    public: { url: "https://open.example", accessKey: "", secretKey: "" },
    "1x": play,
    bad: { url: "not a url" },
    none: null,
  };
  for (const file of [
    { version: "10", aliases: entries },
    { version: "9", hosts: entries },
  ]) {
    expect(importAliases("mc", JSON.stringify(file))).toEqual([
      { name: "play", alias: { url: "https://play.example", accessKey: "A", secretKey: "S" } },
      {
        name: "old",
        alias: { url: "http://10.0.0.1:9000", accessKey: "A", secretKey: "S", pathStyle: "on" },
      },
      { name: "public", alias: { url: "https://open.example", credentials: "anonymous" } },
      { name: "1x", reason: expect.stringContaining("letters") },
      { name: "bad", reason: "not a url is not an endpoint" },
      { name: "none", reason: "it has no URL" },
    ]);
  }
});

it("makes an alias of each profile of the AWS tools, without its keys", () => {
  const text = `[default]
aws_access_key_id = AKIA
aws_secret_access_key = SECRET
[profile work]  # at work
region=eu-west-1
endpoint_url = https://s3.work.example
s3 =
  max_concurrent_requests = 20
[sso-session x]
sso_region = y
`;
  expect(importAliases("aws", text)).toEqual([
    {
      name: "default",
      alias: { url: "https://s3.amazonaws.com", credentials: "chain", profile: "default" },
    },
    {
      name: "work",
      alias: {
        url: "https://s3.work.example",
        credentials: "chain",
        profile: "work",
        region: "eu-west-1",
      },
    },
  ]);
});

it("reads the S3 remotes of rclone", () => {
  const text = `; mine
[minio]
type = s3
provider = Minio
access_key_id = A
secret_access_key = S=S
endpoint = 10.0.0.1:9000
region = here
force_path_style = true

[aws]
type = s3
env_auth = true
force_path_style = __proto__

[drive]
type = drive
`;
  expect(importAliases("rclone", text)).toEqual([
    {
      name: "minio",
      alias: {
        url: "https://10.0.0.1:9000",
        region: "here",
        accessKey: "A",
        secretKey: "S=S",
        pathStyle: "on",
      },
    },
    { name: "aws", alias: { url: "https://s3.amazonaws.com", credentials: "chain" } },
    { name: "drive", reason: "its type is drive" },
  ]);
});

it.each([
  ["mc", "{"],
  ["mc", "[]"],
  ["mc", '{"aliases": 1}'],
  ["aws", "key = value"],
  ["aws", '{"aliases": {}}'],
  ["rclone", "# x\nRCLONE_ENCRYPT_V0:\nabc"],
] as const)("refuses what is no file of %s: %j", (source, text) => {
  expect(() => importAliases(source, text)).toThrow(/cannot be imported/);
});
