import { string } from "@oclif/core/flags";

import { examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { showChecked } from "../../cli/serve-check.js";

export default class ServeCheck extends BaseCommand {
  static override summary =
    "Read every object of the embedded store and compare it with its checksum.";
  static override description =
    "Finds what a disk has changed: records that cannot be read, bytes that are missing, bytes that are not those that were stored. Nothing is changed. The exit code is 7 when there is such a thing.";
  static override examples = examples({
    "": "Read every object, and compare it with its checksum",
    "--bucket photos": "Those of one bucket",
  });
  static override flags = {
    bucket: string({ description: "One bucket instead of all.", helpValue: "NAME" }),
  };

  /** `serve repair` also removes the objects that cannot be read. */
  protected readonly repair: boolean = false;

  async run(): Promise<void> {
    const { flags, context, output, signal } = await this.open(ServeCheck);
    const store = await context.store();
    const checked = store.check({ bucket: flags.bucket, repair: this.repair });
    await showChecked(output, checked, signal);
  }
}
