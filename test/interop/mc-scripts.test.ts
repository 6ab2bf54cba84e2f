/**
 * mc's own functional tests, run by `pail mc`. Runs with PAIL_TEST_MC_SCRIPT=PATH, the file
 * functional-tests.sh of https://github.com/minio/mc, where bash, curl, jq and md5sum are.
 */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { selfSigned } from "../support/certificate.js";
import { BIN, createHome, type Home } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";
import { run } from "./clients/client.js";

const SCRIPT = process.env["PAIL_TEST_MC_SCRIPT"];

/**
 * Each test in a shell of its own, so that one that fails does not end the others. One of them reads
 * `object_name`, which an earlier one has set.
 */
const EACH = `
cd "$HOME"
source <(grep -vE '^(__init__|main) ' "$1")
__init__ >&2
object_name=object
for name in $(declare -f run_test | grep -oE '(test_\\w+|setup)'); do
  if [ "$name" = setup ]; then setup >&2; continue; fi
  if ("$name") >&2; then echo "passed $name"; else echo "failed $name"; fi
done
`;

let home: Home;
let store: RunningStore;
beforeAll(async () => {
  home = createHome();
  const tls = selfSigned();
  store = await startStore({ tls });
  symlinkSync(BIN, join(home.directory, "mc"));
  writeFileSync(join(home.directory, "ca.pem"), tls.cert);
});
afterAll(async () => {
  home.remove();
  await store.close();
});

it.skipIf(SCRIPT === undefined)(
  "mc's functional tests pass, except those of watch and admin",
  async () => {
    const said = await run(["bash", "-c", EACH, "bash", SCRIPT!], {
      ...home.env,
      NODE_EXTRA_CA_CERTS: join(home.directory, "ca.pem"),
      CURL_CA_BUNDLE: join(home.directory, "ca.pem"),
      SERVER_ENDPOINT: new URL(store.endpoint).host,
      ACCESS_KEY: store.accessKeyId,
      SECRET_KEY: store.secretAccessKey,
      ENABLE_HTTPS: "1",
    });
    const of = (how: string) => said.match(new RegExp(`(?<=^${how} )\\w+`, "gm")) ?? [];
    expect(of("failed")).toEqual(["test_watch_object", "test_admin_users"]);
    expect(of("passed")).toHaveLength(39);
  },
  600_000,
);
