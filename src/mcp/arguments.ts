/**
 * The reading of arguments as models send them: nulls and blanks for omitted values, numbers
 * written as text.
 */
import { z } from "zod";

import { AppError, invalidArgument } from "../core/failures/errors.js";
import { closest } from "../core/suggest.js";

/** The part of a JSON schema that says what a parameter is. */
export interface ParameterSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface InputSchema {
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
}

/**
 * Arguments as a schema takes them: an optional value that is null or blank is left out, numbers
 * and booleans may be written as text, and a number out of range becomes the nearest one in it. A
 * value that is not understood stays as it is, for the schema to refuse.
 */
export function understood(
  args: Readonly<Record<string, unknown>>,
  { properties = {}, required = [] }: InputSchema,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) return [[name, value]];
      const blank = value === null || value === "";
      if (blank && !required.includes(name)) return [];
      return [[name, read(value, schema)]];
    }),
  );
}

function read(value: unknown, { type, minimum, maximum }: ParameterSchema): unknown {
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (type === "string" && typeof value === "boolean") return String(value);
  if (type === "array" && typeof value === "string") return listed(value);
  if (type !== "integer" && type !== "number") return value;
  const isNumber = typeof value === "string" && /^-?\d{1,15}(?:\.\d+)?$/.test(value);
  const number = isNumber ? Number(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return value;
  return Math.min(Math.max(number, minimum ?? number), maximum ?? number);
}

/** A list that was written as JSON, or one thing in place of a list of one. */
function listed(text: string): unknown {
  if (!text.startsWith("[")) return [text];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [text];
  } catch {
    return [text]; // A key may begin with a bracket.
  }
}

/** Reads arguments by a schema. Throws InvalidArgument, naming the parameter. */
export function parseArguments<Output>(
  schema: z.ZodType<Output>,
  names: readonly string[],
  args: Readonly<Record<string, unknown>>,
): Output {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.code === "unrecognized_keys") throw unknown(issue.keys[0]!, names);
  const path = issue.path.map(String).join(".");
  const missing = issue.code === "invalid_type" && !Object.hasOwn(args, String(issue.path[0]));
  throw invalidArgument(
    missing ? `${path} is missing` : `${path}: ${issue.message}`,
    `correct ${path || "the arguments"}; the parameters are ${names.join(", ")}`,
  );
}

function unknown(name: string, names: readonly string[]): AppError {
  const near = closest(name, names);
  return invalidArgument(
    `there is no parameter ${name}`,
    near === undefined ? `the parameters are ${names.join(", ")}` : `did you mean ${near}?`,
  );
}
