import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { type Client, jsonLines, run } from "./client.js";

/** mc, under the alias `pail`. */
export const mc: Client = {
  name: "mc",
  probe: ["mc", "--version"],
  cannot: [],
  open: (target) => {
    const { endpoint, accessKeyId, secretAccessKey, caFile, directory } = target;
    const config = join(directory, "mc");
    if (caFile !== undefined) {
      mkdirSync(join(config, "certs", "CAs"), { recursive: true });
      copyFileSync(caFile, join(config, "certs", "CAs", "ca.crt"));
    }
    const env = {
      HOME: directory,
      MC_CONFIG_DIR: config,
      MC_HOST_pail: endpoint.replace("://", `://${accessKeyId}:${secretAccessKey}@`),
    };
    const call = (...args: string[]) => run(["mc", "--json", ...args], env);
    const list = async (...args: string[]) =>
      jsonLines<{ key: string; versionId: string }>(await call("ls", ...args));
    return {
      buckets: async () => (await list("pail")).map(({ key }) => key.replace(/\/$/, "")),
      makeBucket: async (bucket) => void (await call("mb", `pail/${bucket}`)),
      removeBucket: async (bucket) => void (await call("rb", `pail/${bucket}`)),
      put: async (file, bucket, key) => void (await call("cp", file, `pail/${bucket}/${key}`)),
      get: async (bucket, key, file) => void (await call("cp", `pail/${bucket}/${key}`, file)),
      putTree: async (from, bucket) => void (await call("cp", "-r", `${from}/`, `pail/${bucket}/`)),
      getTree: async (bucket, to) => void (await call("cp", "-r", `pail/${bucket}/`, `${to}/`)),
      keys: async (bucket) => (await list("-r", `pail/${bucket}`)).map(({ key }) => key),
      copy: async (bucket, from, to) =>
        void (await call("cp", `pail/${bucket}/${from}`, `pail/${bucket}/${to}`)),
      presign: async (bucket, key) => {
        const [line] = jsonLines<{ share: string }>(
          await call("share", "download", "--expire", "1h", `pail/${bucket}/${key}`),
        );
        return line?.share ?? "";
      },
      enableVersioning: async (bucket) => void (await call("version", "enable", `pail/${bucket}`)),
      versions: async (bucket, key) =>
        (await list("--versions", `pail/${bucket}/${key}`)).map(({ versionId }) => versionId),
      getVersion: async (bucket, key, version, file) =>
        void (await call("cp", "--version-id", version, `pail/${bucket}/${key}`, file)),
      removeTree: async (bucket) => void (await call("rm", "-r", "--force", `pail/${bucket}`)),
    };
  },
};
