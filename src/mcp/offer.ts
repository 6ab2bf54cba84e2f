/** A tool as clients are told of it, and as its arguments are read. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";

import type { InputSchema } from "./arguments.js";
import type { Tool } from "./tool.js";

/** The parameter whose default the person sets who starts the server. */
const READING = "max_content_size";

/** A tool with its schemas made. */
export interface Offered {
  readonly tool: Tool;
  readonly schema: z.ZodType<Record<string, unknown>>;
  readonly input: InputSchema;
  readonly listing: ListedTool;
}

/** Makes the schemas of a tool for the aliases that are served and a reading's `--read-limit`. */
export function offer(tool: Tool, aliases: readonly string[], readLimit: number): Offered {
  const schema = inputSchema(tool, aliases);
  const { $schema: _dialect, ...input } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
  });
  const { name, description, access, meta, unlisted = [] } = tool;
  const { annotations = access === "read" ? { readOnlyHint: true } : undefined } = tool;
  const properties = Object.entries(input["properties"] ?? {});
  const shown = Object.fromEntries(
    properties
      .filter(([each]) => !unlisted.includes(each))
      .map(([each, of]) => [
        each,
        terse({ ...(of as object), ...(each === READING && { default: readLimit }) }),
      ]),
  );
  const listing: ListedTool = {
    name,
    description,
    inputSchema: terse({ ...input, properties: shown, type: "object" }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
  return { tool, schema, input: input as InputSchema, listing };
}

/**
 * A schema without the details that a model need not be told, since they are understood or
 * answered: bounds, strictness, aliases.
 */
function terse({
  additionalProperties: _a,
  minimum: _b,
  maximum: _c,
  minItems: _d,
  maxItems: _e,
  pattern: _f,
  ...schema
}: {
  readonly [name: string]: unknown;
}) {
  return schema as ListedTool["inputSchema"];
}

/** Strict, so that a misspelt `dry_run` is refused and not ignored. */
function inputSchema(tool: Tool, aliases: readonly string[]) {
  if (aliases.length < 2) return z.strictObject(tool.schema);
  const known = z
    .string()
    .refine((name) => aliases.includes(name), `is none of ${aliases.join(", ")}`);
  const alias = known.optional();
  const names = tool.aliasParameters ?? ["alias"];
  return z.strictObject({
    ...tool.schema,
    ...Object.fromEntries(names.map((name) => [name, alias])),
  });
}
