/** Records as mc's `--json` has them, where scripts read them. */
import type { AppError } from "../core/failures/errors.js";
import { createOutput, type Output } from "./output.js";

type Value = Readonly<Record<string, unknown>>;

/** The output of a command that is called as mc's; `base` is what `ls` shows names below. */
export function mcOutput(output: Output, base: string, onMissing: () => void): Output {
  const streams = { stdout: process.stdout, stderr: process.stderr };
  const plain = createOutput({ ...output, ...streams });
  const say = (value: object) => {
    const { type, reason } = value as { type?: string; reason?: string };
    if (type === "skipped" && reason === "missing") onMissing();
    if (type !== "summary") plain.result(toMc(value as Value, base));
  };
  const failure = (error: AppError) => {
    const cause = { message: error.message, error: { Code: error.code, Message: error.message } };
    plain.result({ status: "error", error: { message: error.message, cause, type: "fatal" } });
  };
  return {
    ...plain,
    result: (value, human) => {
      if (output.json) say(value);
      else plain.result(value, human);
    },
    page: async (items, human, json) => {
      if (!output.json) return await plain.page(items, human, json);
      for (const item of items) say(json(item));
      await plain.flush();
    },
    note: (text) => {
      if (text.startsWith("there is no ")) onMissing();
      plain.note(text);
    },
    error: (error) => (output.json ? failure(error) : plain.error(error)),
    itemError: (about, error) => (output.json ? failure(error) : plain.itemError(about, error)),
  };
}

function toMc(value: Value, base: string): object {
  const {
    type,
    location = "",
    key = "",
  } = value as { type?: string; location?: string; key?: string };
  const status = { status: "success" };
  switch (type) {
    case "object":
    case "version": {
      const own = key.startsWith(base) ? key.slice(base.length) : key;
      // A listing names what is below it, everything else the whole location.
      const metadata = Object.entries((value["metadata"] ?? {}) as Record<string, string>);
      const named = metadata.map(([name, text]) => [`X-Amz-Meta-${capital(name)}`, text]);
      return {
        ...status,
        ...value,
        type: "file",
        key: base === WHOLE ? location : own,
        metadata: Object.fromEntries(named),
      };
    }
    case "prefix":
      return { ...status, type: "folder", key: key.slice(base.length) };
    case "bucket":
      return {
        ...status,
        type: "folder",
        key: `${String(value["name"])}/`,
        lastModified: value["created"],
      };
    case "bucket-made":
    case "bucket-exists":
      return { ...status, bucket: location, region: "" };
    case "removed":
      return { ...status, key: value["target"] };
    case "presigned":
      return { ...status, url: location, share: value["url"] };
    case "shared-upload": {
      const fields = Object.entries(value["fields"] as Record<string, string>);
      const form = fields.map(([name, text]) => `-F ${name}=${text}`).join(" ");
      return {
        ...status,
        url: location,
        share: `curl ${String(value["url"])} ${form} -F file=@<FILE>`,
      };
    }
    case "usage":
      return { ...status, prefix: location, size: value["bytes"], objects: value["objects"] };
    default:
      return { ...status, ...value };
  }
}

/** For `find`, whose names are whole locations. */
export const WHOLE = "\0";

function capital(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (letters) => letters.toUpperCase());
}
