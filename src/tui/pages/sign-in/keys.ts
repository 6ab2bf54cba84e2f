/** Signing in, and forgetting an alias. */
import type { AliasConfig } from "../../../core/config/types.js";
import { DIALECT_PRESETS } from "../../../protocol/dialect.js";
import { visible } from "../../../text/sanitize.js";
import { field, openForm, refuse, valuesOf, wait } from "../../dialogs/form.js";
import type { Update } from "../../state/actions.js";
import { openDialog, pageOf } from "../../state/stack.js";
import type { FormDialog, State } from "../../state/types.js";
import type { Command } from "../page.js";
import type { AliasRow, NewAlias } from "./state.js";

const FIELDS = [
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

export const SIGN_IN: readonly Command[] = [
  {
    id: "new-alias",
    title: "Sign in to another endpoint",
    short: "new alias",
    bar: "New alias",
    run: (state) =>
      openForm(state, {
        title: "Sign in",
        purpose: { type: "alias" },
        fields: FIELDS,
        buttons: ["Save", "Test"],
      }),
  },
  {
    id: "remove-alias",
    title: "Forget the alias",
    short: "forget",
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
];

function aliasUnder(state: State): AliasRow | undefined {
  const page = pageOf(state, "sign-in");
  return page?.aliases[page.cursor];
}

/** Tries or saves what the form describes. */
export function saveForm(state: State, form: FormDialog, _: unknown, button: string): Update {
  const alias = aliasOf(valuesOf(form));
  if (typeof alias === "string") return refuse(state, form, alias);
  return wait(state, form, {
    type: button === "Test" ? "test-alias" : "save-alias",
    dialog: form.id,
    alias,
  });
}

/** The alias a form describes, or what is wrong with it. */
function aliasOf(values: Record<string, string>): NewAlias | string {
  const { name = "", url = "", credentials, accessKey, secretKey } = values;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) {
    return "an alias is letters, digits, - and _";
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!/^https?:$/.test(parsed?.protocol ?? "") || parsed?.host === "") {
    return "an endpoint is a URL such as https://s3.example.com";
  }
  if (parsed?.username || parsed?.password) return "keys do not belong into the address";
  const keys = credentials === "keys";
  if (keys && (!accessKey || !secretKey)) return "both keys are needed";
  const config: AliasConfig = {
    url,
    credentials: keys ? "static" : (credentials as "chain" | "anonymous"),
    ...(keys ? { accessKey, secretKey, sessionToken: values["sessionToken"] || undefined } : {}),
    region: values["region"] || undefined,
    pathStyle: values["pathStyle"] as AliasConfig["pathStyle"],
    dialect: values["dialect"],
  };
  return { name, config };
}
