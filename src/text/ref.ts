import { type Ref, nameOf } from "../core/ref.js";

/**
 * A ref as a person reads it: its name, and which version or upload is meant. An object that was
 * never versioned is listed as version `null`, which tells a person nothing.
 */
export function refLabel(ref: Ref): string {
  const name = nameOf(ref);
  if (ref.type === "upload") return `${name}?uploadId=${ref.uploadId}`;
  if (ref.type !== "object" || ref.versionId === undefined || ref.versionId === "null") return name;
  return `${name}?versionId=${ref.versionId}`;
}
