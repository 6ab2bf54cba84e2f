/**
 * `pail sync` on servers of other projects (PAIL_TEST_SERVERS=1), checked by `rclone check`
 * (PAIL_TEST_CLIENTS=1): each where the program is on the machine.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { pseudoRandom } from "../support/bucket.js";
import { createHome, type Home } from "../support/run.js";
import { startServe } from "../support/serve.js";
import { filesIn } from "../support/sync.js";
import { CREDENTIALS, SERVERS, startServer } from "./servers/server.js";

const there = (variable: string, [program, ...args]: readonly string[]) =>
  process.env[variable] === "1" && spawnSync(program!, args, { stdio: "ignore" }).status === 0;
const HAS_RCLONE = there("PAIL_TEST_CLIENTS", ["rclone", "version"]);

interface Place {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<unknown>;
}
type Start = (home: Home) => Promise<Place>;
const places: [name: string, present: boolean, start: Start][] = [
  [
    "pail serve (with rclone check)",
    HAS_RCLONE,
    async (home) => {
      const serve = await startServe(home);
      const { endpoint, accessKeyId, secretAccessKey } = serve;
      return { endpoint, accessKeyId, secretAccessKey, stop: () => serve.stop() };
    },
  ],
  ...SERVERS.map((server): [string, boolean, Start] => [
    server.name,
    there("PAIL_TEST_SERVERS", server.probe),
    async (home) => {
      mkdirSync(join(home.directory, "server"));
      const running = await startServer(server, join(home.directory, "server"));
      return { ...running, ...CREDENTIALS };
    },
  ]),
];

describe.each(places)("sync on %s", (name, present, start) => {
  if (!present) {
    test.skip(`runs with PAIL_TEST_SERVERS=1 or PAIL_TEST_CLIENTS=1, where ${name} is installed`);
    return;
  }
  let home: Home;
  let place: Place;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    home = createHome();
    place = await start(home);
    const { endpoint, accessKeyId, secretAccessKey } = place;
    env = { PAIL_HOST_o: endpoint.replace("://", `://${accessKeyId}:${secretAccessKey}@`) };
    await pail("mb", "o/main", "o/other");
  });
  afterAll(async () => {
    await place?.stop();
    home?.remove();
  });

  const pail = (...args: string[]) => home.pail(args, { env });
  /** Runs pail; the exit code, and what it said on stdout. */
  const ends = async (code: number, ...args: string[]) => {
    const result = await pail(...args);
    expect([args[0], result.code, result.stderr]).toEqual([args[0], code, expect.anything()]);
    return result.stdout;
  };
  const source = () => join(home.directory, "source");
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(source(), file)), { recursive: true });
    writeFileSync(join(source(), file), content);
  };
  /** An independent reading. */
  const check = (directory: string, target: string) => {
    if (!HAS_RCLONE) return;
    const { endpoint, accessKeyId, secretAccessKey } = place;
    const rclone = spawnSync(
      "rclone",
      ["check", "--download", "--copy-links", directory, `o:${target}`],
      {
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"],
          RCLONE_CONFIG: "/dev/null",
          RCLONE_CONFIG_O_TYPE: "s3",
          RCLONE_CONFIG_O_PROVIDER: "Other",
          RCLONE_CONFIG_O_ENDPOINT: endpoint,
          RCLONE_CONFIG_O_ACCESS_KEY_ID: accessKeyId,
          RCLONE_CONFIG_O_SECRET_ACCESS_KEY: secretAccessKey,
        },
      },
    );
    expect([rclone.status, rclone.stderr]).toEqual([0, expect.stringContaining("0 differences")]);
  };

  test("makes a bucket like a tree, a second time with nothing to do, and back", async () => {
    for (let i = 0; i < 40; i++) write(`d${i % 3}/f ${i}`, `${i}`.repeat(i));
    write("ü/ß & +%41", "odd");
    write("a.b", "beside a/");
    write("a/b", "below");
    write("large", pseudoRandom(17 * 1024 * 1024 + 5));
    symlinkSync("a.b", join(source(), "link"));
    await ends(0, "sync", "-q", "--delete", source(), "o/main/t");
    check(source(), "main/t");
    expect(await ends(0, "sync", "--delete", source(), "o/main/t")).toBe("");
    const down = join(home.directory, "down");
    await ends(0, "sync", "-q", "o/main/t", down);
    expect(filesIn(down)).toEqual(filesIn(source()));
    await ends(0, "sync", "-q", "o/main/t", "o/other/t");
    expect(await ends(0, "diff", "o/main/t", "o/other/t")).toBe("");
  });

  test("sends files that changed under the same size and an older time, and removes missing ones", async () => {
    write("a.b", "BESIDE a/");
    utimesSync(join(source(), "a.b"), 1_500_000_000, 1_500_000_000);
    for (const gone of ["large", "link", "d0"]) rmSync(join(source(), gone), { recursive: true });
    expect(await ends(5, "diff", source(), "o/main/t")).toContain("! a.b");
    await ends(0, "sync", "-q", "--delete", source(), "o/main/t");
    check(source(), "main/t");
    expect(await ends(0, "diff", source(), "o/main/t")).toBe("");
    // The other bucket still has it all; a plan takes it away.
    const plan = join(home.directory, "a.plan");
    await ends(0, "sync", "-q", "--delete", "--plan", plan, "o/main/t", "o/other/t");
    await ends(0, "sync", "-q", "--apply", plan);
    expect(await ends(0, "diff", "o/main/t", "o/other/t")).toBe("");
    rmSync(source(), { recursive: true });
    mkdirSync(source());
    await ends(5, "sync", "-q", "--delete", source(), "o/main/t");
    expect(await ends(0, "diff", "o/main/t", "o/other/t")).toBe("");
  });
});
