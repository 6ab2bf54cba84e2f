import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRedactor } from "../../../src/mcp/redact.js";

const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY=KEY";

describe("createRedactor", () => {
  const redact = createRedactor([SECRET, undefined, "short"]);

  it("removes a known secret wherever it is, percent-encoded too", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(redact(before + SECRET + after)).not.toContain(SECRET);
        const encoded = encodeURIComponent(SECRET);
        expect(redact(`${before}&${encoded}&${after}`)).not.toContain(encoded);
      }),
    );
  });

  it("removes the longer of two secrets whole when one begins with the other", () => {
    const both = createRedactor(["abcdef", "abcdefghij"]);
    expect(both("x abcdefghij y")).toBe("x [redacted] y");
  });

  it("leaves short values alone, since they occur in ordinary words", () => {
    expect(redact("a short message")).toBe("a short message");
  });

  it.each([
    ["https://h/b/k?X-Amz-Signature=0123abcd&X-Amz-Expires=9", "0123abcd"],
    ["https://h/b/k?X-Amz-Credential=AKIAEXAMPLE%2F2026&x=1", "AKIAEXAMPLE"],
    ["https://h/b/k?X-Amz-Security-Token=FwoGZXIv", "FwoGZXIv"],
    ["https://h/b/k?x-goog-signature=0123abcd", "0123abcd"],
    ["https://h/b/k?AWSAccessKeyId=AKIAEXAMPLE&Signature=vjbyPxybd%3D&Expires=1", "vjbyPxybd"],
    ["redirect=https%3A%2F%2Fh%2Fk%3FX-Amz-Signature%3D0123abcd", "0123abcd"],
    ["Authorization: AWS4-HMAC-SHA256 Credential=AK/x, Signature=0123abcd", "0123abcd"],
    ["authorization: Bearer abcdefghijkl", "abcdefghijkl"],
    ["sent Bearer abcdefghijkl2 to it", "abcdefghijkl2"],
    ["sent Basic dXNlcjpwYXNz to it", "dXNlcjpwYXNz"],
    ["amqp://user:pass@host/x", "pass"],
    ["http://user:pa%40ss@host:9000/b", "pa%40ss"],
    ["proxy http://token-only@host refused", "token-only"],
    ['{"secretAccessKey": "hunter2hunter2"}', "hunter2hunter2"],
    ["session_token=FwoGZXIv", "FwoGZXIv"],
  ])("removes the secret from %s", (text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain("[redacted]");
  });

  it("keeps the text around a secret", () => {
    expect(redact("GET https://h/b/k?X-Amz-Signature=ab&X-Amz-Expires=9 failed")).toBe(
      "GET https://h/b/k?X-Amz-Signature=[redacted]&X-Amz-Expires=9 failed",
    );
    expect(redact("http://u:p@host:9000/b")).toBe("http://[redacted]@host:9000/b");
  });

  it("leaves ordinary messages as they are", () => {
    for (const message of [
      "NoSuchKey: photos/cat@2x.jpg is not there; see s3://photos/a:b@c",
      "NoSuchKey: Basic introduction.pdf and Bearer instruments.txt",
      "s3://work@b/x is not served",
      "export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…",
    ]) {
      expect(redact(message)).toBe(message);
    }
  });
});
