import { tail } from "../core/operations/excerpt.js";
import Head from "./head.js";

export default class Tail extends Head {
  static override summary = "Write the last lines of objects.";
  protected override readonly excerpt = tail;
}
