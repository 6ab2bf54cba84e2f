/** The plain client of the store's benchmark: signed requests on kept connections. */
import { createHash, createHmac } from "node:crypto";
import { Agent, request } from "node:http";

import { KEY, SECRET } from "./clients.mjs";

export const agent = new Agent({ keepAlive: true });

/** One signed request (Signature V4); the body of its answer. Throws for a refusal. */
export async function send({ port }, method, path, body = Buffer.alloc(0), query = "") {
  const host = `127.0.0.1:${port}`;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const hash = hex(body);
  const signed = "host;x-amz-content-sha256;x-amz-date";
  const head = `host:${host}\nx-amz-content-sha256:${hash}\nx-amz-date:${time}\n`;
  const canonical = [method, path, query, head, signed, hash].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, hex(canonical)].join("\n");
  const signature = hmac(signingKey(scope), text).toString("hex");
  const headers = {
    host,
    "x-amz-content-sha256": hash,
    "x-amz-date": time,
    "content-length": body.length,
    authorization: `AWS4-HMAC-SHA256 Credential=${KEY}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
  const target = query === "" ? path : `${path}?${query}`;
  return await new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, method, path: target, headers });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        const content = Buffer.concat(chunks).toString("latin1");
        if (answer.statusCode < 300) resolve(content);
        else
          reject(new Error(`${method} ${target}: ${answer.statusCode} ${content.slice(0, 300)}`));
      });
    });
    sent.end(body);
  });
}

function hex(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key, text) {
  return createHmac("sha256", key).update(text).digest();
}

function signingKey(scope) {
  return scope.split("/").reduce((key, part) => hmac(key, part), `AWS4${SECRET}`);
}

/** Some servers listen before they serve. */
export async function until(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
