import { awsEnvironment, type Client, jsonLines, run } from "./client.js";

/** s5cmd, with parts of 5 MiB. */
export const s5cmd: Client = {
  name: "s5cmd",
  probe: ["s5cmd", "version"],
  cannot: [],
  open: (target) => {
    const env = { ...awsEnvironment(target), S3_ENDPOINT_URL: target.endpoint };
    const call = (...args: string[]) => run(["s5cmd", "--json", "-r", "0", ...args], env);
    return {
      buckets: async () => jsonLines<{ name: string }>(await call("ls")).map(({ name }) => name),
      makeBucket: async (bucket) => void (await call("mb", `s3://${bucket}`)),
      removeBucket: async (bucket) => void (await call("rb", `s3://${bucket}`)),
      put: async (file, bucket, key) =>
        void (await call("cp", "--part-size", "5", file, `s3://${bucket}/${key}`)),
      get: async (bucket, key, file) =>
        void (await call("cp", "--part-size", "5", `s3://${bucket}/${key}`, file)),
      putTree: async (directory, bucket) =>
        void (await call("cp", `${directory}/`, `s3://${bucket}/`)),
      getTree: async (bucket, directory) =>
        void (await call("cp", `s3://${bucket}/*`, `${directory}/`)),
      keys: async (bucket) =>
        jsonLines<{ key: string }>(await call("ls", `s3://${bucket}/*`)).map(({ key }) =>
          key.slice(`s3://${bucket}/`.length),
        ),
      copy: async (bucket, from, to) =>
        void (await call("cp", `s3://${bucket}/${from}`, `s3://${bucket}/${to}`)),
      presign: async (bucket, key) =>
        (await run(["s5cmd", "presign", `s3://${bucket}/${key}`], env)).trim(),
      enableVersioning: async (bucket) =>
        void (await call("bucket-version", "--set", "Enabled", `s3://${bucket}`)),
      // Its JSON leaves the version out; its table ends with it.
      versions: async (bucket, key) =>
        (await run(["s5cmd", "ls", "--all-versions", `s3://${bucket}/${key}`], env)).match(
          /\S+$/gm,
        ) ?? [],
      getVersion: async (bucket, key, version, file) =>
        void (await call("cp", "--version-id", version, `s3://${bucket}/${key}`, file)),
      removeTree: async (bucket) => void (await call("rm", `s3://${bucket}/*`)),
    };
  },
};
