/** Signing in, and looking after buckets. */
import { DIALECT_PRESETS } from "../../protocol/dialect.js";
import { visible } from "../../text/sanitize.js";
import { confirmBucket } from "../state/confirm.js";
import { field, openForm } from "../state/form.js";
import { openDialog, pageOf } from "../state/pages.js";
import type { State } from "../state/types.js";
import { onPage } from "./on-page.js";
import type { Command } from "./types.js";

const SIGN_IN = [
  field("name", "Alias", "", { note: "a short name of yours" }),
  field("url", "Endpoint", "https://"),
  field("credentials", "Credentials", "keys", {
    kind: "choice",
    choices: ["keys", "chain", "anonymous"],
    note: "chain: environment, profile, role",
  }),
  field("accessKey", "Access key"),
  field("secretKey", "Secret key", "", { kind: "secret" }),
  field("sessionToken", "Session token", "", { kind: "secret", note: "only if temporary" }),
  field("region", "Region", "", { note: "default us-east-1" }),
  field("pathStyle", "Path style", "auto", { kind: "choice", choices: ["auto", "on", "off"] }),
  field("dialect", "Dialect", "aws", { kind: "choice", choices: Object.keys(DIALECT_PRESETS) }),
];

export const PLACES: readonly Command[] = [
  {
    id: "new-alias",
    title: "Sign in to another endpoint",
    short: "new alias",
    bar: "New alias",
    scopes: ["sign-in"],
    run: (state) =>
      openForm(state, {
        title: "Sign in",
        purpose: { type: "alias" },
        fields: SIGN_IN,
        buttons: ["Save", "Test"],
      }),
  },
  {
    id: "remove-alias",
    title: "Forget the alias",
    short: "forget",
    scopes: ["sign-in"],
    disabled: (state) => {
      const alias = aliasUnder(state);
      if (alias === undefined) return "nothing is selected";
      return /config/.test(alias.origin) ? undefined : `it comes from ${alias.origin}`;
    },
    run: (state) => {
      const name = aliasUnder(state)?.name;
      if (name === undefined) return [state, []];
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: `Forget the alias ${visible(name)}?`,
        lines: ["Its endpoint and its keys are taken out of the config file.", "Buckets stay."],
        accept: "Forget",
        danger: true,
        focus: "cancel",
        purpose: { type: "remove-alias", name },
      }));
    },
  },
  {
    id: "new-bucket",
    title: "New bucket",
    short: "new bucket",
    bar: "New bucket",
    scopes: ["buckets"],
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
    scopes: ["buckets"],
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
    scopes: ["buckets"],
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

function aliasUnder(state: State) {
  const page = pageOf(state, "sign-in");
  return page?.aliases[page.cursor];
}
