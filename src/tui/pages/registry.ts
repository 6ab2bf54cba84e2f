/** Every page there is. A new one is a folder, a line here and one in loaders.ts. */
import { JOB_REPLIES } from "../state/job-results.js";
import { bucket } from "./bucket/index.js";
import { buckets } from "./buckets/index.js";
import { CHANGE_REPLIES } from "./change.js";
import { details } from "./details/index.js";
import { du } from "./du/index.js";
import { EVERYWHERE, EVERYWHERE_REPLIES } from "./everywhere.js";
import { help } from "./help/index.js";
import { job } from "./job/index.js";
import { log } from "./log/index.js";
import { objects } from "./objects/index.js";
import { register } from "./page.js";
import { picker } from "./picker/index.js";
import { preview } from "./preview/index.js";
import { signIn } from "./sign-in/index.js";
import { sync } from "./sync/index.js";
import { transfers } from "./transfers/index.js";

/** In the order of the help and of the documentation. */
export const PAGES = [
  signIn,
  buckets,
  bucket,
  picker,
  transfers,
  job,
  objects,
  details,
  du,
  sync,
  preview,
  log,
  help,
];

/** Makes all pages known; doing it again changes nothing. */
export function registerPages(): void {
  register(PAGES, EVERYWHERE, [CHANGE_REPLIES, EVERYWHERE_REPLIES, JOB_REPLIES]);
}
