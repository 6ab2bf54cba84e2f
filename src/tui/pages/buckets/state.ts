/** The buckets of an alias. */
import type { BucketEntry } from "../../../core/storage/s3-types.js";
import { place } from "../../layout.js";
import { passing } from "../../list/match.js";
import { type Update, also } from "../../state/actions.js";
import { LOADING, START, push, remember } from "../../state/stack.js";
import type { Scroll, Load, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    buckets: BucketsPage;
  }
  interface PageEffects {
    buckets: BucketsEffect;
  }
  interface PageActions {
    buckets: BucketsAction;
  }
}

export interface BucketsPage extends Scroll {
  readonly type: "buckets";
  readonly id: number;
  readonly alias: string;
  readonly load: Load;
  /** All of them, and those that fit the filter. */
  readonly all: readonly BucketEntry[];
  readonly buckets: readonly BucketEntry[];
  readonly filter: string;
  /** The name that the cursor goes to once it is listed. */
  readonly wanted?: string | undefined;
}

export type BucketsEffect =
  | { readonly type: "list-buckets"; readonly page: number; readonly alias: string }
  | {
      readonly type: "make-bucket";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
      readonly versioning: boolean;
    }
  | {
      readonly type: "remove-bucket";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
    };

export type BucketsAction =
  | { readonly type: "buckets"; readonly page: number; readonly buckets: readonly BucketEntry[] }
  | {
      readonly type: "bucket-made" | "bucket-removed";
      readonly dialog: number;
      readonly alias: string;
      readonly bucket: string;
    };

/** The page with the buckets that its filter leaves, and the cursor on the wanted or the same one. */
export function shown(page: BucketsPage, height: number): BucketsPage {
  const passes = passing(page.filter);
  const buckets = page.all.filter(({ name }) => passes(name));
  const wanted = page.wanted ?? page.buckets[page.cursor]?.name;
  const at = buckets.findIndex(({ name }) => name === wanted);
  return { ...page, buckets, ...place(page, at < 0 ? page.cursor : at, buckets.length, height) };
}

/** Opens the buckets of an alias. */
export function openBuckets(state: State, alias: string): Update {
  const id = state.nextId;
  const page: BucketsPage = {
    type: "buckets",
    id,
    alias,
    load: LOADING,
    all: [],
    buckets: [],
    filter: "",
    ...START,
  };
  return also(push(state, page, { type: "list-buckets", page: id, alias }), (next) =>
    remember(next, { place: alias }),
  );
}
