import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { awsEnvironment, type Client, run } from "./client.js";

/** aws-cli: `aws s3` where it has the command, `aws s3api` where it has not. */
export const aws: Client = {
  name: "aws-cli",
  probe: ["aws", "--version"],
  cannot: [],
  open: (target) => {
    // By default, version 1 presigns with Signature Version 2, which S3 accepts only for old
    // buckets.
    const config = join(target.directory, "aws-config");
    writeFileSync(config, "[default]\ns3 =\n  signature_version = s3v4\n");
    const env = { ...awsEnvironment(target), AWS_CONFIG_FILE: config };
    const s3 = (...args: string[]) =>
      run(["aws", "--endpoint-url", target.endpoint, "s3", ...args], env);
    const api = async <T>(...args: string[]): Promise<T> => {
      const all = ["aws", "--endpoint-url", target.endpoint, "--output", "json", "s3api", ...args];
      return JSON.parse((await run(all as [string], env)) || "null") as T;
    };
    return {
      buckets: () => api("list-buckets", "--query", "Buckets[].Name"),
      makeBucket: async (bucket) => void (await s3("mb", `s3://${bucket}`)),
      removeBucket: async (bucket) => void (await s3("rb", `s3://${bucket}`)),
      put: async (file, bucket, key) => void (await s3("cp", file, `s3://${bucket}/${key}`)),
      get: async (bucket, key, file) => void (await s3("cp", `s3://${bucket}/${key}`, file)),
      putTree: async (directory, bucket) =>
        void (await s3("cp", "--recursive", directory, `s3://${bucket}/`)),
      getTree: async (bucket, directory) =>
        void (await s3("cp", "--recursive", `s3://${bucket}/`, directory)),
      keys: async (bucket) =>
        (await api<string[] | null>(
          "list-objects-v2",
          "--bucket",
          bucket,
          "--query",
          "Contents[].Key",
        )) ?? [],
      copy: async (bucket, from, to) =>
        void (await s3("cp", `s3://${bucket}/${from}`, `s3://${bucket}/${to}`)),
      presign: async (bucket, key) => (await s3("presign", `s3://${bucket}/${key}`)).trim(),
      enableVersioning: (bucket) =>
        api(
          "put-bucket-versioning",
          "--bucket",
          bucket,
          "--versioning-configuration",
          "Status=Enabled",
        ),
      versions: (bucket, key) =>
        api(
          "list-object-versions",
          "--bucket",
          bucket,
          "--prefix",
          key,
          "--query",
          "Versions[].VersionId",
        ),
      getVersion: (bucket, key, version, file) =>
        api<void>("get-object", "--bucket", bucket, "--key", key, "--version-id", version, file),
      removeTree: async (bucket) => void (await s3("rm", "--recursive", `s3://${bucket}/`)),
    };
  },
};
