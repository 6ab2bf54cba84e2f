import { AppError, conflictError, notFoundError } from "../../core/failures/errors.js";
import { versionsOf } from "../../core/listing.js";
import type { ObjectEntry } from "../../core/storage/storage.js";
import { askToReplace, lookAt, recorded, undoName } from "../change.js";
import { relocate } from "../relocate.js";
import { keyText } from "../text.js";
import { type Call, defineTool, told } from "../tool.js";
import { name, replacing, versionId } from "./parameters.js";

export const undeleteObjectTool = defineTool({
  name: "undelete_object",
  description: "Bring back a deleted object where versions are kept, or put back version_id",
  access: "write",
  schema: { bucket_name: name, object_key: name, version_id: versionId, ...replacing },
  unlisted: ["if_exists"],
  handler: async ({ bucket_name: bucket, object_key: key, version_id: wanted, ...args }, call) => {
    const storage = await call.bucket(bucket, "write");
    const target = { bucket, storage, key };
    const place = { at: call.at(), bucket, key };
    const versions: ObjectEntry[] = [];
    for await (const page of versionsOf(storage, key, call.signal)) {
      versions.push(...page);
      if (versions.some((one) => fits(one, wanted))) break;
    }
    const version = versions.find((one) => fits(one, wanted));
    if (version === undefined) throw nothing(key, wanted);
    const [latest] = versions;
    // Only markers above it: without them it is the latest again, with all it had.
    const markers = versions.slice(0, versions.indexOf(version));
    if (latest?.isDeleteMarker === true && markers.every((one) => one.isDeleteMarker === true)) {
      for (const marker of markers) await removeMarker(call, target, marker);
      return told("brought back", { ...place, version_id: version.versionId, undo: call.group() });
    }
    if (wanted === undefined) throw there(key);
    const seen = await lookAt(call, target, args);
    askToReplace(call, target, seen);
    const source = { ...target, versionId: wanted };
    const done = await relocate(call, { source, info: version, target, seen, moves: false });
    const { etag, versionId: made, before } = done;
    return told("brought back", { ...place, etag, version_id: made, undo: undoName(call, before) });
  },
});

function fits(entry: ObjectEntry, wanted: string | undefined): boolean {
  return wanted === undefined ? entry.isDeleteMarker !== true : entry.versionId === wanted;
}

async function removeMarker(
  call: Call,
  { bucket, storage, key }: Parameters<typeof lookAt>[1],
  { versionId: marker }: ObjectEntry,
): Promise<void> {
  const named = { bucket, key, versionId: marker };
  await recorded(call, named, "undelete", { type: "marker" }, async () => {
    const [result] = await storage.remove([{ key, versionId: marker }], { signal: call.signal });
    if (result?.error !== undefined) throw new AppError({ kind: "denied", ...result.error });
    const { etag, versionId: now } = await storage.stat(key, { signal: call.signal });
    return { type: "object", etag, versionId: now };
  });
}

function nothing(key: string, version: string | undefined): AppError {
  const what =
    version === undefined
      ? "no version to bring back: the bucket keeps none of it"
      : `no version ${keyText(version)}`;
  const code = version === undefined ? "NoSuchKey" : "NoSuchVersion";
  return notFoundError(code, `${keyText(key)} has ${what}`);
}

function there(key: string): AppError {
  return conflictError(
    "ObjectExists",
    `${keyText(key)} is not deleted`,
    "give the version_id that should be the latest, from list_versions",
  );
}
