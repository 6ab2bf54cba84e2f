/** Every kind of page, as data. */
import type { BucketAction, BucketEffect, BucketPage } from "./bucket/state.js";
import type { BucketsAction, BucketsEffect, BucketsPage } from "./buckets/state.js";
import type { DetailsAction, DetailsEffect, DetailsPage } from "./details/state.js";
import type { DuAction, DuEffect, DuPage } from "./du/state.js";
import type { HelpPage } from "./help/state.js";
import type { JobPage } from "./job/state.js";
import type { LogPage } from "./log/state.js";
import type { ObjectsAction, ObjectsEffect, ObjectsPage } from "./objects/state.js";
import type { PickerAction, PickerEffect, PickerPage } from "./picker/state.js";
import type { PreviewAction, PreviewEffect, PreviewPage } from "./preview/state.js";
import type { SignInAction, SignInEffect, SignInPage } from "./sign-in/state.js";
import type { TransfersPage } from "./transfers/state.js";

export type Page =
  | SignInPage
  | BucketsPage
  | ObjectsPage
  | PickerPage
  | TransfersPage
  | JobPage
  | BucketPage
  | DuPage
  | LogPage
  | DetailsPage
  | PreviewPage
  | HelpPage;

/** What pages ask the core for. */
export type PageEffect =
  | SignInEffect
  | BucketsEffect
  | ObjectsEffect
  | PickerEffect
  | BucketEffect
  | DuEffect
  | DetailsEffect
  | PreviewEffect;

/** What the core answers. */
export type PageAction =
  | SignInAction
  | BucketsAction
  | ObjectsAction
  | PickerAction
  | BucketAction
  | DuAction
  | DetailsAction
  | PreviewAction;
