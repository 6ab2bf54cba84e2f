/** Lifecycle rules: a rule out of what a person says, and a line that says what a rule does. */
import { usageError } from "../failures/errors.js";

/** A rule in S3's words, as far as they are read here. */
export interface LifecycleRule {
  readonly ID?: string;
  readonly Status?: string;
  readonly Prefix?: string;
  readonly Filter?: {
    readonly Prefix?: string;
    readonly Tag?: { readonly Key?: string; readonly Value?: string };
    readonly And?: {
      readonly Prefix?: string;
      readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
    };
  };
  readonly Expiration?: {
    readonly Days?: number;
    readonly Date?: string | Date;
    readonly ExpiredObjectDeleteMarker?: boolean;
  };
  readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays?: number };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation?: number };
  readonly Transitions?: readonly { readonly Days?: number; readonly StorageClass?: string }[];
}

export interface RuleWish {
  readonly id: string;
  readonly prefix?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Days until objects, older versions and unfinished uploads go. */
  readonly expire?: number | undefined;
  readonly noncurrent?: number | undefined;
  readonly abort?: number | undefined;
  /** Days until objects move to the class. */
  readonly transition?: number | undefined;
  readonly storageClass?: string | undefined;
}

/** The rule of a wish. Throws a usage error for one that would do nothing. */
export function toRule(wish: RuleWish): LifecycleRule {
  const { id, prefix = "", tags = {}, expire, noncurrent, abort, transition, storageClass } = wish;
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const does = {
    ...(expire !== undefined && { Expiration: { Days: expire } }),
    ...(noncurrent !== undefined && {
      NoncurrentVersionExpiration: { NoncurrentDays: noncurrent },
    }),
    ...(abort !== undefined && { AbortIncompleteMultipartUpload: { DaysAfterInitiation: abort } }),
    ...(transition !== undefined &&
      storageClass !== undefined && {
        Transitions: [{ Days: transition, StorageClass: storageClass }],
      }),
  };
  if (Object.keys(does).length === 0) {
    throw usageError(
      "InvalidRule",
      "the rule says nothing to do",
      "--expire-days 30, --noncurrent-days 7, --abort-days 3, or --transition-days 30 --class C",
    );
  }
  const single =
    Tags.length === 1 && prefix === "" ? { Tag: Tags[0]! } : { And: { Prefix: prefix, Tags } };
  return {
    ID: id,
    Status: "Enabled",
    Filter: Tags.length === 0 ? { Prefix: prefix } : single,
    ...does,
  };
}

/** The words that tell a person what a rule does: `logs/ stage=raw: expires after 30 days`. */
export function describeRule(rule: LifecycleRule): string {
  const { Filter, Expiration, Transitions = [] } = rule;
  const prefix = Filter?.Prefix ?? Filter?.And?.Prefix ?? rule.Prefix ?? "";
  const tags = [...(Filter?.Tag ? [Filter.Tag] : []), ...(Filter?.And?.Tags ?? [])];
  const takes = [prefix, ...tags.map(({ Key = "", Value = "" }) => `${Key}=${Value}`)];
  const after = (what: string, days: number | undefined) =>
    days === undefined ? [] : [`${what} after ${days} ${days === 1 ? "day" : "days"}`];
  const date = Expiration?.Date;
  const does = [
    ...after("expires", Expiration?.Days),
    ...(date === undefined ? [] : [`expires on ${new Date(date).toISOString().slice(0, 10)}`]),
    ...(Expiration?.ExpiredObjectDeleteMarker ? ["drops lone delete markers"] : []),
    ...after("older versions go", rule.NoncurrentVersionExpiration?.NoncurrentDays),
    ...after("unfinished uploads go", rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation),
    ...Transitions.flatMap(({ Days, StorageClass }) => after(`to ${StorageClass}`, Days)),
  ];
  const what = takes.filter((part) => part !== "").join(" ") || "everything";
  return `${what}: ${does.join(", ") || "see pail ilm get"}`;
}
