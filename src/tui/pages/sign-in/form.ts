/** The form for an alias: four fields, and more where they are wanted. */
import type { AliasConfig } from "../../../core/config/types.js";
import { ALIAS_NAME } from "../../../core/config/shape.js";
import { DIALECT_PRESETS } from "../../../protocol/dialect.js";
import { visible } from "../../../text/sanitize.js";
import { field, openForm, refuse, valuesOf, wait } from "../../dialogs/form.js";
import type { Update } from "../../state/actions.js";
import type { Field, FormDialog, FormPurpose, State } from "../../state/types.js";
import type { NewAlias } from "./state.js";

const KEPT = "empty keeps the one there";

function basic(name: string, config: Partial<AliasConfig>, edits: boolean): Field[] {
  return [
    field("name", "Alias", name, { note: "a short name of yours" }),
    field("url", "Endpoint", config.url ?? "", {
      note: "s3.example.com or 127.0.0.1:9000; http and https are tried",
    }),
    field("accessKey", "Access key", config.accessKey ?? "", {
      note: "or paste a line of mc alias set, AWS_… variables, https://KEY:SECRET@HOST",
    }),
    field("secretKey", "Secret key", "", { kind: "secret", note: edits ? KEPT : undefined }),
  ];
}

function further(config: Partial<AliasConfig>, edits: boolean): Field[] {
  const credentials = config.credentials ?? "static";
  const dialect = typeof config.dialect === "string" ? config.dialect : "aws";
  return [
    field("credentials", "Credentials", credentials === "static" ? "keys" : credentials, {
      kind: "choice",
      choices: ["keys", "chain", "anonymous"],
      note: "chain: environment, profile, role",
    }),
    field("sessionToken", "Session token", "", {
      kind: "secret",
      note: edits ? KEPT : "only if the keys are temporary",
    }),
    field("region", "Region", config.region ?? "", { note: "found out when it is empty" }),
    field("pathStyle", "Path style", config.pathStyle ?? "auto", {
      kind: "choice",
      choices: ["auto", "on", "off"],
    }),
    field("dialect", "Dialect", dialect, { kind: "choice", choices: Object.keys(DIALECT_PRESETS) }),
  ];
}

/** Opens the form, empty or with what is known of an alias. */
export function openAliasForm(
  state: State,
  name?: string,
  config: Partial<AliasConfig> = {},
): Update {
  const edits = name !== undefined;
  return openForm(state, {
    title: edits ? `Edit ${visible(name)}` : "Sign in",
    purpose: { type: "alias", replaces: name },
    fields: [...basic(name ?? "", config, edits), ...(edits ? further(config, true) : [])],
    buttons: edits ? ["Save"] : ["Save", "More"],
  });
}

/** Shows the further fields, or tries and saves what the form describes. */
export function saveForm(
  state: State,
  form: FormDialog,
  { replaces }: Extract<FormPurpose, { type: "alias" }>,
  button: string,
): Update {
  if (button === "More") {
    const fields = [...form.fields, ...further({}, false)];
    const buttons = form.buttons.filter((label) => label !== "More");
    return [{ ...state, dialog: { ...form, fields, buttons, focus: form.fields.length } }, []];
  }
  const alias = aliasOf(valuesOf(form), replaces !== undefined);
  if ("wrong" in alias) return refuse(state, form, alias.wrong, alias.field);
  const anyway = button === "Save anyway";
  return wait(state, form, { type: "save-alias", dialog: form.id, alias, replaces, anyway });
}

/** The alias a form describes, or what is wrong with it, and where. */
function aliasOf(
  values: Record<string, string>,
  edits: boolean,
): NewAlias | { readonly wrong: string; readonly field: string } {
  const { name = "", url = "", credentials = "keys", accessKey = "", secretKey = "" } = values;
  if (!ALIAS_NAME.test(name)) {
    return { wrong: "an alias is a letter, then letters, digits, - and _", field: "name" };
  }
  const typed = url.trim().replace(/\/+$/, "");
  const whole = /^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`;
  const parsed = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!/^https?:$/.test(parsed?.protocol ?? "") || !parsed?.host) {
    return { wrong: "an endpoint is an address such as s3.example.com", field: "url" };
  }
  if (parsed.username || parsed.password) {
    return { wrong: "the keys go into fields of their own, not into the address", field: "url" };
  }
  const keys = credentials === "keys";
  if (keys && accessKey === "") return { wrong: "the access key is missing", field: "accessKey" };
  if (keys && secretKey === "" && !edits) {
    return { wrong: "the secret key is missing", field: "secretKey" };
  }
  const config: AliasConfig = {
    url: typed,
    credentials: keys ? "static" : (credentials as "chain" | "anonymous"),
    ...(keys && {
      accessKey,
      secretKey: secretKey || undefined,
      sessionToken: values["sessionToken"] || undefined,
    }),
    region: values["region"] || undefined,
    pathStyle: (values["pathStyle"] as AliasConfig["pathStyle"]) ?? "auto",
    dialect: values["dialect"] ?? "aws",
  };
  return { name, config };
}

/** The field that a failure is about. */
export function blamed(code: string): string | undefined {
  if (/AccessKey/.test(code)) return "accessKey";
  if (/Signature|SecretKey/.test(code)) return "secretKey";
  if (/Token/.test(code)) return "sessionToken";
  return code === "AliasExists" ? "name" : "url";
}

/** The fields of an alias in a pasted text, by name; nothing when it is just text. */
export function pastedAlias(text: string): Readonly<Record<string, string>> {
  const line = /\balias set\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)/.exec(text);
  if (line) {
    const [, name = "", url = "", accessKey = "", secretKey = ""] = line;
    return { name, url, accessKey, secretKey };
  }
  const url = /^\s*(https?:\/\/)([^\s:@/]+):([^\s@]+)@(\S+)\s*$/.exec(text);
  if (url) {
    const [, scheme = "", accessKey = "", secretKey = "", host = ""] = url;
    return { url: scheme + host, accessKey, secretKey: decodeURIComponent(secretKey) };
  }
  const found: Record<string, string> = {};
  for (const [variable, name] of VARIABLES) {
    const value = new RegExp(`${variable}\\s*[=:]\\s*["']?([^\\s"']+)`, "i").exec(text)?.[1];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

const VARIABLES = [
  ["aws_access_key_id", "accessKey"],
  ["aws_secret_access_key", "secretKey"],
  ["aws_session_token", "sessionToken"],
  ["aws_endpoint_url(?:_s3)?", "url"],
  ["aws_(?:default_)?region", "region"],
] as const;
