import { examples } from "../cli/args.js";
import { tail } from "../core/operations/excerpt.js";
import Head from "./head.js";

export default class Tail extends Head {
  static override summary = "Write the last lines of objects.";
  static override examples = examples({
    "local/demo/1.txt": "The last ten lines",
    "-n 3 local/demo/1.txt local/demo/2.txt": "Three lines of each",
    "-c 1KiB local/demo/1.txt": "The last kibibyte",
  });
  protected override readonly excerpt = tail;
}
