import { describe, expect, it } from "vitest";

import { proxyAuthorization, proxyFor } from "../../../../src/core/http/proxy.js";

const find = (origin: string, env: Record<string, string>) => proxyFor(new URL(origin), env)?.href;

describe("the proxy for an origin", () => {
  it("is the one for its scheme, the lower-case variable first", () => {
    const env = { HTTP_PROXY: "http://p1", HTTPS_PROXY: "http://p2", https_proxy: "http://p3" };
    expect(find("http://h", env)).toBe("http://p1/");
    expect(find("https://h", env)).toBe("http://p3/");
    expect(find("https://h", { ALL_PROXY: "https://p4:1" })).toBe("https://p4:1/");
    expect(find("https://h", { HTTPS_PROXY: "" })).toBeUndefined();
  });

  it("may be written without a scheme", () => {
    expect(find("http://h", { HTTP_PROXY: "p:3128" })).toBe("http://p:3128/");
  });

  it.each([
    ["http://example.com", "example.com", true],
    ["http://a.example.com", "example.com", true],
    ["http://a.example.com", ".example.com", true],
    ["http://a.example.com", "*.example.com", true],
    ["http://badexample.com", "example.com", false],
    ["http://h:9000", "h:9000", true],
    ["http://h:9000", "h:9001", false],
    ["https://h", "h:443", true],
    ["http://h", "other, h", true],
    ["http://h", "other h", true],
    ["http://h", "*", true],
    ["http://[::1]:9000", "::1", true],
    ["http://[::1]:9000", "[::1]:9000", true],
    ["http://127.0.0.1", "127.0.0.1", true],
    ["http://10.1.2.3:9000", "10.0.0.0/8", true],
    ["http://11.1.2.3", "10.0.0.0/8", false],
    ["http://[fd00::1]", "fd00::/8", true],
    ["http://10.1.2.3", "10.0.0.0/33", false],
    ["http://h", "10.0.0.0/8", false],
    ["http://h", "", false],
    ["http://h", ",", false],
  ])("of %s with NO_PROXY=%s is not used: %s", (origin, list, passed) => {
    expect(find(origin, { HTTP_PROXY: "http://p", HTTPS_PROXY: "http://p", NO_PROXY: list })).toBe(
      passed ? undefined : "http://p/",
    );
  });

  it.each(["socks5://p:hunter2@h", "http://p:hunter2@", "http://a b"])(
    "that is no HTTP proxy (%s) is refused, and not shown",
    (value) => {
      let message = "";
      try {
        find("http://h", { http_proxy: value });
      } catch (error) {
        expect(error).toMatchObject({ kind: "usage", code: "BadProxy" });
        message = (error as Error).message;
      }
      expect(message).toBe(
        value.startsWith("socks")
          ? "http_proxy names a SOCKS proxy, and pail speaks only to HTTP proxies"
          : "http_proxy is not the URL of an HTTP proxy",
      );
    },
  );

  it("takes the credentials of its URL, decoded", () => {
    expect(proxyAuthorization(new URL("http://u:p%40s@p"))).toBe(
      `Basic ${Buffer.from("u:p@s").toString("base64")}`,
    );
    expect(proxyAuthorization(new URL("http://p"))).toBeUndefined();
  });
});
