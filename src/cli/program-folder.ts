/** Where pail's package.json and oclif.manifest.json are, and how pail is started. */
import { realpathSync } from "node:fs";
import { join } from "node:path";

let find = (): string => join(__dirname, "..");

/** The folder that holds both files. */
export function programFolder(): string {
  return find();
}

/** A single executable has no folder of its own: it says here where it lays both files down. */
export function setProgramFolder(folder: () => string): void {
  find = folder;
}

/** The words that start pail from anywhere: Node and the program, or the single executable. */
export function programWords(): [command: string, ...words: string[]] {
  const [, script = ""] = process.argv;
  const isSingle = process.versions["bun"] !== undefined;
  return isSingle ? [process.execPath] : [process.execPath, realpathSync(script)];
}
