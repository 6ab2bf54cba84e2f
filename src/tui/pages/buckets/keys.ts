/** Looking after buckets. */
import { confirmBucket } from "../../dialogs/confirm.js";
import { field, openForm } from "../../dialogs/form.js";
import { onPage, pageOf } from "../../state/stack.js";
import { openBucket } from "../bucket/state.js";
import type { Command } from "../page.js";

export const BUCKETS: readonly Command[] = [
  {
    id: "bucket-page",
    title: "The bucket itself: versions, tags, settings, unfinished uploads",
    short: "bucket",
    disabled: (state) => {
      const page = pageOf(state, "buckets");
      return page?.buckets[page.cursor] === undefined ? "nothing is selected" : undefined;
    },
    run: onPage("buckets", (state, page) => {
      const bucket = page.buckets[page.cursor];
      return bucket === undefined ? [state, []] : openBucket(state, page.alias, bucket.name);
    }),
  },
  {
    id: "new-bucket",
    title: "New bucket",
    short: "new bucket",
    writes: true,
    run: onPage("buckets", (state, { alias }) =>
      openForm(state, {
        title: "New bucket",
        purpose: { type: "bucket", alias },
        fields: [
          field("name", "Name", "", { note: "3 to 63 lower-case letters, digits, - and ." }),
          field("versioning", "Versioning", "off", { kind: "choice", choices: ["off", "on"] }),
        ],
        buttons: ["Create"],
      }),
    ),
  },
  {
    id: "open-bucket",
    title: "Open a bucket by its name",
    short: "by name",
    bar: "Open by name",
    run: onPage("buckets", (state, { alias }) =>
      openForm(state, {
        title: "Open a bucket",
        intro: "For a bucket that these credentials may use but not list.",
        purpose: { type: "open-bucket", alias },
        fields: [field("name", "Name")],
        buttons: ["Open"],
      }),
    ),
  },
  {
    id: "remove-bucket",
    title: "Remove the bucket",
    short: "remove",
    bar: "Remove",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "buckets");
      return page?.buckets[page.cursor] === undefined ? "nothing is selected" : undefined;
    },
    run: onPage("buckets", (state, page) => {
      const bucket = page.buckets[page.cursor];
      return bucket === undefined ? [state, []] : confirmBucket(state, page.alias, bucket.name);
    }),
  },
];
