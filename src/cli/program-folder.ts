/** Where pail's package.json and oclif.manifest.json are. */
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
