/** Help is what only a person waits for: it goes through oclif whole, in a bundle of its own. */
import { Config, Help } from "@oclif/core";

import { PROGRAM } from "../version.js";

/**
 * Shows the help of the command or topic that `words` name; of pail when there are none. `root` is
 * a folder of the installed package, whose manifest describes the commands.
 */
export async function showHelp(words: string[], root: string): Promise<void> {
  const config = await Config.load(root);
  // oclif names the program after its package, whose name on npm is another.
  config.userAgent = PROGRAM;
  await new Help(config).showHelp(words);
}
