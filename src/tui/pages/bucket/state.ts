/** A bucket itself: whether it keeps versions, its tags and settings, its unfinished uploads. */
import type { UploadEntry } from "../../../core/storage/s3-types.js";
import type { Update } from "../../state/actions.js";
import { LOADING, START, push } from "../../state/stack.js";
import type { Scroll, Fetched, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    bucket: BucketPage;
  }
  interface PageEffects {
    bucket: BucketEffect;
  }
  interface PageActions {
    bucket: BucketAction;
  }
}

type Tags = Readonly<Record<string, string>>;

export interface BucketPage extends Scroll {
  readonly type: "bucket";
  readonly id: number;
  readonly alias: string;
  readonly bucket: string;
  readonly versioning: Fetched<"Enabled" | "Suspended" | "never">;
  readonly tags: Fetched<Tags>;
  readonly uploads: Fetched<readonly UploadEntry[]>;
  /** Settings, as lines to read; none when the bucket has none. */
  readonly ilm: Fetched<readonly string[]>;
  readonly cors: Fetched<readonly string[]>;
  readonly policy: Fetched<readonly string[]>;
}

interface At {
  readonly page: number;
  readonly alias: string;
  readonly bucket: string;
}

export type BucketEffect =
  | ({ readonly type: "load-bucket" } & At)
  | ({ readonly type: "set-versioning"; readonly on: boolean } & At)
  | ({ readonly type: "save-bucket-tags"; readonly dialog: number; readonly tags: Tags } & At)
  | ({
      readonly type: "abort-upload";
      readonly key: string;
      readonly uploadId: string;
    } & At);

export type BucketPart = "versioning" | "tags" | "uploads" | "ilm" | "cors" | "policy";

export type BucketAction =
  | {
      readonly type: "bucket-part";
      readonly page: number;
      readonly part: Partial<Pick<BucketPage, BucketPart>>;
    }
  | { readonly type: "bucket-tags-saved"; readonly dialog: number; readonly page: number };

/** A line of the page: what it says, and what can be done there. */
export interface BucketRow {
  readonly label: string;
  readonly value: string;
  readonly part: BucketPart;
  readonly upload?: UploadEntry | undefined;
}

/** Opens the page of a bucket. */
export function openBucket(state: State, alias: string, bucket: string): Update {
  const id = state.nextId;
  const parts = {
    versioning: { load: LOADING },
    tags: { load: LOADING },
    uploads: { load: LOADING },
    ilm: { load: LOADING },
    cors: { load: LOADING },
    policy: { load: LOADING },
  };
  const page: BucketPage = { type: "bucket", id, alias, bucket, ...parts, ...START };
  return push(state, page, { type: "load-bucket", page: id, alias, bucket });
}
