/** Other people's clients on the embedded store (PAIL_TEST_OTHERS=1). */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { absence } from "../support/others.js";
import { finish } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";

let store: RunningStore;
let directory: string;
let env: NodeJS.ProcessEnv;
const at = (...parts: string[]) => join(directory, ...parts);

beforeAll(async () => {
  store = await startStore();
  directory = mkdtempSync(join(tmpdir(), "pail-client-"));
  writeFileSync(at("small"), "Hello, bucket");
  writeFileSync(at("large"), Buffer.alloc(20 * 1024 * 1024, "0123456789"));
  mkdirSync(at("tree", "sub"), { recursive: true });
  writeFileSync(at("tree", "a b"), "a");
  writeFileSync(at("tree", "sub", "é"), "b");
  const { endpoint, accessKeyId, secretAccessKey } = store;
  env = {
    PATH: process.env["PATH"],
    HOME: directory,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: "us-east-1",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_ENDPOINT_URL: endpoint,
    S3_ENDPOINT_URL: endpoint,
    RCLONE_CONFIG: "/dev/null",
    RCLONE_CONFIG_P_TYPE: "s3",
    RCLONE_CONFIG_P_PROVIDER: "Other",
    RCLONE_CONFIG_P_ENDPOINT: endpoint,
    RCLONE_CONFIG_P_ACCESS_KEY_ID: accessKeyId,
    RCLONE_CONFIG_P_SECRET_ACCESS_KEY: secretAccessKey,
    RCLONE_CONFIG_P_REGION: "us-east-1",
    MC_CONFIG_DIR: at("mc"),
    MC_HOST_p: endpoint.replace("://", `://${accessKeyId}:${secretAccessKey}@`),
  };
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** What each client is told to do; `B` is its bucket, and the last line leaves nothing. */
const clients: Readonly<Record<string, readonly string[]>> = {
  aws: [
    "aws s3 mb s3://B",
    "aws s3 cp small s3://B/small",
    "aws s3 cp large s3://B/large",
    "aws s3 cp --recursive tree s3://B/tree",
    "aws s3 ls --recursive s3://B",
    "aws s3 cp s3://B/large s3://B/copy",
    "aws s3 cp s3://B/copy B-large",
    "aws s3 cp s3://B/small B-small",
    "aws s3 sync s3://B/tree B-tree",
    "aws s3api get-object-attributes --bucket B --key small --object-attributes ETag Checksum",
    "aws s3 rb --force s3://B",
  ],
  s5cmd: [
    "s5cmd mb s3://B",
    "s5cmd cp small s3://B/small",
    "s5cmd cp -p 5 large s3://B/large",
    "s5cmd cp tree/ s3://B/tree/",
    "s5cmd ls s3://B/*",
    "s5cmd cp s3://B/large s3://B/copy",
    "s5cmd cp s3://B/copy B-large",
    "s5cmd cp s3://B/small B-small",
    "s5cmd cp s3://B/tree/* B-tree/",
    "s5cmd rm s3://B/*",
    "s5cmd rb s3://B",
  ],
  rclone: [
    "rclone mkdir p:B",
    "rclone copyto small p:B/small",
    "rclone copyto --s3-upload-cutoff 5Mi --s3-chunk-size 5Mi large p:B/large",
    "rclone copy tree p:B/tree",
    "rclone lsf -R p:B",
    "rclone copyto p:B/large p:B/copy",
    "rclone copyto p:B/copy B-large",
    "rclone copyto p:B/small B-small",
    "rclone copy p:B/tree B-tree",
    "rclone check tree p:B/tree",
    "rclone purge p:B",
  ],
  mc: [
    "mc mb p/B",
    "mc cp small p/B/small",
    "mc cp large p/B/large",
    "mc cp -r tree/ p/B/tree",
    "mc ls -r p/B",
    "mc cp p/B/large p/B/copy",
    "mc cp p/B/copy B-large",
    "mc cp p/B/small B-small",
    "mc cp -r p/B/tree/ B-tree",
    "mc rb --force p/B",
  ],
};

for (const [name, lines] of Object.entries(clients)) {
  const missing = absence(name);
  describe.skipIf(missing)(`${name}${missing === undefined ? "" : ` (${missing})`}`, () => {
    test("does its daily work on the store, and gets back the bytes it put in", async () => {
      const bucket = `by-${name}`;
      for (const line of lines) {
        const args = line.replace(/\bB\b/g, bucket).split(" ");
        const result = await finish(spawn(args[0]!, args.slice(1), { cwd: directory, env }));
        expect(result, `${line}: ${result.stdout}${result.stderr}`).toMatchObject({ code: 0 });
      }
      expect(readFileSync(at(`${bucket}-small`), "utf8")).toBe("Hello, bucket");
      expect(readFileSync(at(`${bucket}-large`)).equals(readFileSync(at("large")))).toBe(true);
      expect(readFileSync(at(`${bucket}-tree`, "a b"), "utf8")).toBe("a");
      expect(readFileSync(at(`${bucket}-tree`, "sub", "é"), "utf8")).toBe("b");
    });
  });
}

const boto3 = absence("python3 && python3 -c 'import boto3'");
test.skipIf(boto3)(
  `boto3${boto3 === undefined ? "" : ` (${boto3})`} does the same, with versions and tags`,
  async () => {
    const script = `
import boto3
from boto3.s3.transfer import TransferConfig
s3 = boto3.client("s3")
s3.create_bucket(Bucket="by-boto3")
s3.put_bucket_versioning(Bucket="by-boto3", VersioningConfiguration={"Status": "Enabled"})
s3.upload_file("large", "by-boto3", "large", Config=TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20))
s3.download_file("by-boto3", "large", "boto3-large")
assert open("large", "rb").read() == open("boto3-large", "rb").read()
for body in (b"one", b"two"):
    s3.put_object(Bucket="by-boto3", Key="k", Body=body, ChecksumAlgorithm="SHA256", Tagging="a=b")
assert s3.get_object(Bucket="by-boto3", Key="k", ChecksumMode="ENABLED")["Body"].read() == b"two"
assert s3.get_object_tagging(Bucket="by-boto3", Key="k")["TagSet"] == [{"Key": "a", "Value": "b"}]
versions = s3.list_object_versions(Bucket="by-boto3", Prefix="k")["Versions"]
assert [v["IsLatest"] for v in versions] == [True, False]
boto3.resource("s3").Bucket("by-boto3").object_versions.delete()
s3.delete_bucket(Bucket="by-boto3")
print("done")
`;
    const result = await finish(spawn("python3", ["-c", script], { cwd: directory, env }));
    expect(result, result.stderr).toMatchObject({ code: 0, stdout: "done\n" });
  },
);
