/** File systems that are mounted for a test: a very small one, and one that ignores case. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

/** Why a test that has no small disk is skipped. */
export const NO_SMALL_DISK = "this needs the right to mount a small disk";

/**
 * Makes a directory that is a disk of its own, of so many KiB; returns what takes it away again.
 * Undefined for a user who may not mount: on Linux that takes the superuser.
 */
export function mountSmallDisk(directory: string, kib: number): (() => void) | undefined {
  mkdirSync(directory, { recursive: true });
  try {
    const options = ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", directory];
    execFileSync("mount", options, { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return () => void execFileSync("umount", [directory]);
}

/** Why a test that has no disk of that kind is skipped. */
export const NO_CASE_BLIND_DISK = "this needs the right to mount, and Debian's ntfs-3g";

/**
 * Makes a directory a disk on which names that differ only in case are one, and are listed in lower
 * case; returns what takes it away again. Undefined for a user who may not mount, and where the
 * program for it is missing.
 */
export function mountCaseBlindDisk(directory: string): (() => void) | undefined {
  const image = `${directory}.image`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(image, Buffer.alloc(4 * 1024 * 1024));
  try {
    execFileSync("mkntfs", ["-q", "-F", "-f", image], { stdio: "ignore" });
    execFileSync("lowntfs-3g", ["-o", "ignore_case", image, directory], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return () => {
    execFileSync("umount", [directory]);
    rmSync(image);
  };
}
