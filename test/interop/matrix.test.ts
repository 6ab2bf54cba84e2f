/**
 * Every command on every server, in one process a server by `pail run`: the embedded store, the store
 * over HTTP and HTTPS always; with PAIL_TEST_SERVERS=1 MinIO, versitygw, moto and Ceph's gateway,
 * where they are.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { selfSigned } from "../support/certificate.js";
import { createHome, type Home } from "../support/run.js";
import { hostVariable, startStore } from "../support/store.js";
import { CREDENTIALS, SERVERS, startServer } from "./servers/server.js";

/** Lines that every server accepts; those that begin with `?` only where it has the feature. */
const LINES = `
ping x
mb x/matrix x/matrix2
cp f x/matrix/f
cp --metadata a=b --cache-control no-store --content-type text/x f x/matrix/meta
cp -r tree x/matrix
put f x/matrix/put
get x/matrix/put got
ls x
ls x/matrix
ls -r --summarize x/matrix
stat x/matrix
stat x/matrix/meta
cat x/matrix/f
cat --range 0-1 x/matrix/f
head -n 1 x/matrix/f
tail -n 1 x/matrix/f
grep one x/matrix
find x/matrix --name f
du -d 1 x/matrix
tree -f x/matrix
presign x/matrix/f
share download x/matrix/f
cp x/matrix/f x/matrix/copied
cp --storage-class STANDARD x/matrix/f x/matrix/classed
mv x/matrix/copied x/matrix/moved
cp -r x/matrix/tree/ down/
mv -r x/matrix/tree/ x/matrix2/moved/
sync tree x/matrix/synced
sync x/matrix/synced x/matrix2/synced
mirror tree x/matrix2/mirrored
diff tree x/matrix/synced
? tag set x/matrix/f k=v
? tag list x/matrix/f
? tag remove --all x/matrix/f
? version enable x/matrix2
? version status x/matrix2
? ls --versions x/matrix2
? uploads list x/matrix
? uploads abort x/matrix
? ilm add x/matrix --prefix logs/ --expire-days 30
? ilm list x/matrix
? cors set x/matrix cors.json
? anonymous set download x/matrix/web/
? anonymous set none x/matrix/web/
? lock get x/matrix
api GET x/matrix -Q list-type=2
rm x/matrix/f x/matrix/none
rm -r --force x/matrix/synced
rm --pattern 'x/matrix/m*'
rb --force x/matrix x/matrix2
`
  .trim()
  .split("\n");

/** How a service says that it lacks a feature, or has none of it set. */
const LACKS = /^(?:NotImplemented|MethodNotAllowed|NotTaken|NoSuchSetting|NoSuchTagSet)$/;

let home: Home;
beforeAll(() => {
  home = createHome();
  const at = (name: string) => join(home.directory, name);
  mkdirSync(at("tree/sub"), { recursive: true });
  writeFileSync(at("f"), "one\ntwo\n");
  for (const name of ["tree/a", "tree/sub/b [1]"]) writeFileSync(at(name), name);
  const rule = { AllowedOrigins: ["*"], AllowedMethods: ["GET"] };
  writeFileSync(at("cors.json"), JSON.stringify({ CORSRules: [rule] }));
});
afterAll(() => home.remove());

async function runAll(alias: string, env: NodeJS.ProcessEnv, lacking: boolean): Promise<void> {
  const lines = LINES.map((line) => line.replace(/^\? /, "").replaceAll(/\bx(?=\/|$)/g, alias));
  const stdin = lines.join("\n");
  const optional = LINES.map((line) => line.startsWith("?"));
  const done = await home.pail(["run", "--json", "-"], { env, stdin });
  // The output of cat and the like stands between the records, perhaps before one on its line.
  const records = done.stdout.match(/\{"(?:line|type)":.*\}$/gm) ?? [];
  const failed = records
    .map((text) => JSON.parse(text) as { line?: number; error?: { code: string; message: string } })
    .filter(({ line, error }) => line !== undefined && error !== undefined);
  const wrong = failed.filter(({ line, error }) => {
    return !(optional[line! - 1] === true && LACKS.test(error!.code));
  });
  expect(wrong.map(({ line, error }) => [lines[line! - 1], error])).toEqual([]);
  expect(records.some((text) => text.startsWith('{"type":"run"'))).toBe(true);
  if (!lacking) expect(failed).toEqual([]);
}

test("every command on the embedded store", async () => {
  await runAll("local", {}, false);
});

test("every command on pail serve, over HTTP", async () => {
  const store = await startStore();
  try {
    await runAll("x", hostVariable("x", store), false);
  } finally {
    await store.close();
  }
});

test("every command on pail serve, over HTTPS", async () => {
  const certificate = selfSigned();
  const store = await startStore({ tls: certificate });
  const ca = join(home.directory, "ca.pem");
  writeFileSync(ca, certificate.cert);
  try {
    await runAll("x", { ...hostVariable("x", store), NODE_EXTRA_CA_CERTS: ca }, false);
  } finally {
    await store.close();
  }
});

const asked = process.env["PAIL_TEST_SERVERS"] === "1";
for (const server of SERVERS) {
  const [program, ...args] = server.probe;
  const here = asked && spawnSync(program, args, { stdio: "ignore" }).status === 0;
  const why = here ? "" : asked ? " (not on this machine)" : " (PAIL_TEST_SERVERS=1 runs it)";
  test.skipIf(!here)(`every command on ${server.name}${why}`, async () => {
    const directory = join(home.directory, server.name);
    mkdirSync(directory);
    const running = await startServer(server, directory);
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const url = running.endpoint.replace("://", `://${accessKeyId}:${secretAccessKey}@`);
    try {
      await runAll("x", { PAIL_HOST_x: url }, true);
    } finally {
      await running.stop();
    }
  });
}
