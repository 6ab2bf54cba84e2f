/**
 * A page of another origin in headless Chromium on `pail serve`: presigned requests with CORS, an
 * upload by form, and what it may not do. Runs with PAIL_TEST_BROWSER=1, where Debian's
 * chromium-headless-shell or chromium is installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PutBucketCorsCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";

import { type Condition, signedForm } from "../support/form.js";
import { createHome } from "../support/run.js";
import { makeBucket, sdkFor, textOf } from "../support/sdk.js";
import { startServe } from "../support/serve.js";

const BROWSER =
  process.env["PAIL_TEST_BROWSER"] === "1"
    ? ["chromium-headless-shell", "chromium"].find(
        (program) => spawnSync(program, ["--version"]).status === 0,
      )
    : undefined;
const REASON =
  process.env["PAIL_TEST_BROWSER"] === "1"
    ? "no chromium-headless-shell and no chromium is installed"
    : "set PAIL_TEST_BROWSER=1 to run it";

/** The page: it takes the steps, and reports the result of each to its own server. */
const page = (given: object): string => `<!doctype html><meta charset="utf-8"><body><script>
const { put, get, secret, form, redirecting, bucket } = ${JSON.stringify(given)};
const tell = (path, what) => fetch(path, { method: "POST", body: JSON.stringify(what) });
const attempt = async (work) => { try { return await work(); } catch (error) { return error.name; } };
(async () => {
  const done = {};
  done.put = await attempt(async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await fetch(put, { method: "PUT", body: "from a page", headers });
    return [answer.status, answer.headers.get("etag") !== null];
  });
  done.get = await attempt(async () => (await fetch(get)).text());
  done.forbidden = await attempt(async () => (await fetch(get, { method: "DELETE" })).status);
  done.elsewhere = await attempt(async () => (await fetch(secret)).status);
  const sent = new FormData();
  for (const [name, value] of Object.entries(form)) sent.set(name, value);
  sent.set("file", new Blob(["by fetch"], { type: "text/plain" }), "fetched é.txt");
  done.form = await attempt(async () => (await fetch(bucket, { method: "POST", body: sent })).status);
  await tell("/told", done);
  const element = document.createElement("form");
  Object.assign(element, { method: "post", action: bucket, enctype: "multipart/form-data" });
  const fields = { ...redirecting, success_action_redirect: location.origin + "/uploaded" };
  for (const [name, value] of Object.entries(fields)) {
    element.append(Object.assign(document.createElement("input"), { name, value, type: "hidden" }));
  }
  const input = Object.assign(document.createElement("input"), { type: "file", name: "file" });
  const files = new DataTransfer();
  files.items.add(new File(["by form"], "chosen 漢字.txt"));
  input.files = files.files;
  element.append(input);
  document.body.append(element);
  element.submit();
})();
</script>`;

const KEY = "forms/${filename}";
const BELOW: Condition = ["starts-with", "$key", "forms/"];

test.skipIf(BROWSER === undefined)(
  `a page uploads by fetch and by form, and sees what CORS lets it (${BROWSER ?? REASON})`,
  async () => {
    const home = createHome();
    const profile = mkdtempSync(join(tmpdir(), "pail-browser-"));
    const serve = await startServe(home);
    const s3 = sdkFor({ ...serve, directory: home.directory, close: () => Promise.resolve() });
    const told: Record<string, unknown>[] = [];
    let uploaded!: (url: URL) => void;
    const redirected = new Promise<URL>((resolve) => (uploaded = resolve));
    const site = createServer((request, response) => {
      const url = new URL(request.url!, "http://site");
      if (request.method === "POST") {
        let body = "";
        request.on("data", (chunk: Buffer) => (body += chunk.toString()));
        request.on("end", () => told.push(JSON.parse(body) as Record<string, unknown>));
      }
      if (url.pathname === "/uploaded") uploaded(url);
      response.setHeader("content-type", "text/html");
      response.end(url.pathname === "/" ? page(given) : "");
    });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const url = async (key: string, ...more: string[]): Promise<string> => {
      const env = {
        PAIL_HOST_served: serve.endpoint.replace(
          "//",
          `//${serve.accessKeyId}:${serve.secretAccessKey}@`,
        ),
      };
      return (await home.pail(["presign", ...more, `served/${key}`], { env })).stdout.trim();
    };
    await makeBucket(s3, "app");
    await makeBucket(s3, "closed", { secret: "x" });
    const rule = { AllowedOrigins: [origin], AllowedMethods: ["GET", "PUT", "POST"] };
    const CORSRules = [{ ...rule, AllowedHeaders: ["content-type"], ExposeHeaders: ["ETag"] }];
    await s3.send(new PutBucketCorsCommand({ Bucket: "app", CORSConfiguration: { CORSRules } }));
    const given = {
      put: await url("app/fetched", "--upload"),
      get: await url("app/fetched"),
      secret: await url("closed/secret"),
      bucket: `${serve.endpoint}/app`,
      form: { key: KEY, ...signedForm(serve, [BELOW]) },
      redirecting: {
        key: KEY,
        ...signedForm(serve, [BELOW, ["starts-with", "$success_action_redirect", origin]]),
      },
    };
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
    const browser = spawn(BROWSER!, [...flags, "--remote-debugging-port=0", `${origin}/`], {
      stdio: "ignore",
    });
    const closed = once(browser, "exit");
    try {
      const { searchParams } = await redirected;
      expect(told).toEqual([
        {
          put: [200, true],
          get: "from a page",
          forbidden: "TypeError",
          elsewhere: "TypeError",
          form: 204,
        },
      ]);
      expect(searchParams.get("key")).toBe("forms/chosen 漢字.txt");
      expect(await textOf(s3, "app", "fetched")).toBe("from a page");
      expect(await textOf(s3, "app", "forms/fetched é.txt")).toBe("by fetch");
      expect(await textOf(s3, "app", "forms/chosen 漢字.txt")).toBe("by form");
    } finally {
      browser.kill("SIGKILL");
      await closed;
      s3.destroy();
      site.close();
      await serve.stop();
      home.remove();
      rmSync(profile, { recursive: true, force: true });
    }
  },
);
