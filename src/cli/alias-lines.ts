/** Aliases as they are shown: without their secrets. */
import type { ResolvedAlias } from "../core/config/types.js";

/** One line an alias: name, endpoint, access key id, where it comes from. */
export function aliasLines(aliases: readonly ResolvedAlias[]): string[] {
  const rows = aliases.map((alias) => [alias.name, place(alias), identity(alias), alias.origin]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** An alias for `--json`. */
export function aliasRecord(alias: ResolvedAlias): object {
  const { name, region, pathStyle, dialect, credentials, accessKey, profile, origin } = alias;
  return {
    type: "alias",
    name,
    ...(alias.origin === "built-in" ? {} : { url: alias.url.href }),
    region,
    pathStyle,
    dialect,
    credentials,
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(alias.secretKey === undefined ? {} : { secretKey: MASK }),
    ...(profile === undefined ? {} : { profile }),
    ...(alias.insecure ? { insecure: true } : {}),
    origin,
  };
}

const MASK = "********";

function place(alias: ResolvedAlias): string {
  return alias.origin === "built-in" ? "(embedded store)" : alias.url.href.replace(/\/$/, "");
}

function identity(alias: ResolvedAlias): string {
  if (alias.origin === "built-in") return "-";
  if (alias.credentials === "anonymous") return "anonymous";
  if (alias.credentials === "chain") return `profile ${alias.profile ?? "default"}`;
  return `${alias.accessKey ?? "-"}:${alias.secretKey === undefined ? "-" : MASK}`;
}
