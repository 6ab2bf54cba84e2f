import { describe, expect, it } from "vitest";
import { z } from "zod";

import { type InputSchema, parseArguments, understood } from "../../../src/mcp/arguments.js";

const schema: InputSchema = {
  required: ["key"],
  properties: {
    key: { type: "string" },
    prefix: { type: "string" },
    max: { type: "integer", minimum: 1, maximum: 1000 },
    flag: { type: "boolean" },
    keys: { type: "array" },
  },
};

describe("an argument that a model sent", () => {
  it.each([
    [{ prefix: null, max: "", flag: null }, {}],
    [{ key: "" }, { key: "" }],
    [{ key: null }, { key: null }],
    [{ max: "5" }, { max: 5 }],
    [{ max: 5000 }, { max: 1000 }],
    [{ max: "-3" }, { max: 1 }],
    [{ max: "many" }, { max: "many" }],
    [{ flag: "true" }, { flag: true }],
    [{ flag: "maybe" }, { flag: "maybe" }],
    [{ prefix: true }, { prefix: "true" }],
    [{ keys: "a" }, { keys: ["a"] }],
    [{ keys: '["a","b"]' }, { keys: ["a", "b"] }],
    [{ keys: "[a" }, { keys: ["[a"] }],
    [{ unknown: null }, { unknown: null }],
  ])("%j is understood as %j", (sent, as) => {
    expect(understood(sent, schema)).toEqual(as);
  });

  it("stays as it is where it only looks like a parameter", () => {
    const sent = JSON.parse('{"__proto__": null, "constructor": null, "toString": ""}') as object;
    const read = understood({ ...sent }, schema);
    expect(Object.keys(read).sort()).toEqual(["__proto__", "constructor", "toString"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("is refused with the parameter's name and an advice", () => {
    const shape = z.strictObject({ key: z.string(), max: z.number().optional() });
    const parse = (args: Record<string, unknown>) => () =>
      parseArguments(shape, ["key", "max"], args);
    expect(parse({})).toThrow("key is missing");
    expect(parse({ key: 1 })).toThrow(/^key: /);
    expect(parse({ key: "k", mx: 1 })).toThrow("there is no parameter mx");
    expect(parse({ key: "k", max: 1 })()).toEqual({ key: "k", max: 1 });
  });
});
