import fc from "fast-check";
import { join, normalize, sep } from "node:path";
import { describe, expect, it } from "vitest";

import { type FilePolicy, isWithin, judge } from "../../../../src/mcp/files/policy.js";

const policy: FilePolicy = {
  roots: ["/home/user/project"],
  own: ["/home/user/.config/pail", "/home/user/project/own"],
  system: ["/etc", "/proc", "/usr"],
  allowSensitive: false,
  allowOverwrite: false,
  ignoreCase: false,
};
const allowed = { type: "allowed" };
const ask = expect.objectContaining({ type: "ask" });
const refused = expect.objectContaining({ type: "refused" });

describe("judge", () => {
  it.each([
    "report.txt",
    "data/2024/tokens-per-day.csv",
    "docs/password-reset.html",
    "docs/secrets-management.md",
    "environment/notes.txt",
    "keyboard.png",
    ".gitignore",
    ".github/CODEOWNERS",
    "history.md",
    "src/main.ts",
  ])("lets %s be read in a root", (name) => {
    expect(judge(`/home/user/project/${name}`, "read", policy)).toEqual(allowed);
  });

  it.each(["/home/user/Documents/a.txt", "/srv/data/a", "/home/user/project2/a", "/tmp/x"])(
    "asks before %s, which is outside, is read",
    (path) => {
      expect(judge(path, "read", policy)).toEqual(ask);
      expect(judge(path, "write", policy)).toEqual(ask);
    },
  );

  it.each([
    ".env",
    "prod.env",
    "config/.env.production",
    "certs/server.pem",
    "backup/ID_RSA.bak",
    "terraform.tfstate",
    "Service-Account-prod.json",
    "kubeconfig",
    ".git/config",
    ".config/gcloud/x.json",
    "Library/Keychains/login.db",
    "wallet.dat",
    "credentials.csv",
    "db_passwords.txt",
    ".bash_history",
    "own/x",
  ])("refuses to read %s, wherever it is", (name) => {
    for (const directory of ["/home/user/project", "/srv"]) {
      if (name.startsWith("own") && directory === "/srv") continue;
      expect(judge(`${directory}/${name}`, "read", policy)).toEqual(refused);
    }
  });

  it.each(["/etc/hosts", "/proc/self/environ", "/usr/local/bin/x", "/home/user/.config/pail/c"])(
    "refuses %s, which belongs to the system or to pail",
    (path) => {
      expect(judge(path, "read", policy)).toEqual(refused);
      expect(judge(path, "write", policy)).toEqual(refused);
    },
  );

  it.each([
    "tests/test_x.py",
    "x_test.go",
    "src/a.spec.ts",
    "requirements-dev.txt",
    "yarn.lock",
    "g\u200cit/x",
    ".g\u200cit/config",
    "GIT~1/config",
    ".git./config",
    "\uff0egit/config",
    "a.docm",
  ])("refuses to write %j, which tools run or trust", (name) => {
    expect(judge(`/home/user/project/${name}`, "write", policy)).toEqual(refused);
    expect(judge(`/srv/${name}`, "write", policy)).toEqual(refused);
  });

  it("asks before a new program, and lets data be written", () => {
    expect(judge("/home/user/project/random.py", "write", policy)).toEqual(ask);
    expect(judge("/home/user/project/out/report.csv", "write", policy)).toEqual(allowed);
  });

  it("with --allow-sensitive allows any name, but nothing outside the roots or of pail's own", () => {
    const open = { ...policy, allowSensitive: true };
    expect(judge("/home/user/project/.env", "read", open)).toEqual(allowed);
    expect(judge("/home/user/project/Makefile", "write", open)).toEqual(allowed);
    expect(judge("/etc/hosts", "read", open)).toEqual(ask);
    expect(judge("/home/user/.config/pail/config.json", "read", open)).toEqual(refused);
  });

  it("accepts any name in a root's own path, since a person chose it", () => {
    const chosen = { ...policy, roots: ["/etc/nginx", "/home/user/.config/app"] };
    expect(judge("/etc/nginx/nginx.conf", "read", chosen)).toEqual(allowed);
    expect(judge("/etc/passwd", "read", chosen)).toEqual(refused);
    expect(judge("/home/user/.config/app/notes.txt", "write", chosen)).toEqual(allowed);
  });

  it("compares without case where the file system does", () => {
    const folded = { ...policy, ignoreCase: true };
    expect(judge("/HOME/User/Project/a", "read", folded)).toEqual(allowed);
    expect(judge("/home/user/project/OWN/a", "read", folded)).toEqual(refused);
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

  it("is false for a path that leads outside once its dots are resolved", () => {
    expect(isWithin("/srv/data", normalize("/srv/data/../x"))).toBe(false);
    expect(isWithin("/srv/data", "/srv/data-evil/x")).toBe(false);
  });
});
