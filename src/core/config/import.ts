/** Aliases out of other tools' configuration: mc's, the AWS tools' and rclone's. */
import { homedir } from "node:os";
import { join } from "node:path";

import { AppError } from "../failures/errors.js";
import { ALIAS_NAME, isEndpoint } from "./shape.js";
import type { AliasConfig } from "./types.js";

export const IMPORT_SOURCES = ["mc", "aws", "rclone"] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

/** The outcome of one entry of a file: an alias, or the reason why there is none. */
export type Imported =
  | { readonly name: string; readonly alias: AliasConfig }
  | { readonly name: string; readonly reason: string };

const AMAZON = "https://s3.amazonaws.com";

/** Where the tool keeps its aliases. */
export function importFile(from: ImportSource, env: NodeJS.ProcessEnv): string {
  const home = env["HOME"] || homedir();
  if (from === "mc") return join(env["MC_CONFIG_DIR"] || join(home, ".mc"), "config.json");
  if (from === "aws") {
    return env["AWS_SHARED_CREDENTIALS_FILE"] || join(home, ".aws", "credentials");
  }
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  return env["RCLONE_CONFIG"] || join(config, "rclone", "rclone.conf");
}

/**
 * The aliases in the text of a configuration file. Throws a usage error for a file that is not of
 * that kind.
 */
export function importAliases(source: ImportSource, text: string): Imported[] {
  const read = { mc: fromMc, aws: fromAws, rclone: fromRclone }[source];
  return read(text).map((entry) => {
    if ("reason" in entry) return entry;
    const { name, alias } = entry;
    if (!ALIAS_NAME.test(name)) return { name, reason: "a name has letters, digits, - and _" };
    if (!isEndpoint(alias.url)) return { name, reason: `${alias.url} is not an endpoint` };
    return entry;
  });
}

function fromMc(text: string): Imported[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw unreadable("it is not JSON", cause);
  }
  // Older files call them hosts.
  const { aliases, hosts } = (file ?? {}) as Record<"aliases" | "hosts", unknown>;
  const entries = aliases ?? hosts;
  if (typeof entries !== "object" || entries === null) throw unreadable("it names no aliases");
  return Object.entries(entries as Record<string, unknown>).map(([name, entry]) => {
    const { url, accessKey, secretKey, sessionToken, path } = (entry ?? {}) as Record<
      string,
      unknown
    >;
    if (typeof url !== "string") return { name, reason: "it has no URL" };
    const pathStyle = path === "on" || path === "off" ? path : undefined;
    return { name, alias: known({ url, ...keys(accessKey, secretKey, sessionToken), pathStyle }) };
  });
}

/** The keys, where both are there; an alias without any is anonymous. */
function keys(
  accessKey: unknown,
  secretKey: unknown,
  sessionToken?: unknown,
): Partial<AliasConfig> {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  if (text(accessKey) === undefined && text(secretKey) === undefined) {
    return { credentials: "anonymous" };
  }
  return {
    accessKey: text(accessKey),
    secretKey: text(secretKey),
    sessionToken: text(sessionToken),
  };
}

/** Each profile becomes an alias of its name, which takes its credentials from the profile. */
function fromAws(text: string): Imported[] {
  return sections(text)
    .filter(({ name }) => !/^(?:sso-session|services)\s/.test(name))
    .map(({ name, values }) => {
      const profile = name.replace(/^profile\s+/, "");
      const url = values["endpoint_url"] ?? AMAZON;
      const alias = known({ url, credentials: "chain", profile, region: values["region"] });
      return { name: profile, alias };
    });
}

function fromRclone(text: string): Imported[] {
  if (/^RCLONE_ENCRYPT/m.test(text)) {
    throw unreadable("it is encrypted", undefined, "rclone config show > FILE writes it in clear");
  }
  return sections(text).map(({ name, values }) => {
    if (values["type"] !== "s3")
      return { name, reason: `its type is ${values["type"] ?? "missing"}` };
    const { endpoint, region, access_key_id: accessKey, secret_access_key: secretKey } = values;
    const url = endpoint === undefined ? AMAZON : withScheme(endpoint);
    const chain = values["env_auth"] === "true" && accessKey === undefined;
    const pathStyle = STYLES.get(values["force_path_style"] ?? "");
    const found = chain
      ? { credentials: "chain", profile: values["profile"] }
      : keys(accessKey, secretKey, values["session_token"]);
    return { name, alias: known({ url, region, ...found, pathStyle } as AliasConfig) };
  });
}

const STYLES = new Map([
  ["true", "on"],
  ["false", "off"],
]);

function withScheme(endpoint: string): string {
  return /^https?:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`;
}

/** The fields that have a value. */
function known(alias: AliasConfig): AliasConfig {
  return Object.fromEntries(
    Object.entries(alias).filter(([, value]) => value !== undefined && value !== ""),
  ) as unknown as AliasConfig;
}

interface Section {
  readonly name: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/**
 * The sections of an INI file. An indented line belongs to the one above it, and is of no use here.
 */
function sections(text: string): Section[] {
  const found: { name: string; values: Record<string, string> }[] = [];
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const title = /^\[\s*(.+?)\s*\]\s*(?:[#;].*)?$/.exec(line)?.[1];
    const value = /^([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (title !== undefined) found.push({ name: title, values: {} });
    else if (value !== null) {
      const last = found.at(-1);
      if (last === undefined) throw unreadable("it sets values outside of any section");
      last.values[value[1]!.toLowerCase()] = value[2]!;
    } else if (!/^(?:\s.*|[#;].*)?$/.test(line)) {
      throw unreadable(`"${line.slice(0, 20)}" is no line of such a file`);
    }
  }
  return found;
}

function unreadable(why: string, cause?: unknown, hint?: string): AppError {
  return new AppError({
    kind: "usage",
    code: "InvalidInput",
    message: `the file cannot be imported: ${why}`,
    hint,
    cause,
  });
}
