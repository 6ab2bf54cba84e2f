import { examples } from "../../../cli/args.js";
import { BaseCommand } from "../../../cli/base.js";
import { createTimeFormat } from "../../../text/format.js";

export default class KeyList extends BaseCommand {
  static override summary = "List the embedded store's access keys, without their secrets.";
  static override examples = examples({ "": "The keys there are" });

  async run(): Promise<void> {
    const { context, output } = await this.open(KeyList);
    const { keys } = await context.store();
    const time = createTimeFormat();
    await output.page(
      await keys.list(),
      ({ accessKeyId, created, description = "", readOnly, buckets }) =>
        [
          time(created.getTime()),
          accessKeyId,
          ...(readOnly === true ? ["read-only"] : []),
          ...(buckets === undefined ? [] : [`only ${buckets.join(",")}`]),
          description,
        ]
          .join(" ")
          .trimEnd(),
      ({ accessKeyId, created, description, readOnly, buckets }) => ({
        type: "access-key",
        accessKeyId,
        created: created.toISOString(),
        ...(readOnly === true ? { readOnly } : {}),
        ...(buckets === undefined ? {} : { buckets }),
        ...(description === undefined ? {} : { description }),
      }),
    );
  }
}
