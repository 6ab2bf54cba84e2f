import { examples } from "../cli/args.js";
import Copy from "./cp.js";

export default class Put extends Copy {
  static override summary = "Upload files; cp, as mc calls it.";
  static override description = "The grammar and the flags are those of cp.";
  static override examples = examples({ "1.txt local/demo": "Upload a file" });
}
