/** What can be said of the image without an engine to build it. */
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import McpServe from "../../../src/commands/mcp/serve.js";

const steps = readFileSync("Dockerfile", "utf8")
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "" && !line.startsWith("#"));
const context = readFileSync(".dockerignore", "utf8").split("\n");

describe("the Dockerfile", () => {
  it("copies what is there, and is sent all of it", () => {
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

  it("takes from the first stage what the package runs from", () => {
    const taken = steps.flatMap((step) => /^COPY --from=build \/app\/(\S+)/.exec(step)?.[1] ?? []);
    expect(taken).toEqual(expect.arrayContaining(["package.json", "bin", "dist"]));
  });

  it("serves as another user than root, with options that the command has", () => {
    expect(steps).toContain("USER node");
    // The last stage is what an image is made of unless another is named.
    const entry = steps.findLast((step) => step.startsWith("ENTRYPOINT "))!;
    const [node, file, ...args] = JSON.parse(entry.slice("ENTRYPOINT ".length)) as string[];
    expect([node, file, ...args.slice(0, 2)]).toEqual(["node", "/app/bin/run.js", "mcp", "serve"]);
    for (const flag of args.filter((arg) => arg.startsWith("--"))) {
      expect(Object.keys(McpServe.flags)).toContain(flag.slice(2));
    }
  });
});
