/** Makes splits: from all names, where they are few or in a list, and else from a sample of pages. */
import { resolve } from "node:path";

import { notFoundError } from "../failures/errors.js";
import { rangesBetween } from "../key-range.js";
import { nameOf } from "../ref.js";
import { listSide, refAt, type Side } from "../sync/sides.js";
import type { Split } from "./file.js";
import { cutWeighted, gatherNames } from "./quantiles.js";
import { sampleKeys } from "./sample.js";

export interface SplitRequest {
  /** A directory, or a bucket from a prefix on that is empty or ends with `/`. */
  readonly place: Side;
  /** How many ranges. */
  readonly into: number;
  /** The keys of the bucket, or the names below the directory, in place of a listing. */
  readonly listed?: AsyncIterable<string> | undefined;
  readonly signal: AbortSignal;
}

/** Keys that are listed before it seems better to take a sample. */
const LISTED = 1_000_000;
/** Pages of a sample: so many, or so many for each range. */
const PAGES = { least: 1_000, each: 16 };

/** Cuts the names below a place into ranges. Throws NoSuchKey where there are none. */
export async function split(request: SplitRequest): Promise<Split> {
  const { place, into, listed, signal } = request;
  const names = gatherNames();
  let whole = true;
  if (listed !== undefined) {
    const prefix = place.type === "path" ? "" : place.key;
    for await (const key of listed) {
      if (key.length > prefix.length && key.startsWith(prefix)) names.add(key.slice(prefix.length));
    }
  } else {
    const pages = listSide(place, {
      filter: undefined,
      withoutMarkers: false,
      mayBeMissing: false,
      onProblem: () => undefined,
      signal,
    });
    for await (const page of pages) {
      for (const entry of page) names.add(entry.name);
      whole = place.type === "path" || names.count <= LISTED;
      if (!whole) break;
    }
  }
  const name = nameOf(refAt(place, { name: "" }));
  if (names.count === 0) {
    throw notFoundError("NoSuchKey", `there is nothing to split below ${name}`);
  }
  const cuts = whole ? names.cut(into) : { ...(await sampled(request)), counted: false };
  const { boundaries, weights, counted } = cuts;
  return {
    pail: "split",
    version: 1,
    place: place.type === "path" ? resolve(place.path) : name,
    made: new Date().toISOString(),
    counted,
    ranges: rangesBetween(boundaries).map((range, index) => ({
      ...range,
      objects: weights[index]!,
    })),
  };
}

async function sampled({ place, into, signal }: SplitRequest) {
  if (place.type === "path") throw new Error("a directory is listed whole");
  const stretches = await sampleKeys(
    place.storage,
    place.key,
    Math.max(PAGES.least, PAGES.each * into),
    signal,
  );
  const below = (end: string) => end.slice(place.key.length);
  return cutWeighted(
    stretches.map(({ end, weight }) => ({ end: end && below(end), weight })),
    into,
  );
}
