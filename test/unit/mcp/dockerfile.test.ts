/** Checks of the image that need no engine to build it. */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import McpServe from "../../../src/commands/mcp/serve.js";
import Serve from "../../../src/commands/serve/index.js";

const steps = readFileSync("Dockerfile", "utf8")
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "" && !line.startsWith("#"));
const context = readFileSync(".dockerignore", "utf8").split("\n");

describe("the Dockerfile", () => {
  it("copies only existing files, and all of them reach the build", () => {
    const sources = steps
      .filter((step) => step.startsWith("COPY ") && !step.includes("--from="))
      .flatMap((step) => step.split(/\s+/).slice(1, -1));
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      expect(existsSync(source), source).toBe(true);
      expect(context).toContain(`!${source.replace("./", "")}`);
    }
    expect(context[0]).toBe("*");
  });

  it("takes all the package's files from the first stage", () => {
    const taken = steps
      .filter((step) => step.startsWith("COPY --from=build "))
      .flatMap((step) => [...step.matchAll(/\/app\/(\S+)/g)].map(([, name]) => name));
    expect(taken).toEqual(
      expect.arrayContaining(["package.json", "oclif.manifest.json", "bin", "dist"]),
    );
  });

  it("runs pail by its command, as a user other than root", () => {
    // A number: from a name, Kubernetes cannot tell that the user is not root.
    expect(steps.filter((step) => step.startsWith("USER "))).toEqual([
      expect.stringMatching(/^USER [1-9]\d*$/),
    ]);
    expect(steps).toContain('ENTRYPOINT ["pail"]');
  });

  it("is started with options that exist", () => {
    const text = readFileSync("Dockerfile", "utf8");
    const lines = [...text.matchAll(/ pail (mcp serve|serve) (--.*)$/gm)];
    expect(new Set(lines.map(([, command]) => command))).toEqual(new Set(["mcp serve", "serve"]));
    for (const [, command, words] of lines) {
      const flags = Object.keys((command === "serve" ? Serve : McpServe).flags);
      for (const [, flag] of words!.matchAll(/--([a-z-]+)/g)) expect(flags).toContain(flag);
    }
  });
});
