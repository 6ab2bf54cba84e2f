import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHome, finish, firstRecord, type Home } from "../support/run.js";
import { openTerminal } from "../support/terminal.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
let env: NodeJS.ProcessEnv;
const api = (...args: string[]) => home.pail(["api", ...args], { env });

beforeAll(async () => {
  home = createHome({ here: true });
  store = await startStore();
  env = hostVariable("there", store);
  await home.pail(["mb", "there/demo"], { env });
});
afterAll(async () => {
  await store.close();
  home.remove();
});

describe("api", () => {
  test("sends any method, query, header and body, and prints the answer as it came", async () => {
    writeFileSync(join(home.directory, "body.json"), '{"a":1}');
    const put = await api("PUT", "there/demo/k", "-d", "@body.json", "-H", "content-type=text/x");
    expect(put, put.stderr).toMatchObject({ code: 0, stdout: "" });
    const get = await api("get", "there/demo/k", "-i");
    expect(get.stdout).toMatch(/^HTTP 200\n[^]*\ncontent-type: text\/x\n[^]*\n\n\{"a":1\}$/);
    const list = await api("GET", "there/demo", "-Q", "list-type=2", "-Q", "prefix=k");
    expect(list.stdout).toMatch(/<Key>k<\/Key>/);
    expect((await api("GET", "there")).stdout).toMatch(/<ListAllMyBucketsResult/);
  });

  test("escapes a body's control characters on a terminal, and only there", async () => {
    const body = "one\n\u001b]0;own\u0007two é";
    await api("PUT", "there/demo/esc", "-d", body);
    expect((await api("GET", "there/demo/esc")).stdout).toBe(body);
    const terminal = openTerminal({ home, args: ["api", "GET", "there/demo/esc"], env });
    await terminal.exit();
    expect(terminal.output()).toContain("one\r\n\\x1b]0;own\\x07two é");
  });

  test.each([
    ["GET", "there/demo/none", 3, 404],
    ["HEAD", "there/none", 3, 404],
    ["PUT", "there/demo", 5, 409],
    ["DELETE", "there/demo", 5, 409],
  ])("%s %s exits by status", async (method, target, code, status) => {
    const result = await api(method, target);
    expect(result.code).toBe(code);
    expect(result.stderr).toBe(`the service answered ${status}\n`);
  });

  test("--json gives status, headers and body in one line", async () => {
    const { stdout } = await api("GET", "there/demo/k", "--json");
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    expect(answer).toMatchObject({ type: "response", status: 200, body: '{"a":1}' });
  });

  test("--dry-run sends nothing, and its curl command sends the very request", async () => {
    await home.pail(["rm", "there/demo/by curl"], { env });
    const { stdout } = await api("PUT", "there/demo/by curl", "--dry-run", "-d", "it's curl");
    expect(stdout).toMatch(/^PUT http:\/\/127\.0\.0\.1:\d+\/demo\/by%20curl\n/);
    expect(stdout).toMatch(/^authorization: AWS4-HMAC-SHA256 Credential=/m);
    expect(stdout).not.toContain(store.secretAccessKey);
    expect(await home.pail(["stat", "there/demo/by curl"], { env })).toMatchObject({ code: 3 });

    const curl = stdout.slice(stdout.indexOf("curl "));
    const sent = await finish(spawn("sh", ["-c", curl.replace("curl ", "curl -sSf ")]));
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    expect((await home.pail(["cat", "there/demo/by curl"], { env })).stdout).toBe("it's curl");
  });

  test("--dry-run names a session token without showing it", async () => {
    const token = "verysecrettoken";
    const host = store.endpoint.replace("://", `://A:S:${token}@`);
    const { stdout } = await home.pail(["api", "GET", "t/b", "--dry-run"], {
      env: { PAIL_HOST_t: host },
    });
    expect(stdout).toContain("x-amz-security-token: $AWS_SESSION_TOKEN");
    expect(stdout).not.toContain(token);
  });
});

describe("presign", () => {
  test("gives URLs that read and write without the secret", async () => {
    const upload = await home.pail(["presign", "--upload", "there/demo/shared"], { env });
    const written = await fetch(upload.stdout.trim(), { method: "PUT", body: "from anybody" });
    expect(written.status).toBe(200);
    const read = await home.pail(["presign", "there/demo/shared"], { env });
    expect(await (await fetch(read.stdout.trim())).text()).toBe("from anybody");
    expect(read.stdout + upload.stdout).not.toContain(store.secretAccessKey);
  });

  test("of the embedded store points at where it is served", async () => {
    const child = home.start(["serve", "--address", "127.0.0.1:0", "--json"]);
    const { endpoint } = await firstRecord<{ endpoint: string }>(child);
    const { host } = new URL(endpoint);
    await home.pail(["mb", "local/served"]);
    await home.pail(["api", "PUT", "local/served/k", "--data", "served"]);
    const { stdout } = await home.pail(["presign", "--address", host, "local/served/k"]);
    expect(await (await fetch(stdout.trim())).text()).toBe("served");
    child.kill("SIGTERM");
    expect(await finish(child)).toMatchObject({ code: 0 });
  });
});

describe("a dialect of an invented vendor", () => {
  const dialect = "ACME4,acme,oss,acme4_request";

  test("works end to end with a server of the same dialect, and with no other", async () => {
    const child = home.start(["serve", "--address", "127.0.0.1:0", "--json", "--dialect", dialect]);
    const { endpoint } = await firstRecord<{ endpoint: string }>(child);
    const created = await home.pail(["serve", "key", "create", "--json"]);
    const key = JSON.parse(created.stdout) as { accessKeyId: string; secretAccessKey: string };
    const set = (...flags: string[]) =>
      home.pail(
        ["alias", "set", "acme", endpoint, key.accessKeyId, "--secret-key-stdin", ...flags],
        {
          stdin: key.secretAccessKey,
        },
      );
    expect(await set()).not.toMatchObject({ code: 0 });
    const right = await set("--dialect", dialect);
    expect(right, right.stderr).toMatchObject({ code: 0 });

    writeFileSync(join(home.directory, "acme.txt"), "spelled otherwise");
    for (const args of [
      ["mb", "--with-versioning", "acme/vendor"],
      ["cp", "--metadata", "a=b", "acme.txt", "acme/vendor"],
      ["cp", "acme/vendor/acme.txt", "acme/vendor/copy.txt"],
      ["ls", "-r", "acme/vendor"],
      ["rm", "acme/vendor/acme.txt"],
    ]) {
      const result = await home.pail(args);
      expect(result, args.join(" ") + result.stderr).toMatchObject({ code: 0 });
    }
    expect((await home.pail(["cat", "acme/vendor/copy.txt"])).stdout).toBe("spelled otherwise");
    const shown = await home.pail(["api", "GET", "acme/vendor", "--dry-run"]);
    expect(shown.stdout).toMatch(/^authorization: ACME4-HMAC-SHA256 .*\/oss\/acme4_request,/m);
    expect(shown.stdout).toMatch(/^x-acme-date: \d{8}T\d{6}Z$/m);
    expect(shown.stdout).not.toMatch(/x-amz/);
    expect(await home.pail(["rb", "--force", "acme/vendor"])).toMatchObject({ code: 0 });
    child.kill("SIGTERM");
    expect(await finish(child)).toMatchObject({ code: 0 });
  });
});
