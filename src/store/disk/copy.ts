/** Staging bytes that the store already has. */
import { join } from "node:path";
import type { Directory } from "./directory.js";
import type { OpenBlob } from "./reader.js";
import type { StagedBlob } from "./stage.js";
import { inMemory, stage, stageLink, stageSegments } from "./stage.js";

/** Shares the files of an opened object where all of it is wanted; else copies the bytes. */
export async function copyOf(
  directory: Directory,
  opened: OpenBlob,
  range?: { readonly start: number; readonly end: number },
): Promise<StagedBlob> {
  const { source, record } = opened;
  const start = range?.start ?? 0;
  const end = range?.end ?? record.size - 1;
  if (source.kind === "inline") return inMemory(Buffer.from(source.bytes.subarray(start, end + 1)));
  if (start === 0 && end === record.size - 1) {
    if (source.kind === "segments") {
      const { segments } = source.manifest;
      const files = segments.map(({ name }) => join(source.path, name));
      return stageSegments(directory, files, { segments });
    }
    const linked = await stageLink(directory, source.path, record.size);
    if (linked !== undefined) return linked;
    // Deleted since it was opened: the bytes are still to be had from the open file.
  }
  return stage(directory, opened.read(start, end));
}
