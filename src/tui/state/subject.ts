/** The subject of a command: the chosen rows of a bucket page, or the object of a details page. */
import { formatCount } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import type { ObjectEntry } from "../../core/storage/storage.js";
import type { DetailsPage } from "../pages/details/state.js";
import { chosen, chosenCount } from "../pages/objects/choice.js";
import { under } from "../pages/objects/listing.js";
import { currentPage } from "../pages/page.js";
import { placeOf } from "./stack.js";
import { targetOf } from "./targets.js";
import type { ObjectRef, PrefixRef, State, Targets } from "./types.js";

export interface Subject {
  /** The bucket, and the prefix that names are relative to. */
  readonly place: PrefixRef;
  readonly targets: Targets;
}

/** The subject of the page on screen, if it has one. */
export function subjectOf(state: State): Subject | undefined {
  const page = currentPage(state);
  if (page.type === "objects") {
    return { place: placeOf(page), targets: chosen(page) };
  }
  if (page.type !== "details" && page.type !== "preview") return undefined;
  const { alias, bucket, key } = page;
  const version = page.type === "details" ? versionUnder(page) : undefined;
  const versionId = version?.versionId ?? page.versionId;
  const size = version?.size ?? (page.type === "details" ? page.info.value?.size : page.size);
  const prefix = key.slice(0, key.lastIndexOf("/") + 1);
  return {
    place: { alias, bucket, prefix: prefix === key ? "" : prefix },
    targets: [{ type: "object", key, versionId, size }],
  };
}

/** How many things a command is about. */
export function subjectSize(state: State): number {
  const page = currentPage(state);
  return page.type === "objects" ? chosenCount(page) : (subjectOf(state)?.targets.length ?? 0);
}

/** The single object a command is about: the row under the cursor, whatever is marked. */
export function objectUnder(state: State): ObjectRef | undefined {
  const page = currentPage(state);
  if (page.type === "details" || page.type === "preview") {
    const { alias, bucket, key } = page;
    const version = page.type === "details" ? versionUnder(page) : undefined;
    return { alias, bucket, key, versionId: version?.versionId ?? page.versionId };
  }
  if (page.type !== "objects") return undefined;
  const entry = under(page);
  if (entry?.type !== "object") return undefined;
  const { versionId } = targetOf(entry);
  return { alias: page.alias, bucket: page.bucket, key: entry.key, versionId };
}

/** The version under the cursor of the versions tab. */
export function versionUnder(page: DetailsPage): ObjectEntry | undefined {
  return page.tab === "versions" ? page.versions.value?.[page.cursor] : undefined;
}

/** `beach.jpg`, or `3 items`. */
export function describe({ place, targets }: Subject): string {
  const [first] = targets;
  return targets.length === 1
    ? visible(first!.key.slice(place.prefix.length))
    : formatCount(targets.length, "item");
}

/** Why nothing can be done to what is chosen. */
export function needsSubject(state: State): string | undefined {
  return subjectSize(state) === 0 ? "nothing is selected" : undefined;
}

/** Why nothing can be done that needs one object. */
export function needsObject(state: State): string | undefined {
  const page = currentPage(state);
  if (page.type === "objects" && under(page)?.type === "prefix") {
    return "this is a prefix, not an object";
  }
  return objectUnder(state) === undefined ? "nothing is selected" : undefined;
}
