/** Reading and changing what belongs to a bucket as a whole. */
import { describeRule, type LifecycleRule } from "../../../core/operations/lifecycle-rules.js";
import { bucketSettings } from "../../../core/storage/settings.js";
import type { UploadEntry } from "../../../core/storage/s3-types.js";
import { type Handler, failureOf } from "../../controller/deps.js";
import type { Fetched } from "../../state/types.js";

const READY = { type: "ready" } as const;

/** Each part by itself: a service that lacks one still shows the others. */
async function fetched<T>(read: () => Promise<T>): Promise<Fetched<T>> {
  try {
    return { load: READY, value: await read() };
  } catch (error) {
    return { load: { type: "failed", failure: failureOf(error) } };
  }
}

export const loadBucket: Handler<"load-bucket"> = async ({ context, dispatch }, effect, signal) => {
  const { page, alias, bucket } = effect;
  const service = await context.buckets(alias);
  const storage = await context.bucket(alias, bucket);
  const settings = bucketSettings(await context.client(alias), alias);
  const tell = (part: Extract<Parameters<typeof dispatch>[0], { type: "bucket-part" }>["part"]) => {
    if (!signal.aborted) dispatch({ type: "bucket-part", page, part });
  };
  await Promise.all([
    fetched(async () => (await service.getVersioning(bucket)) ?? "never").then((versioning) =>
      tell({ versioning }),
    ),
    fetched(() => service.getTags(bucket)).then((tags) => tell({ tags })),
    fetched(async () => {
      const uploads: UploadEntry[] = [];
      for await (const some of storage.listUploads({ signal })) uploads.push(...some);
      return uploads;
    }).then((uploads) => tell({ uploads })),
    ...SETTINGS.map(async (name) => {
      const lines = fetched(async () => LINES[name]((await settings.get(name, bucket)) ?? {}));
      tell({ [name]: await lines });
    }),
  ]);
};

const SETTINGS = ["ilm", "cors", "policy"] as const;

interface CorsRule {
  readonly AllowedMethods?: readonly string[];
  readonly AllowedOrigins?: readonly string[];
}

interface Statement {
  readonly Effect?: string;
  readonly Action?: unknown;
  readonly Principal?: unknown;
  readonly Resource?: unknown;
  readonly Condition?: unknown;
}

/** A line for each rule of a document, in the words of the document. */
const LINES: Readonly<Record<(typeof SETTINGS)[number], (document: object) => string[]>> = {
  ilm: ({ Rules = [] }: { readonly Rules?: readonly LifecycleRule[] }) =>
    Rules.map((rule) => describeRule(rule) + (rule.Status === "Disabled" ? " (disabled)" : "")),
  cors: ({ CORSRules = [] }: { readonly CORSRules?: readonly CorsRule[] }) =>
    CORSRules.map(({ AllowedMethods = [], AllowedOrigins = [] }) => {
      return `${AllowedMethods.join(", ")} from ${AllowedOrigins.join(", ")}`;
    }),
  policy: ({ Statement = [] }: { readonly Statement?: Statement | readonly Statement[] }) =>
    [Statement].flat().map(({ Effect, Action, Principal, Resource, Condition }) => {
      const words = [Action, Principal, Resource, Condition].map(plain).filter(Boolean);
      return `${Effect}: ${words.join(" · ")}`;
    }),
};

/** A part of a policy: texts and lists as they read, all else as JSON. */
function plain(value: unknown): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  return Array.isArray(value) ? value.map(plain).join(", ") : JSON.stringify(value);
}

export const setVersioning: Handler<"set-versioning"> = async (deps, effect, signal) => {
  const service = await deps.context.buckets(effect.alias);
  await service.setVersioning(effect.bucket, effect.on ? "Enabled" : "Suspended");
  await loadBucket(deps, { ...effect, type: "load-bucket" }, signal);
};

export const saveBucketTags: Handler<"save-bucket-tags"> = async (deps, effect, signal) => {
  const { page, alias, bucket, dialog, tags } = effect;
  const service = await deps.context.buckets(alias);
  await service.setTags(bucket, tags);
  deps.dispatch({ type: "bucket-tags-saved", dialog, page });
  await loadBucket(deps, { type: "load-bucket", page, alias, bucket }, signal);
};

export const abortUpload: Handler<"abort-upload"> = async (deps, effect, signal) => {
  const { page, alias, bucket, key, uploadId } = effect;
  const storage = await deps.context.bucket(alias, bucket);
  await storage.abortUpload(key, uploadId);
  await loadBucket(deps, { type: "load-bucket", page, alias, bucket }, signal);
};
