import { examples, one } from "../cli/args.js";
import Copy from "./cp.js";

export default class Pipe extends Copy {
  static override summary = "Store stdin as an object; cp - TARGET, as mc calls it.";
  static override description = "The flags are those of cp.";
  static override examples = examples({
    "$ tar c . | pail pipe local/demo/all.tar": "Upload what a program writes",
  });
  static override args = { target: one("alias/bucket/key") } as never;

  override async run(): Promise<void> {
    this.argv.unshift("-");
    await super.run();
  }
}
