/** Every bad input ends in one clear message and the right exit code; nothing is half-done. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createSilentServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createStore } from "../../src/store/index.js";
import { listen, type RunningServer } from "../../src/store/node-server.js";
import { type Certificate, selfSigned } from "../support/certificate.js";
import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";
import { mountSmallDisk, NO_SMALL_DISK } from "../support/small-disk.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

/** A user bound by file permissions: this one, or another where this one is the superuser. */
const bound = process.getuid?.() === 0 ? 65_534 : undefined;
const unbound =
  spawnSync(RUNTIME, [BIN, "--version"], bound === undefined ? {} : { uid: bound }).status !== 0;

let home: Home;
let plain: RunningStore;
let secure: RunningStore;
let certificate: Certificate;
const at = (...parts: string[]) => join(home.directory, ...parts);

/** Runs a command that must fail, and gives what it said. */
async function failing(
  code: number,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  uid?: number,
): Promise<string> {
  const result = await home.pail(args, { env, uid });
  expect(result, result.stderr).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toMatch(/^pail: /);
  expect(result.stderr).not.toMatch(/bug in pail|\n {4}at /);
  return result.stderr;
}

beforeAll(async () => {
  home = createHome({ here: true });
  plain = await startStore();
  certificate = selfSigned();
  secure = await startStore({ tls: certificate });
  writeFileSync(at("1.txt"), "one");
  await home.pail(["mb", "local/demo"]);
  await home.pail(["cp", "1.txt", "local/demo"]);
});
afterAll(async () => {
  home.remove();
  await Promise.all([plain.close(), secure.close()]);
});

describe("an alias", () => {
  test("that is unknown", async () => {
    expect(await failing(2, ["ls", "unknown"])).toMatch(
      /there is no alias "unknown"\nhint: pail alias set unknown URL/,
    );
  });

  test("with a missing secret", async () => {
    const env = { PAIL_HOST_half: plain.endpoint.replace("://", "://ACCESS@") };
    expect(await failing(2, ["ls", "half"], env)).toMatch(/half \(PAIL_HOST_half\) has no secret/);
    expect(await failing(2, ["alias", "set", "half", plain.endpoint, "ACCESS"])).toMatch(
      /the secret key is missing\nhint: .*--secret-key-stdin/,
    );
  });

  test("in a corrupt config file, which is kept as it is", async () => {
    const file = at("config", "config.json");
    mkdirSync(at("config"), { recursive: true });
    for (const text of ["{ broken", '{"version":1,"aliases":{"x":{"url":1}}}', "[]", ""]) {
      writeFileSync(file, text, { mode: 0o600 });
      expect(await failing(2, ["ls", "x"])).toContain(file);
      await failing(2, ["alias", "set", "y", plain.endpoint, "A", "S", "--no-check"]);
      await failing(2, ["alias", "remove", "x"]);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
    rmSync(file);
  });

  test("with an invalid URL or name", async () => {
    const set = (name: string, url: string) => ["alias", "set", name, url, "A", "S", "--no-check"];
    expect(await failing(2, set("x", "ftp://host"))).toMatch(/"ftp:\/\/host" is not an endpoint/);
    expect(await failing(2, set("1x", plain.endpoint))).toMatch(/"1x" cannot name an alias/);
    expect(await failing(2, [...set("x", plain.endpoint), "--dialect", "a,b"])).toMatch(/dialect/);
  });
});

describe("credentials", () => {
  test("with a wrong secret", async () => {
    const env = hostVariable("wrong", { ...plain, secretAccessKey: "wrong" });
    expect(await failing(4, ["ls", "wrong"], env)).toMatch(/the secret key is wrong/);
    const { accessKeyId } = plain;
    await failing(4, ["alias", "set", "wrong", plain.endpoint, accessKeyId, "wrong"]);
    await failing(2, ["ls", "wrong"]);
  });

  test("with an unknown access key", async () => {
    const env = hostVariable("wrong", { ...plain, accessKeyId: "NOBODY" });
    expect(await failing(4, ["ls", "wrong"], env)).toMatch(/does not know this access key/);
  });

  test("never appear in a message, not even with --debug", async () => {
    const env = hostVariable("wrong", { ...plain, secretAccessKey: "verysecretvalue" });
    const { stdout, stderr } = await home.pail(["ls", "wrong", "--debug", "--json"], { env });
    expect(stdout + stderr).not.toContain("verysecretvalue");
    const list = await home.pail(["alias", "list"], { env });
    expect(list.stdout).toContain("wrong");
    expect(list.stdout).not.toContain("verysecretvalue");
  });

  test("on a machine whose clock is wrong and cannot be corrected", async () => {
    const store = createStore({ directory: plain.directory, now: () => Date.now() + 3_600_000 });
    const server = await listen(
      {
        ...store,
        // It gives the time of this machine, so the right time stays unknown.
        handler: async (request, options) => {
          const response = await store.handler(request, options);
          return {
            ...response,
            headers: { ...response.headers, date: new Date().toUTCString() },
          };
        },
      },
      { host: "127.0.0.1", port: 0 },
    );
    const env = hostVariable("late", { ...plain, endpoint: server.url });
    expect(await failing(4, ["ls", "late"], env)).toMatch(/clock is too far from/);
    await server.close();
  });

  test("on a machine whose clock is wrong work when the server tells the time", async () => {
    const now = () => Date.now() + 3_600_000;
    const late = await startStore({ now });
    const result = await home.pail(["mb", "late/fine"], { env: hostVariable("late", late) });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    await late.close();
  });
});

describe("the store's access keys", () => {
  test.each([
    [["ls", "local"]],
    [["cp", "1.txt", "local/demo"]],
    [["serve", "key", "list"]],
    [["serve", "key", "create"]],
    [["serve", "--address", "127.0.0.1:0"]],
  ])("that are corrupt are kept as they are: %j", async (args) => {
    mkdirSync(at("torn"), { recursive: true });
    writeFileSync(at("torn", "keys.json"), "{ torn");
    const said = await failing(2, args, { PAIL_STORE_DIR: at("torn") });
    expect(said).toContain(`${at("torn", "keys.json")}: cannot be used as the store's access keys`);
    expect(said).toMatch(/\nhint: correct it, or move it away/);
    expect(readFileSync(at("torn", "keys.json"), "utf8")).toBe("{ torn");
  });
});

describe("an endpoint", () => {
  const quick = { AWS_MAX_ATTEMPTS: "2" };
  const alias = (endpoint: string) => ({
    ...quick,
    ...hostVariable("there", { ...plain, endpoint }),
  });
  let server: Server | RunningServer | undefined;

  test("that is down", async () => {
    const closed = await listen(createStore({ directory: plain.directory }), {
      host: "127.0.0.1",
      port: 0,
    });
    await closed.close();
    expect(await failing(6, ["ls", "there"], alias(closed.url))).toMatch(/nothing listens there/);
    expect(await failing(6, ["cp", "1.txt", "there/b"], alias(closed.url))).toMatch(/listens/);
  });

  test("whose name is not known", async () => {
    const message = await failing(6, ["ls", "there"], alias("http://no-such-host.invalid"));
    expect(message).toMatch(/host name is not known|name server does not answer/);
  });

  test("that is not S3", async () => {
    server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<html>Welcome!</html>");
    });
    const url = await new Promise<string>((resolve) => {
      (server as Server).listen(0, "127.0.0.1", () =>
        resolve(`http://127.0.0.1:${((server as Server).address() as AddressInfo).port}`),
      );
    });
    expect(await failing(2, ["ls", "there"], alias(url))).toMatch(/is not an S3 endpoint/);
    expect(await failing(2, ["alias", "set", "there", url, "A", "S"])).toMatch(
      /not an S3 endpoint/,
    );
    expect(await failing(2, ["ls", "there/bucket"], alias(url))).toMatch(/is not an S3 endpoint/);
    server.close();
  });

  test("that speaks TLS when http was given, and the other way round", async () => {
    const http = secure.endpoint.replace("https:", "http:");
    expect(await failing(2, ["ls", "there"], alias(http))).toMatch(/speaks TLS, not plain HTTP/);
    const https = plain.endpoint.replace("http:", "https:");
    const said = await failing(6, ["ls", "there"], alias(https));
    expect(said).toMatch(/TLS could not be agreed on/);
    expect(said).not.toMatch(/http:/);
  });

  test("whose certificate is not trusted, until it is", async () => {
    const { accessKeyId, secretAccessKey, endpoint } = secure;
    const env = hostVariable("there", secure);
    expect(await failing(4, ["ls", "there"], env)).toMatch(/certificate/);
    await failing(4, ["alias", "set", "tls", endpoint, accessKeyId, secretAccessKey]);
    writeFileSync(at("ca.pem"), certificate.cert);
    const set = ["alias", "set", "tls", endpoint, accessKeyId, "--secret-key-stdin"];
    for (const trust of [["--ca-file", "ca.pem"], ["--insecure"]]) {
      const result = await home.pail([...set, ...trust], { stdin: `${secretAccessKey}\n` });
      expect(result, result.stderr).toMatchObject({ code: 0 });
      expect(await home.pail(["ls", "tls"])).toMatchObject({ code: 0 });
    }
    expect(statSync(at("config", "config.json")).mode & 0o777).toBe(0o600);
  });

  test("that closes the connection without an answer", async () => {
    const silent = createSilentServer((socket) => socket.destroy());
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, "127.0.0.1", () => resolve((silent.address() as AddressInfo).port));
    });
    await failing(6, ["ls", "there"], alias(`http://127.0.0.1:${port}`));
    silent.close();
  });
});

describe("a bucket", () => {
  test("that is missing", async () => {
    expect(await failing(3, ["ls", "local/missing"])).toMatch(/no such bucket/);
    expect(await failing(3, ["cp", "1.txt", "local/missing"])).toMatch(
      /no such bucket\nhint: pail mb local\/missing$/m,
    );
    expect(await failing(3, ["cat", "local/missing/k"])).toMatch(/no such bucket/);
    expect(await failing(3, ["rb", "local/missing"])).toMatch(
      /no such bucket\nhint: pail ls local$/m,
    );
    expect(await failing(3, ["rb", "--force", "local/missing"])).toMatch(
      /no such bucket\nhint: pail ls local$/m,
    );
    expect(await failing(3, ["rm", "-r", "--force", "local/missing/x"])).toMatch(/no such bucket/);
    expect(await failing(3, ["stat", "local/missing"])).toMatch(/no such bucket/);
  });

  test("that is not empty", async () => {
    expect(await failing(5, ["rb", "local/demo"])).toMatch(
      /not empty\nhint: pail rb --force local\/demo/,
    );
  });

  test("that exists already", async () => {
    expect(await failing(5, ["mb", "local/demo"])).toMatch(/already have this bucket/);
    expect(await home.pail(["mb", "-p", "local/demo"])).toMatchObject({ code: 0 });
  });

  test.each(["Upper", "ab", "under_score", "192.168.1.1", "-x", "a..b"])(
    "that is named %s",
    async (name) => {
      expect(await failing(2, ["mb", `local/${name}`])).toMatch(/3 to 63|InvalidBucketName/);
    },
  );
});

describe("a source", () => {
  test("that is missing", async () => {
    expect(await failing(3, ["cp", "none.txt", "local/demo"])).toMatch(/none\.txt: no such file/);
    expect(await failing(3, ["cp", "local/demo/none", "."])).toMatch(/local\/demo\/none/);
    expect(await failing(3, ["cp", "-r", "local/demo/none/", "."])).toMatch(/local\/demo\/none/);
    expect(await failing(3, ["cat", "local/demo/none"])).toMatch(/no such object/);
    expect(await failing(3, ["stat", "local/demo/none"])).toMatch(/no such object/);
  });

  test("that is missing among several is named, and the others are copied", async () => {
    const result = await home.pail(["cp", "1.txt", "none.txt", "local/demo/several/"]);
    expect(result.code).toBe(7);
    expect(result.stderr).toMatch(/none\.txt/);
    expect(await home.pail(["stat", "local/demo/several/1.txt"])).toMatchObject({ code: 0 });
  });

  test.skipIf(unbound)("that may not be read", async () => {
    writeFileSync(at("closed.txt"), "closed");
    chmodSync(at("closed.txt"), 0);
    chmodSync(at(), 0o755);
    const env = { ...hostVariable("there", plain), PAIL_CONFIG_DIR: at("nothing") };
    await home.pail(["mb", "there/open"], { env });
    const args = ["cp", "closed.txt", "there/open"];
    expect(await failing(4, args, env, bound)).toMatch(/closed\.txt: permission denied/);
  });

  test("that is a directory, without -r", async () => {
    mkdirSync(at("tree"), { recursive: true });
    expect(await failing(2, ["cp", "tree", "local/demo"])).toMatch(/is a directory\nhint: add -r/);
  });

  test("that is a named pipe does not hang", async () => {
    rmSync(at("pipe"), { force: true });
    execFileSync("mkfifo", [at("pipe")]);
    expect(await failing(2, ["cp", "pipe", "local/demo"])).toMatch(/a named pipe/);
  });
});

describe("a target", () => {
  test.skipIf(unbound)("that may not be written", async () => {
    mkdirSync(at("closed"), { mode: 0o555, recursive: true });
    chmodSync(at(), 0o755);
    const env = { ...hostVariable("there", plain), PAIL_CONFIG_DIR: at("nothing") };
    await home.pail(["mb", "-p", "there/open"], { env });
    await home.pail(["cp", "1.txt", "there/open"], { env });
    const args = ["cp", "there/open/1.txt", "closed/"];
    expect(await failing(4, args, env, bound)).toMatch(/closed\/1\.txt: permission denied/);
    expect(readdirSync(at("closed"))).toEqual([]);
  });

  test("whose directory is missing", async () => {
    expect(await failing(3, ["cp", "local/demo/1.txt", "no/such/1.txt"])).toMatch(
      /no\/such: no such directory\nhint: mkdir -p no\/such/,
    );
  });

  test("that is local for a local source", async () => {
    expect(await failing(2, ["cp", "1.txt", "2.txt"])).toMatch(/in a bucket/);
    expect(await failing(2, ["cp", "1.txt", "nowhere/bucket"])).toMatch(/no alias .*"nowhere"/);
  });

  test("that is a directory where a key needs a file: the rest is copied", async () => {
    mkdirSync(at("collide", "1.txt"), { recursive: true });
    expect(await failing(5, ["cp", "local/demo/1.txt", "collide/"])).toMatch(/collide\/1\.txt/);
    expect(readdirSync(at("collide"))).toEqual(["1.txt"]);
  });

  test("on a full disk leaves nothing behind", async (context) => {
    const unmount = mountSmallDisk(at("small"), 64);
    if (unmount === undefined) return context.skip(NO_SMALL_DISK);
    try {
      writeFileSync(at("large.bin"), Buffer.alloc(1_000_000, 7));
      await home.pail(["cp", "large.bin", "local/demo"]);
      expect(await failing(6, ["cp", "local/demo/large.bin", "small/"])).toMatch(/no space left/);
      expect(readdirSync(at("small"))).toEqual([]);
    } finally {
      unmount();
    }
  });

  test("a full stdout is an error, not a silence", async () => {
    const child = execFileSync(
      "sh",
      ["-c", `"$0" "$1" ls local/demo >/dev/full; echo $?`, RUNTIME, BIN],
      { env: home.env, stdio: ["ignore", "pipe", "pipe"] },
    );
    expect(child.toString().trim()).toBe("6");
  });
});
