/** A file system of a few bytes, for what happens when a disk is full. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** Why a test that has no small disk is skipped. */
export const NO_SMALL_DISK = "this needs the right to mount a small disk";

/**
 * Makes a directory that is a disk of its own, of so many KiB; returns what takes it away again.
 * Undefined for a user who may not mount: on Linux that takes the superuser.
 */
export function mountSmallDisk(directory: string, kib: number): (() => void) | undefined {
  mkdirSync(directory);
  try {
    const options = ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", directory];
    execFileSync("mount", options, { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return () => void execFileSync("umount", [directory]);
}
