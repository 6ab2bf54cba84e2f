import { examples } from "../cli/args.js";
import Copy from "./cp.js";

export default class Get extends Copy {
  static override summary = "Download objects; cp, as mc calls it.";
  static override description = "The grammar and the flags are those of cp.";
  static override examples = examples({ "local/demo/1.txt .": "Download an object" });
}
