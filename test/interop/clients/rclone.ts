import { type Client, run } from "./client.js";

interface Listed {
  readonly Path: string;
}

/** rclone, with multipart from 5 MiB. */
export const rclone: Client = {
  name: "rclone",
  probe: ["rclone", "version"],
  cannot: [],
  open: (target) => {
    const env = {
      HOME: target.directory,
      RCLONE_CONFIG_PAIL_TYPE: "s3",
      RCLONE_CONFIG_PAIL_PROVIDER: "Other",
      RCLONE_CONFIG_PAIL_ENDPOINT: target.endpoint,
      RCLONE_CONFIG_PAIL_ACCESS_KEY_ID: target.accessKeyId,
      RCLONE_CONFIG_PAIL_SECRET_ACCESS_KEY: target.secretAccessKey,
      RCLONE_S3_UPLOAD_CUTOFF: "5Mi",
      RCLONE_S3_CHUNK_SIZE: "5Mi",
      RCLONE_RETRIES: "1",
      ...(target.caFile !== undefined && { RCLONE_CA_CERT: target.caFile }),
    };
    const call = (...args: string[]) => run(["rclone", ...args], env);
    const paths = async (...args: string[]) =>
      (JSON.parse(await call("lsjson", ...args)) as Listed[]).map(({ Path }) => Path);
    return {
      buckets: () => paths("pail:"),
      makeBucket: async (bucket) => void (await call("mkdir", `pail:${bucket}`)),
      removeBucket: async (bucket) => void (await call("rmdir", `pail:${bucket}`)),
      put: async (file, bucket, key) => void (await call("copyto", file, `pail:${bucket}/${key}`)),
      get: async (bucket, key, file) => void (await call("copyto", `pail:${bucket}/${key}`, file)),
      putTree: async (directory, bucket) => void (await call("copy", directory, `pail:${bucket}`)),
      getTree: async (bucket, directory) => void (await call("copy", `pail:${bucket}`, directory)),
      // It shows a control character as the picture of one.
      keys: async (bucket) =>
        (await paths("-R", "--files-only", `pail:${bucket}`)).map((path) =>
          path.replaceAll(/[\u2400-\u241f]/g, (picture) =>
            String.fromCharCode(picture.charCodeAt(0) - 0x2400),
          ),
        ),
      copy: async (bucket, from, to) =>
        void (await call("copyto", `pail:${bucket}/${from}`, `pail:${bucket}/${to}`)),
      presign: async (bucket, key) =>
        (await call("link", "--expire", "1h", `pail:${bucket}/${key}`)).trim(),
      enableVersioning: async (bucket) =>
        void (await call("backend", "versioning", `pail:${bucket}`, "Enabled")),
      // An old version is a file whose name ends with its time; the newest has the plain name.
      versions: async (bucket, key) => {
        const all = await paths("--s3-versions", "--files-only", `pail:${bucket}`);
        return all
          .filter((name) => name.startsWith(key.replace(/\.[^.]*$/, "")))
          .toSorted((a, b) => a.length - b.length);
      },
      getVersion: async (bucket, _key, version, file) =>
        void (await call("copyto", "--s3-versions", `pail:${bucket}/${version}`, file)),
      removeTree: async (bucket) => void (await call("delete", `pail:${bucket}`)),
    };
  },
};
