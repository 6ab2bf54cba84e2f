/**
 * A bucket's lifecycle rules: expiry of objects and versions, and of unfinished uploads
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html).
 * Moving to another storage class is refused: all classes are stored alike here.
 */
import type { HttpResponse } from "../../protocol/message.js";
import {
  child,
  childText,
  childrenOf,
  type XmlContent,
  type XmlElement,
} from "../../protocol/xml.js";
import type { LifecycleRule } from "../records.js";
import { notImplemented, refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, requireXml, settingOf } from "./call.js";

const MAX_RULES = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLifecycleConfiguration.html */
export async function getLifecycle(call: Call): Promise<HttpResponse> {
  const rules = await settingOf(call, "lifecycle", "NoSuchLifecycleConfiguration");
  return respondXml("LifecycleConfiguration", { Rule: rules.map(ruleContent) });
}

export async function putLifecycle(call: Call): Promise<HttpResponse> {
  const document = await requireXml(call, "LifecycleConfiguration", { mustBeChecked: true });
  const lifecycle = childrenOf(document, "Rule").map(parseRule);
  if (lifecycle.length === 0 || lifecycle.length > MAX_RULES) throw refuse("MalformedXML");
  const ids = new Set(lifecycle.map(({ id }) => id));
  if (ids.size < lifecycle.length) {
    throw refuse("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule");
  }
  await call.backend.updateBucket(bucketOf(call), { settings: { lifecycle } });
  return respond(200);
}

function parseRule(element: XmlElement, index: number): LifecycleRule {
  for (const name of ["Transition", "NoncurrentVersionTransition"]) {
    if (child(element, name) !== undefined) throw notImplemented(`${name} of a lifecycle rule`);
  }
  const status = childText(element, "Status")?.trim();
  if (status !== "Enabled" && status !== "Disabled") throw refuse("MalformedXML");
  const id = childText(element, "ID") || `rule-${index + 1}`;
  if (id.length > 255)
    throw refuse("InvalidArgument", "ID length should not exceed allowed limit of 255");
  const expiration = child(element, "Expiration");
  const noncurrent = child(element, "NoncurrentVersionExpiration");
  const uploads = child(element, "AbortIncompleteMultipartUpload");
  const rule: LifecycleRule = {
    id,
    enabled: status === "Enabled",
    ...parseFilter(element),
    ...(expiration === undefined ? {} : parseExpiration(expiration)),
    noncurrentDays: noncurrent && days(noncurrent, "NoncurrentDays"),
    noncurrentKept:
      noncurrent && child(noncurrent, "NewerNoncurrentVersions")
        ? days(noncurrent, "NewerNoncurrentVersions")
        : undefined,
    abortUploadsDays: uploads && days(uploads, "DaysAfterInitiation"),
  };
  if (expiration === undefined && noncurrent === undefined && uploads === undefined) {
    throw refuse("InvalidRequest", "At least one action needs to be specified in a rule.");
  }
  const bySizeOrTag =
    Object.keys(rule.tags).length > 0 ||
    rule.largerThan !== undefined ||
    rule.smallerThan !== undefined;
  if (bySizeOrTag && (uploads !== undefined || rule.expireMarkers === true)) {
    throw refuse(
      "InvalidRequest",
      "Unfinished uploads and delete markers have neither tags nor a size to be filtered by.",
    );
  }
  return rule;
}

type Filter = Pick<LifecycleRule, "prefix" | "tags" | "largerThan" | "smallerThan" | "filtered">;

function parseFilter(element: XmlElement): Filter {
  const filter = child(element, "Filter");
  const prefix = childText(element, "Prefix");
  if (filter === undefined) {
    if (prefix === undefined) throw refuse("MalformedXML");
    return { prefix, tags: {}, filtered: false };
  }
  if (prefix !== undefined) throw refuse("MalformedXML");
  const terms = child(filter, "And") ?? filter;
  if (terms === filter && filter.children.length > 1) throw refuse("MalformedXML");
  const size = (name: string): number | undefined => {
    const text = childText(terms, name)?.trim();
    if (text === undefined) return undefined;
    if (!/^\d{1,15}$/.test(text)) throw refuse("MalformedXML");
    return Number(text);
  };
  const tags = childrenOf(terms, "Tag").map((tag) => {
    const [key, value] = [childText(tag, "Key"), childText(tag, "Value")];
    if (key === undefined || value === undefined) throw refuse("MalformedXML");
    return [key, value] as const;
  });
  return {
    prefix: childText(terms, "Prefix") ?? "",
    tags: Object.fromEntries(tags),
    largerThan: size("ObjectSizeGreaterThan"),
    smallerThan: size("ObjectSizeLessThan"),
    filtered: true,
  };
}

function parseExpiration(
  element: XmlElement,
): Pick<LifecycleRule, "expireDays" | "expireDate" | "expireMarkers"> {
  const date = childText(element, "Date")?.trim();
  const markers = childText(element, "ExpiredObjectDeleteMarker")?.trim();
  if (element.children.length !== 1) throw refuse("MalformedXML");
  if (markers !== undefined) return { expireMarkers: markers === "true" };
  if (date === undefined) return { expireDays: days(element, "Days") };
  const time = Date.parse(date);
  if (Number.isNaN(time)) throw refuse("MalformedXML");
  if (time % 86_400_000 !== 0) {
    throw refuse("InvalidArgument", "'Date' must be at midnight GMT");
  }
  return { expireDate: new Date(time).toISOString() };
}

function days(element: XmlElement, name: string): number {
  const text = childText(element, name)?.trim() ?? "";
  if (!/^-?\d{1,6}$/.test(text)) throw refuse("MalformedXML");
  if (Number(text) > 0) return Number(text);
  throw refuse("InvalidArgument", `'${name}' must be a positive integer`);
}

function ruleContent(rule: LifecycleRule): XmlContent {
  const tags = Object.entries(rule.tags).map(([Key, Value]) => ({ Key, Value }));
  const terms = {
    Prefix: rule.prefix === "" ? undefined : rule.prefix,
    Tag: tags,
    ObjectSizeGreaterThan: rule.largerThan,
    ObjectSizeLessThan: rule.smallerThan,
  };
  const count =
    tags.length +
    [terms.Prefix, rule.largerThan, rule.smallerThan].filter((term) => term !== undefined).length;
  const whole = count === 0 ? { Prefix: "" } : terms;
  const expires =
    rule.expireDays ?? rule.expireDate ?? (rule.expireMarkers === undefined ? undefined : true);
  return {
    ID: rule.id,
    ...(rule.filtered ? { Filter: count > 1 ? { And: terms } : whole } : { Prefix: rule.prefix }),
    Status: rule.enabled ? "Enabled" : "Disabled",
    Expiration:
      expires === undefined
        ? undefined
        : {
            Days: rule.expireDays,
            Date: rule.expireDate,
            ExpiredObjectDeleteMarker: rule.expireMarkers,
          },
    NoncurrentVersionExpiration:
      rule.noncurrentDays === undefined
        ? undefined
        : {
            NoncurrentDays: rule.noncurrentDays,
            NewerNoncurrentVersions: rule.noncurrentKept,
          },
    AbortIncompleteMultipartUpload:
      rule.abortUploadsDays === undefined
        ? undefined
        : { DaysAfterInitiation: rule.abortUploadsDays },
  };
}
