/** Help goes through all of oclif, in a bundle of its own: only a person waits for it. */
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
  if (words.length === 0) process.stdout.write(FIRST_STEPS);
}

const FIRST_STEPS = `FIRST STEPS
  pail mb local/demo && pail cp FILE local/demo   a store on this machine, without any setting
  pail alias set NAME URL                         any S3-compatible service
  pail alias import mc|aws|rclone                 what other tools know already
  pail tui                                        the console; pail serve, pail mcp serve

EXIT CODES
  0 done  1 a bug  2 usage  3 not found  4 denied  5 conflict or different
  6 unavailable  7 some items failed  130 interrupted

ENVIRONMENT
  PAIL_HOST_<alias>=https://ACCESS:SECRET@host makes an alias; AWS_* is for the alias aws
  PAIL_CONFIG_DIR, PAIL_STORE_DIR, PAIL_STATE_DIR, PAIL_CACHE_DIR say where files are kept

`;
