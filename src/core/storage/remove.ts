/** Removal of keys and versions: DeleteObjects, and DELETE for what it cannot do. */
import { vendorHeader } from "../../protocol/dialect.js";
import { childText, childrenOf } from "../../protocol/xml.js";
import { factsOf } from "../failures/codes.js";
import { AppError, isAppError } from "../failures/errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { requestDocument, requestDone, xmlRequest } from "./documents.js";
import { conditionHeaders } from "./object-headers.js";
import type { RemoveOptions, RemoveResult, RemoveTarget } from "./storage.js";

type Options = Pick<RequestSpec, "signal" | "onRetry" | "tries">;

/** Requests at a time where keys have to be removed one by one. */
const SINGLE_REMOVALS = 16;

/**
 * Makes the `remove` of one bucket. A single target takes a plain DELETE, which every service has.
 * Keys that XML cannot carry are removed one by one beside the batch, and so are those pinned to an
 * ETag, unless `pinsInBatch` is given, and everything on a service without DeleteObjects.
 */
export function remover(client: SignedClient, bucket: string) {
  const deleteMarker = vendorHeader(client.dialect, "delete-marker");
  let hasDeleteObjects = true;
  /** Whether removals set delete markers, once an answer has told. */
  let marks: boolean | undefined;

  const removeOne = async (target: RemoveTarget, options: Options): Promise<RemoveResult> => {
    const { key, versionId, etag } = target;
    const headers = versionId === undefined ? conditionHeaders({ ifMatch: etag }) : undefined;
    const spec = { method: "DELETE", bucket, key, query: { versionId }, headers, ...options };
    const { headers: told } = await requestDone(client, spec);
    const marker = versionId === undefined && told[deleteMarker] === "true";
    return marker ? { ...target, marker } : target;
  };

  /** Removes a batch; the keys whose failure may pass are tried again, and only they. */
  const removeBatch = async (
    targets: readonly RemoveTarget[],
    options: Options,
  ): Promise<RemoveResult[]> => {
    const results = new Map<RemoveTarget, RemoveResult>();
    const tries = client.tries({ method: "DELETE", ...options });
    let left = targets;
    let failure: AppError | undefined;
    try {
      await tries.run(async () => {
        const answered = await requestBatch(left, { ...options, tries });
        for (const [i, result] of answered.entries()) results.set(left[i]!, result);
        left = left.filter((target) => mayPass(results.get(target)));
        const [first] = left;
        if (first === undefined) return;
        failure = new AppError({ kind: "unavailable", ...results.get(first)!.error! });
        throw failure;
      });
    } catch (error) {
      if (error !== failure) throw error;
    }
    return targets.map((target) => results.get(target)!);
  };

  const requestBatch = async (
    targets: readonly RemoveTarget[],
    options: Options,
  ): Promise<RemoveResult[]> => {
    // Quiet: only failures are answered, which spares both sides most of the work. The first answer
    // is asked to be whole, since it tells what the bucket makes of removals.
    const { body, headers } = xmlRequest("Delete", {
      Quiet: String(marks !== undefined),
      Object: targets.map(({ key, versionId, etag }) => ({
        Key: key,
        VersionId: versionId,
        ETag: versionId === undefined ? etag : undefined,
      })),
    });
    const { document } = await requestDocument(
      client,
      {
        method: "POST",
        bucket,
        query: { delete: "" },
        headers,
        body,
        idempotent: true,
        ...options,
      },
      "DeleteResult",
    );
    if (marks === undefined && targets.every(({ versionId }) => versionId === undefined)) {
      marks = childrenOf(document, "Deleted").some(
        (deleted) => childText(deleted, "DeleteMarker") === "true",
      );
    }
    const failures = new Map<string, { code: string; message: string }>();
    for (const failed of childrenOf(document, "Error")) {
      const code = childText(failed, "Code") || "InternalError";
      const message = childText(failed, "Message") || code;
      const about = identity(childText(failed, "Key"), childText(failed, "VersionId"));
      failures.set(about, { code, message });
    }
    const results = targets.map((target) => {
      const about = identity(target.key, target.versionId);
      const error = failures.get(about);
      failures.delete(about);
      if (error !== undefined) return { ...target, error };
      return marks === true && target.versionId === undefined
        ? { ...target, marker: marks }
        : target;
    });
    // A failure of nothing that was asked for leaves open what was removed.
    const [stray] = failures.values();
    if (stray !== undefined) {
      throw new AppError({ kind: "unavailable", ...stray, details: { bucket } });
    }
    return results;
  };

  return async (
    targets: readonly RemoveTarget[],
    { pinsInBatch = false, ...options }: RemoveOptions = {},
  ): Promise<RemoveResult[]> => {
    if (targets.length === 0) return [];
    if (targets.length === 1 && !pinsInBatch)
      return [await alone(removeOne(targets[0]!, options), targets[0]!)];

    const results = new Map<RemoveTarget, RemoveResult>();
    const single: RemoveTarget[] = [];
    const together: RemoveTarget[] = [];
    for (const target of targets) {
      const pinned = target.etag !== undefined && !pinsInBatch;
      const batched = hasDeleteObjects && fitsXml(target.key) && !pinned;
      (batched ? together : single).push(target);
    }
    if (together.length > 0) {
      try {
        const removed = await removeBatch(together, options);
        together.forEach((target, i) => results.set(target, removed[i]!));
      } catch (error) {
        if (!isAppError(error) || error.code !== "NotImplemented") throw error;
        hasDeleteObjects = false;
        single.push(...together);
      }
    }
    // Once others are removed nothing may hide that, so whatever happens is this key's own result.
    const othersDone = results.size > 0;
    const queue = single.values();
    const work = async (): Promise<void> => {
      for (const target of queue) {
        results.set(target, await alone(removeOne(target, options), target, othersDone));
      }
    };
    await Promise.all(Array.from({ length: Math.min(SINGLE_REMOVALS, single.length) }, work));
    return targets.map((target) => results.get(target)!);
  };
}

function mayPass(result: RemoveResult | undefined): boolean {
  return (factsOf(result?.error?.code ?? "")?.retry ?? "never") !== "never";
}

/** Turns a failure that is about the key, or with `always` any, into its result; others throw. */
async function alone(
  removal: Promise<RemoveResult>,
  target: RemoveTarget,
  always = false,
): Promise<RemoveResult> {
  try {
    return await removal;
  } catch (error) {
    if (!isAppError(error) || error.kind === "interrupted") throw error;
    const { kind, code, message } = error;
    // An error that would end any run is about the request as a whole, not about the key it names.
    if (!always && (kind === "unavailable" || factsOf(code)?.endsRun === true)) throw error;
    return { ...target, error: { code, message } };
  }
}

/** Some services leave the version `null` out of their answer. */
function identity(key: string | undefined, versionId: string | undefined): string {
  return `${key ?? ""}\u0000${versionId === "null" ? "" : (versionId ?? "")}`;
}

/** Whether XML 1.0 has a way to write the key (https://www.w3.org/TR/xml/#charsets). */
function fitsXml(key: string): boolean {
  return !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(key);
}
