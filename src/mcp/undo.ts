/** Undoing what agents did, for the person: what `pail mcp undo` calls. */
import { join } from "node:path";

import type { Context } from "../context.js";
import { ENVIRONMENT_ALIAS } from "../core/config/seed.js";
import { usageError } from "../core/failures/errors.js";
import { markUndone, readJournals } from "../core/journal/file.js";
import type { Recorded } from "../core/journal/types.js";
import { type Undone, undoChanges } from "../core/journal/undo.js";
import { type Connected, connectServices } from "./services.js";

/** The changes of one call. */
export interface Group {
  /** The name that undo_changes and `pail mcp undo` take. */
  readonly name: string;
  readonly changes: readonly Recorded[];
}

/** Changes by the call that made them, oldest first. */
export function groupsOf(changes: readonly Recorded[]): Group[] {
  const groups = new Map<string, Recorded[]>();
  for (const change of changes) {
    groups.set(change.call, [...(groups.get(change.call) ?? []), change]);
  }
  return [...groups].map(([name, of]) => ({ name, changes: of }));
}

/** The place that a change was about, as a person would type it. */
export function changeName({ alias, bucket, key, kind }: Recorded): string {
  if (kind === "file") return key;
  return `${alias}/${bucket}${key === "" ? "" : `/${key}`}`;
}

function journals({ directories }: Context): string {
  return join(directories.state, "mcp");
}

/** Everything agents have changed and the journals still know, oldest first. */
export function allChanges(context: Context): Promise<Recorded[]> {
  return readJournals(journals(context));
}

/**
 * Undoes changes, the newest first, each at the endpoint it was made at. A thing that has been
 * changed since stays as it is.
 */
export async function undoAll(
  context: Context,
  changes: readonly Recorded[],
  all: readonly Recorded[],
  signal: AbortSignal,
): Promise<Undone[]> {
  const known = new Map<string, Promise<Connected>>();
  const servicesOf = async ({ alias, endpoint }: Recorded): Promise<Connected> => {
    const made =
      known.get(alias) ?? connectServices(context, alias === ENVIRONMENT_ALIAS ? [] : [alias], {});
    known.set(alias, made);
    const services = await made;
    if (services.aliases.includes(alias) && services.endpoint(alias) === endpoint) return services;
    throw usageError(
      "OtherEndpoint",
      `it was made at ${endpoint}, and ${alias} does not lead there now`,
      alias === ENVIRONMENT_ALIAS
        ? "set the variables that the server was started with, then undo again"
        : `pail alias set ${alias} ${endpoint}`,
    );
  };
  return undoChanges(changes, {
    places: {
      bucket: async (change) => (await servicesOf(change)).bucket(change.alias, change.bucket),
      service: async (change) => (await servicesOf(change)).buckets(change.alias),
    },
    all,
    signal,
    onUndone: (change, after) => markUndone(journals(context), change, after),
  });
}
