/** The buckets of an alias. */
import type { BucketEntry } from "../../../core/storage/s3-types.js";
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
  readonly buckets: readonly BucketEntry[];
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

/** Opens the buckets of an alias. */
export function openBuckets(state: State, alias: string): Update {
  const id = state.nextId;
  const page: BucketsPage = { type: "buckets", id, alias, load: LOADING, buckets: [], ...START };
  return also(push(state, page, { type: "list-buckets", page: id, alias }), (next) =>
    remember(next, { place: alias }),
  );
}
