/** What the buttons of a form and the items of a menu do. */
import type { AliasConfig } from "../../core/config/types.js";
import { splitRemote } from "../../core/location.js";
import { objectOf } from "../state/details.js";
import { parsePairLines, valuesOf } from "../state/form.js";
import { startJob } from "../state/jobs.js";
import { setSort } from "../state/listing.js";
import {
  addressOf,
  closeDialog,
  openBuckets,
  openObjects,
  openSignIn,
  pageOf,
  putPage,
  relist,
  say,
} from "../state/pages.js";
import { pageHeight } from "../state/scroll.js";
import { objectUnder } from "../state/subject.js";
import type { Effect, Update } from "../state/actions.js";
import type {
  FormDialog,
  JobSpec,
  MenuDialog,
  NewAlias,
  Place,
  SortBy,
  State,
  Target,
} from "../state/types.js";

/** Does what a form's button says: at once, or by asking the core and waiting. */
export function submit(state: State, form: FormDialog, button: string): Update {
  if (form.busy) return [state, []];
  const values = valuesOf(form);
  const { purpose } = form;
  const refuse = (message: string): Update => [
    {
      ...state,
      dialog: { ...form, failure: { kind: "usage", code: "InvalidArgument", message } },
    },
    [],
  ];
  const wait = (...effects: Effect[]): Update => [
    { ...state, dialog: { ...form, busy: true, failure: undefined, notice: undefined } },
    effects,
  ];
  const run = (spec: JobSpec): Update => {
    const [next, effects] = startJob(closeDialog(state)[0], spec);
    return [next, effects];
  };
  const name = values["name"] ?? "";

  switch (purpose.type) {
    case "alias": {
      const alias = aliasOf(values);
      if (typeof alias === "string") return refuse(alias);
      return wait({
        type: button === "Test" ? "test-alias" : "save-alias",
        dialog: form.id,
        alias,
      });
    }
    case "bucket": {
      if (name === "") return refuse("a bucket needs a name");
      const versioning = values["versioning"] === "on";
      const { alias } = purpose;
      return wait({ type: "make-bucket", dialog: form.id, alias, bucket: name, versioning });
    }
    case "open-bucket":
      if (name === "") return refuse("which bucket?");
      return openObjects(state, { alias: purpose.alias, bucket: name, prefix: "" });
    case "directory":
    case "file": {
      if (name === "") return refuse("a name is needed");
      const slash = purpose.type === "directory" && !name.endsWith("/") ? "/" : "";
      const key = `${purpose.place.prefix}${name}${slash}`;
      const text = values["text"] ?? "";
      return wait({ type: "put-object", dialog: form.id, place: purpose.place, key, text });
    }
    case "search": {
      const page = pageOf(state, "objects");
      if (page === undefined) return closeDialog(state);
      const search = values["search"] ?? "";
      return relist(closeDialog(state)[0], { ...page, search, cursor: 0, top: 0 });
    }
    case "rename": {
      const { place, target } = purpose;
      if (name === "") return refuse("a name is needed");
      const slash = target.type === "prefix" && !name.endsWith("/") ? "/" : "";
      const key = `${place.prefix}${name}${slash}`;
      if (key === target.key) return closeDialog(state);
      return run({ type: "move", from: place, targets: [target], to: place, key });
    }
    case "copy":
    case "move": {
      const to = destination(values["target"] ?? "", purpose.targets);
      if (typeof to === "string") return refuse(to);
      return run({ type: purpose.type, from: purpose.place, targets: purpose.targets, ...to });
    }
    case "download": {
      // A shell would have spelled out `~`; here nobody else does.
      const directory = (values["directory"] ?? "").replace(/^~(?=$|\/)/, state.local.home);
      if (directory === "") return refuse("a directory is needed");
      const { place, targets } = purpose;
      const [next, effects] = run({ type: "download", from: place, targets, directory });
      return [say(next, "info", "Downloading in the background"), effects];
    }
    case "target-prefix": {
      const page = pageOf(state, "picker");
      const [closed] = closeDialog(state);
      if (page === undefined) return [closed, []];
      const target = { ...page.target, prefix: values["prefix"] ?? "" };
      return [putPage(closed, { ...page, target }), []];
    }
    case "tags":
    case "metadata": {
      const page = pageOf(state, "details");
      if (page === undefined) return closeDialog(state);
      const { pairs, problem } = parsePairLines(values["pairs"] ?? "");
      if (problem !== undefined) return refuse(problem);
      const object = objectOf(page);
      if (purpose.type === "tags") {
        return wait({ type: "save-tags", dialog: form.id, object, tags: pairs });
      }
      const contentType = values["contentType"] ?? "";
      return wait({
        type: "save-metadata",
        dialog: form.id,
        object,
        contentType,
        metadata: pairs,
      });
    }
    case "go-to":
      return goTo(state, values["address"] ?? "");
  }
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

/** Where copies go: into a prefix, or one object to an exact key; or what is wrong with it. */
function destination(
  address: string,
  targets: readonly Target[],
): { to: Place; key?: string | undefined } | string {
  const [alias, bucket, key] = splitRemote(address);
  if (alias === "" || bucket === "") return "write it as alias/bucket/prefix/";
  const to = { alias, bucket, prefix: key };
  if (key === "" || key.endsWith("/")) return { to };
  if (targets.length > 1) return "several objects go into a prefix: end it with /";
  if (targets[0]?.type === "prefix") return "a prefix goes into a prefix: end it with /";
  return { to: { ...to, prefix: key.slice(0, key.lastIndexOf("/") + 1) }, key };
}

function goTo(state: State, address: string): Update {
  const [closed] = closeDialog(state);
  const [alias, bucket, prefix] = splitRemote(address.trim());
  if (alias === "") return [closed, []];
  if (bucket === "") return openBuckets(closed, alias);
  return openObjects(closed, { alias, bucket, prefix });
}

/** Does what a menu's item says. */
export function choose(state: State, menu: MenuDialog, value: string): Update {
  const [closed] = closeDialog(state);
  if (menu.purpose === "sort") {
    const page = pageOf(closed, "objects");
    if (page === undefined) return [closed, []];
    const sort = { by: value.replace("-", "") as SortBy, descending: value.endsWith("-") };
    return [putPage(closed, setSort(page, sort, pageHeight(closed, page))), []];
  }
  if (menu.purpose === "share") {
    const page = pageOf(closed, "details");
    if (page === undefined) return [closed, []];
    const expiry = Number(value);
    const url = { load: { type: "loading" as const } };
    return [
      putPage(closed, { ...page, expiry, url }),
      [{ type: "presign", page: page.id, object: objectOf(page), expiry }],
    ];
  }
  return copyText(closed, value);
}

/** Copies something about the object, or the prefix, under the cursor. */
function copyText(state: State, value: string): Update {
  const object = objectUnder(state);
  if (value === "link") {
    if (object === undefined) return [say(state, "warning", "a prefix has no link"), []];
    return [state, [{ type: "copy-link", object, expiry: 3600 }]];
  }
  const page = pageOf(state, "objects");
  const row = page?.rows[page.cursor];
  const at = object ?? (page && row && { alias: page.alias, bucket: page.bucket, key: row.key });
  if (at === undefined) return [state, []];
  const text =
    value === "key"
      ? at.key
      : value === "uri"
        ? `s3://${at.bucket}/${at.key}`
        : addressOf({ ...at, prefix: at.key });
  return [state, [{ type: "clipboard", text, what: value === "uri" ? "URI" : value }]];
}

/** Where an alias saved in the form leads. */
export function signedIn(state: State, alias: string): Update {
  const [fresh, effects] = openSignIn(state);
  const [next, more] = openBuckets(fresh, alias);
  return [next, [...effects, ...more]];
}
