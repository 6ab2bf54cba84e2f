import ServeCheck from "./check.js";

export default class ServeRepair extends ServeCheck {
  static override summary = "Check the embedded store, and remove what cannot be read.";
  static override description =
    "Removes damaged records, which are kept in the folder damaged/ of the store, and versions whose bytes are gone, so that their keys can be written again. Objects whose bytes have changed are named and left.";
  protected override readonly repair = true;
}
