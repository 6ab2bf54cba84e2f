import { boolean, integer, option } from "@oclif/core/flags";

import { BELOW, examples, many } from "../cli/args.js";
import { requireChoice } from "../cli/choice.js";
import { findingReportFlags, jobOf, withReport } from "../cli/report-flag.js";
import { readShard, shardFlags } from "../cli/shard.js";
import type { Filter } from "../core/filter.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { forEachPlace, literalFlag, type OpenedPlace } from "../cli/address.js";
import { nothing, sum, type UsageGroup, type UsageKind } from "../core/operations/sum.js";
import { sumUploads } from "../core/operations/uploads.js";
import { formatCount, formatSize } from "../text/format.js";

export default class DiskUsage extends BaseCommand {
  static override summary = "Show how much there is, by prefix or by kind.";
  static override description = `A line is size, number of objects, and what they are; the total comes last. Unfinished uploads, which no listing shows and which are paid for, have a line of their own.`;
  static override examples = examples({
    "local/demo": "The total",
    "-d 1 --sort size local/demo": "Everything directly below, largest first",
    "--by extension local": "By what the names end with, of all buckets",
    "--versions --json local/demo": "Older versions counted, for a program",
  });
  static override args = { targets: many(BELOW) };
  static override flags = {
    depth: integer({
      char: "d",
      description: "Levels of prefixes below the target with a line of their own.",
      min: 0,
      default: 0,
    }),
    by: option({
      description: "Group by this in place of prefixes.",
      options: ["class", "extension", "age"] as const,
    })(),
    sort: option({
      description: "Largest first; by name otherwise.",
      options: ["size", "objects"] as const,
    })(),
    ...literalFlag,
    versions: boolean({ description: "Count every version and delete marker." }),
    ...shardFlags,
    ...findingReportFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(DiskUsage);
    this.endWithReader();
    const filter = { shard: await readShard(session.context, flags, args.targets) };
    requireChoice(filter, true, args.targets);
    await withReport(session, flags.report, jobOf("du", this.argv, filter), (_, found) =>
      forEachPlace(session, args.targets, flags, async (place) => {
        const { objects, bytes } = await showUsage(session, place, { ...flags, filter });
        found(objects, bytes);
      }),
    );
  }
}

interface UsageFlags {
  readonly depth: number;
  readonly by?: Exclude<UsageKind, "prefix"> | undefined;
  readonly sort?: "size" | "objects" | undefined;
  readonly versions: boolean;
  readonly filter: Filter;
}

async function showUsage(
  { output, signal }: Session,
  { alias, bucket, key, storage, text, pattern }: OpenedPlace,
  { depth, by, sort, versions, filter }: UsageFlags,
): Promise<UsageGroup> {
  const label = `${alias}/${bucket}`;
  const base = key === "" ? label : `${label}/${key}`;
  const target = pattern === undefined ? base : text;
  const show = ({ name, ...usage }: UsageGroup) => {
    const isTotal = name === "";
    const kind = by === undefined || isTotal ? undefined : name;
    const location = isTotal || kind !== undefined ? target : `${label}/${name}`;
    const record = {
      type: "usage",
      location,
      ...(kind === undefined ? {} : { [by!]: kind }),
      ...usage,
    };
    const old = versions ? `  ${usage.versions} older, ${usage.deleteMarkers} delete markers` : "";
    output.result(record, `${columns(usage.bytes, usage.objects)}  ${kind ?? location}${old}`);
  };

  let total: UsageGroup = { name: "", ...nothing() };
  const held: UsageGroup[] = [];
  for await (const group of sum(storage, key, { by, depth, versions, filter, signal })) {
    if (group.name === "") total = group;
    else if (sort !== undefined || by !== undefined) held.push(group);
    else show(group);
  }
  const size = (group: UsageGroup) => (sort === "objects" ? group.objects : group.bytes);
  const order = (a: UsageGroup, b: UsageGroup) =>
    sort === undefined ? (a.name < b.name ? -1 : 1) : size(b) - size(a);
  for (const group of held.toSorted(order)) show(group);

  const uploads = await sumUploads(storage, { key, filter, signal });
  if (uploads !== undefined && uploads.count > 0) {
    const what = formatCount(uploads.count, "unfinished upload");
    output.result(
      { type: "uploads-usage", location: target, ...uploads },
      `${columns(uploads.bytes, 0)}  ${what} at or below ${target}`,
    );
  }
  show(total);
  return total;
}

function columns(bytes: number, objects: number): string {
  return `${formatSize(bytes).padStart(7)} ${String(objects).padStart(9)}`;
}
