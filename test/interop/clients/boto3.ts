import { fileURLToPath } from "node:url";

import { awsEnvironment, type Client, run, type Target } from "./client.js";

const PROGRAM = fileURLToPath(new URL("boto3.py", import.meta.url));

/** One operation of boto3.py. */
export async function callBoto3<T>(target: Target, operation: string, ...args: string[]) {
  const text = await run(
    ["python3", PROGRAM, target.endpoint, operation, ...args],
    awsEnvironment(target),
  );
  return JSON.parse(text) as T;
}

/** boto3, with multipart from 5 MiB. */
export const boto3: Client = {
  name: "boto3",
  probe: ["python3", "-c", "import boto3"],
  cannot: [],
  open: (target) => ({
    buckets: () => callBoto3(target, "buckets"),
    makeBucket: (bucket) => callBoto3(target, "make-bucket", bucket),
    removeBucket: (bucket) => callBoto3(target, "remove-bucket", bucket),
    put: (file, bucket, key) => callBoto3(target, "put", file, bucket, key),
    get: (bucket, key, file) => callBoto3(target, "get", bucket, key, file),
    putTree: (directory, bucket) => callBoto3(target, "put-tree", directory, bucket),
    getTree: (bucket, directory) => callBoto3(target, "get-tree", bucket, directory),
    keys: (bucket) => callBoto3(target, "keys", bucket),
    copy: (bucket, from, to) => callBoto3(target, "copy", bucket, from, to),
    presign: (bucket, key) => callBoto3(target, "presign", bucket, key),
    enableVersioning: (bucket) => callBoto3(target, "enable-versioning", bucket),
    versions: (bucket, key) => callBoto3(target, "versions", bucket, key),
    getVersion: (bucket, key, version, file) =>
      callBoto3(target, "get-version", bucket, key, version, file),
    removeTree: (bucket) => callBoto3(target, "remove-tree", bucket),
  }),
};
