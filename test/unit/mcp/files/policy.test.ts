import fc from "fast-check";
import { join, normalize, sep } from "node:path";
import { describe, expect, it } from "vitest";

import {
  type FilePolicy,
  isWithin,
  judge,
  sensitivePaths,
} from "../../../../src/mcp/files/policy.js";

const HOME = "/home/user";
const OWN = "/home/user/.config/pail";
const open: FilePolicy = {
  allowed: [],
  usual: ["/tmp", "/home/user/project"],
  sensitive: sensitivePaths(HOME, [OWN]),
  ignoreCase: false,
};
const confined: FilePolicy = { ...open, allowed: ["/srv/data"] };

describe("judge, without --allow-dir", () => {
  it.each([
    "/home/user/project/report.txt",
    "/home/user/project/certs/server.pem",
    "/home/user/project/.env",
    "/tmp/x/y",
  ])("allows %s, where the work is", (path) => {
    expect(judge(path, open)).toEqual({ type: "allowed" });
  });

  it.each([
    "/home/user/Documents/a.txt",
    "/srv/data/a",
    "/home/user/projects2/a",
    "/home/grace/a.txt",
  ])("allows %s, but finds it worth a word", (path) => {
    expect(judge(path, open)).toEqual({ type: "unusual" });
  });

  it.each([
    "/home/user/.ssh/id_ed25519",
    "/home/user/.ssh",
    "/home/user/.aws/credentials",
    "/home/user/.config/pail/config.json",
    "/home/user/.bashrc",
    "/home/user/.config/autostart/x.desktop",
    "/home/user/.config/systemd/user/x.service",
    "/home/user/.claude.json",
    "/home/user/Library/LaunchAgents/x.plist",
    "/proc/self/environ",
    "/etc/passwd",
    "/dev/sda",
    "/run/secrets/token",
    "/home/user/Documents/server.pem",
    "/home/user/Documents/ID_RSA",
    "/home/user/other/.env.production",
    "/home/user/other/.git/hooks/pre-commit",
    "/home/grace/.ssh/config",
    "/srv/app/credentials.json",
    "/root/.zshrc",
  ])("refuses %s", (path) => {
    expect(judge(path, open)).toMatchObject({ type: "refused" });
  });

  it("refuses our own configuration even in the temporary directory", () => {
    const policy = { ...open, sensitive: ["/tmp/home/config"] };
    expect(judge("/tmp/home/config/config.json", policy)).toMatchObject({ type: "refused" });
    expect(judge("/tmp/home/other", policy)).toEqual({ type: "allowed" });
  });

  it("allows a sensitive directory that the work is in", () => {
    const policy = { ...open, usual: ["/etc/nginx"] };
    expect(judge("/etc/nginx/nginx.conf", policy)).toEqual({ type: "allowed" });
    expect(judge("/etc/passwd", policy)).toMatchObject({ type: "refused" });
  });
});

describe("judge, with --allow-dir", () => {
  it("allows what is in the directory and refuses all else", () => {
    expect(judge("/srv/data", confined)).toEqual({ type: "allowed" });
    expect(judge("/srv/data/a/id_rsa", confined)).toEqual({ type: "allowed" });
    for (const path of ["/srv/database/a", "/srv", "/tmp/a", "/home/user/project/a", "/"]) {
      expect(judge(path, confined)).toMatchObject({
        type: "refused",
        reason: expect.stringContaining("--allow-dir"),
      });
    }
  });

  it("refuses what is sensitive below it, unless that was named itself", () => {
    const home = { ...open, allowed: [HOME] };
    expect(judge("/home/user/notes.txt", home)).toEqual({ type: "allowed" });
    expect(judge("/home/user/.ssh/config", home)).toMatchObject({ type: "refused" });
    const named = { ...open, allowed: [HOME, "/home/user/.ssh"] };
    expect(judge("/home/user/.ssh/config", named)).toEqual({ type: "allowed" });
  });

  it("compares without case where the file system does", () => {
    const policy = { ...confined, ignoreCase: true };
    expect(judge("/SRV/Data/a", policy)).toEqual({ type: "allowed" });
    expect(judge("/srv/data/a", { ...policy, sensitive: ["/SRV/DATA"] })).toEqual({
      type: "allowed",
    });
  });
});

describe("isWithin", () => {
  it("agrees with comparing segments", () => {
    const segments = fc.array(fc.constantFrom("a", "b", "..a", "a..", "...", " "), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(segments, segments, (directory, path) => {
        const isBelow = directory.every((name, at) => path[at] === name);
        expect(isWithin(sep + join(...directory, ""), sep + join(...path, ""))).toBe(isBelow);
      }),
    );
  });

  it("never finds a path with dots inside after they are resolved away", () => {
    expect(isWithin("/srv/data", normalize("/srv/data/../x"))).toBe(false);
    expect(isWithin("/srv/data", "/srv/data-evil/x")).toBe(false);
  });
});
