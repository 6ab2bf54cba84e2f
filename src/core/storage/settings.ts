/** The settings of a bucket, and the locks of an object: documents, by the SDK. */
import type { S3Client } from "@aws-sdk/client-s3";

import { AppError, isAppError, partialError, usageError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import type { SignedClient } from "../http/client.js";

type Sdk = typeof import("@aws-sdk/client-s3");

/** `lock` is the retention that new objects get. */
export type SettingName = "ilm" | "cors" | "policy" | "lock";

interface Setting {
  /** For messages. */
  readonly title: string;
  /** The member every document has; undefined where it is free text. */
  readonly member: string | undefined;
  /** S3's code for a bucket without one. */
  readonly none: string;
  readonly get: (s3: S3Client, sdk: Sdk, Bucket: string) => Promise<unknown>;
  readonly put: (s3: S3Client, sdk: Sdk, Bucket: string, value: never) => Promise<unknown>;
  readonly remove: (s3: S3Client, sdk: Sdk, Bucket: string) => Promise<unknown>;
}

const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  ilm: {
    title: "lifecycle rules",
    member: "Rules",
    none: "NoSuchLifecycleConfiguration",
    get: async (s3, sdk, Bucket) => {
      const command = new sdk.GetBucketLifecycleConfigurationCommand({ Bucket });
      const { Rules } = await s3.send(command);
      return { Rules };
    },
    put: (s3, sdk, Bucket, LifecycleConfiguration) =>
      s3.send(new sdk.PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration })),
    remove: (s3, sdk, Bucket) => s3.send(new sdk.DeleteBucketLifecycleCommand({ Bucket })),
  },
  cors: {
    title: "CORS rules",
    member: "CORSRules",
    none: "NoSuchCORSConfiguration",
    get: async (s3, sdk, Bucket) => {
      const { CORSRules } = await s3.send(new sdk.GetBucketCorsCommand({ Bucket }));
      return { CORSRules };
    },
    put: (s3, sdk, Bucket, CORSConfiguration) =>
      s3.send(new sdk.PutBucketCorsCommand({ Bucket, CORSConfiguration })),
    remove: (s3, sdk, Bucket) => s3.send(new sdk.DeleteBucketCorsCommand({ Bucket })),
  },
  policy: {
    title: "a policy",
    member: "Statement",
    none: "NoSuchBucketPolicy",
    get: async (s3, sdk, Bucket) => {
      const { Policy = "" } = await s3.send(new sdk.GetBucketPolicyCommand({ Bucket }));
      return JSON.parse(Policy) as unknown;
    },
    put: (s3, sdk, Bucket, value) =>
      s3.send(new sdk.PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify(value) })),
    remove: (s3, sdk, Bucket) => s3.send(new sdk.DeleteBucketPolicyCommand({ Bucket })),
  },
  lock: {
    title: "object lock",
    member: "ObjectLockEnabled",
    none: "ObjectLockConfigurationNotFoundError",
    get: async (s3, sdk, Bucket) => {
      const answer = await s3.send(new sdk.GetObjectLockConfigurationCommand({ Bucket }));
      return answer.ObjectLockConfiguration;
    },
    put: (s3, sdk, Bucket, ObjectLockConfiguration) =>
      s3.send(new sdk.PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration })),
    remove: (s3, sdk, Bucket) =>
      s3.send(
        new sdk.PutObjectLockConfigurationCommand({
          Bucket,
          ObjectLockConfiguration: { ObjectLockEnabled: "Enabled" },
        }),
      ),
  },
};

/** The locks that keep one version of an object from being removed. */
export interface Hold {
  readonly mode?: string | undefined;
  /** The end of the retention, ISO 8601. */
  readonly until?: string | undefined;
  readonly legalHold?: boolean | undefined;
}

export interface HoldWish {
  readonly retention?:
    | { readonly mode: "GOVERNANCE" | "COMPLIANCE"; readonly until: Date }
    | "none"
    | undefined;
  readonly legalHold?: boolean | undefined;
}

/**
 * The settings of the buckets of one service. A setting that the service lacks throws
 * NotImplemented, with its name.
 */
export function bucketSettings(client: SignedClient, alias: string) {
  const call = async <T>(
    title: string,
    about: string,
    work: (s3: S3Client, sdk: Sdk) => Promise<T>,
  ): Promise<T> => {
    try {
      return await work(await client.sdk(), await import("@aws-sdk/client-s3"));
    } catch (error) {
      const mapped = toAppError(error, `${title} of ${alias}/${about}`);
      if (!["NotImplemented", "MethodNotAllowed"].includes(mapped.code)) throw mapped;
      throw new AppError({
        kind: "usage",
        code: "NotImplemented",
        message: `${alias}/${about}: the service does not take ${title}, or not like this: ${toAppError(error).message}`,
        cause: error,
      });
    }
  };

  /** The document; undefined when the bucket has none. */
  const get = async (name: SettingName, bucket: string): Promise<unknown> => {
    const { title, none, get: read } = SETTINGS[name];
    try {
      return await call(title, bucket, (s3, sdk) => read(s3, sdk, bucket));
    } catch (error) {
      if (isAppError(error) && error.code === none) return undefined;
      throw error;
    }
  };

  /** Sets the document. Throws NotTaken, naming what the service has left out of it. */
  const set = async (name: SettingName, bucket: string, value: unknown): Promise<void> => {
    const { title, member, put } = SETTINGS[name];
    if (member !== undefined && (value as Record<string, unknown> | null)?.[member] === undefined) {
      throw usageError(
        "InvalidDocument",
        `the document has no ${member}, so it is none for ${title}`,
        `see one: pail ${name} get ALIAS/BUCKET`,
      );
    }
    await call(title, bucket, (s3, sdk) => put(s3, sdk, bucket, value as never));
    // A service may spell a policy in another way; everything else it has as it was given.
    const lost = name === "policy" ? undefined : missing(value, await get(name, bucket), "");
    if (lost === undefined) return;
    throw partialError(
      "NotTaken",
      `${alias}/${bucket}: the service has set ${title} without ${lost}`,
      "it does not know that, or it is misspelled",
    );
  };

  const remove = async (name: SettingName, bucket: string): Promise<void> => {
    const { title, remove: unset } = SETTINGS[name];
    await call(title, bucket, (s3, sdk) => unset(s3, sdk, bucket));
  };

  const getHold = async (Bucket: string, Key: string, VersionId?: string): Promise<Hold> => {
    const about = `${Bucket}/${Key}`;
    const id = { Bucket, Key, VersionId };
    const none = (error: unknown) => {
      const mapped = toAppError(error);
      if (/^NoSuchObjectLock|^ObjectLockConfigurationNotFound|^InvalidRequest$/.test(mapped.code)) {
        return {};
      }
      throw error;
    };
    return await call("object lock", about, async (s3, sdk) => {
      const [{ Retention }, { LegalHold }] = await Promise.all([
        s3
          .send(new sdk.GetObjectRetentionCommand(id))
          .catch(none as () => { Retention?: undefined }),
        s3
          .send(new sdk.GetObjectLegalHoldCommand(id))
          .catch(none as () => { LegalHold?: undefined }),
      ]);
      return {
        mode: Retention?.Mode,
        until: Retention?.RetainUntilDate?.toISOString(),
        legalHold: LegalHold === undefined ? undefined : LegalHold.Status === "ON",
      };
    });
  };

  /** Sets what is given; `bypass` shortens or lifts a retention in governance mode. */
  const setHold = async (
    Bucket: string,
    Key: string,
    { retention, legalHold }: HoldWish,
    { versionId: VersionId, bypass }: { versionId?: string | undefined; bypass?: boolean } = {},
  ): Promise<void> => {
    const id = { Bucket, Key, VersionId };
    await call("object lock", `${Bucket}/${Key}`, async (s3, sdk) => {
      if (retention !== undefined) {
        // An empty retention takes the one there is away.
        const Retention =
          retention === "none" ? {} : { Mode: retention.mode, RetainUntilDate: retention.until };
        const BypassGovernanceRetention = bypass;
        const input = { ...id, Retention, BypassGovernanceRetention };
        await s3.send(new sdk.PutObjectRetentionCommand(input));
      }
      if (legalHold !== undefined) {
        const LegalHold = { Status: legalHold ? ("ON" as const) : ("OFF" as const) };
        await s3.send(new sdk.PutObjectLegalHoldCommand({ ...id, LegalHold }));
      }
    });
  };

  return { get, set, remove, getHold, setHold };
}

/** The path of the first member that was asked for and is missing. */
function missing(wanted: unknown, there: unknown, path: string): string | undefined {
  if (Array.isArray(wanted)) {
    const all: readonly unknown[] = Array.isArray(there) ? there : [];
    for (const [index, item] of wanted.entries()) {
      const at = `${path}[${index}]`;
      if (all.some((other) => missing(item, other, at) === undefined)) continue;
      return missing(item, all[index], at) ?? at;
    }
    return undefined;
  }
  if (wanted === null || typeof wanted !== "object" || wanted instanceof Date) {
    return same(wanted, there) ? undefined : path;
  }
  const other = (there ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(wanted)) {
    const at = path === "" ? name : `${path}.${name}`;
    const lost = missing(value, other[name], at);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

/** Empty text may be left out, and a date has several spellings. */
function same(wanted: unknown, there: unknown): boolean {
  if (there instanceof Date) return new Date(wanted as string).getTime() === there.getTime();
  return wanted === there || (wanted === "" && there === undefined);
}
