import { boolean, integer, option } from "@oclif/core/flags";

import { BELOW, examples, many } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { forEachPlace, literalFlag, type OpenedPlace } from "../cli/address.js";
import { sum, type UsageGroup, type UsageKind } from "../core/operations/sum.js";
import { sumUploads } from "../core/operations/uploads.js";
import { formatCount, formatSize } from "../text/format.js";

export default class DiskUsage extends BaseCommand {
  static override summary = "Show how much there is, by prefix or by kind.";
  static override description = `A line is size, number of objects, and what they are; the total comes last. Unfinished uploads, which no listing shows and which are paid for, have a line of their own.`;
  static override examples = examples({
    "local/demo": "The total",
    "-d 1 --sort size local/demo": "What stands directly below, largest first",
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
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(DiskUsage);
    this.endWithReader();
    await forEachPlace(session, args.targets, flags, (place) => showUsage(session, place, flags));
  }
}

interface UsageFlags {
  readonly depth: number;
  readonly by?: Exclude<UsageKind, "prefix"> | undefined;
  readonly sort?: "size" | "objects" | undefined;
  readonly versions: boolean;
}

async function showUsage(
  { output, signal }: Session,
  { alias, bucket, key, storage, text, pattern }: OpenedPlace,
  { depth, by, sort, versions }: UsageFlags,
): Promise<void> {
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

  let total: UsageGroup | undefined;
  const held: UsageGroup[] = [];
  for await (const group of sum(storage, key, { by, depth, versions, signal })) {
    if (group.name === "") total = group;
    else if (sort !== undefined || by !== undefined) held.push(group);
    else show(group);
  }
  const size = (group: UsageGroup) => (sort === "objects" ? group.objects : group.bytes);
  const order = (a: UsageGroup, b: UsageGroup) =>
    sort === undefined ? (a.name < b.name ? -1 : 1) : size(b) - size(a);
  for (const group of held.toSorted(order)) show(group);

  const uploads = await sumUploads(storage, key, signal);
  if (uploads !== undefined && uploads.count > 0) {
    const what = formatCount(uploads.count, "unfinished upload");
    output.result(
      { type: "uploads-usage", location: target, ...uploads },
      `${columns(uploads.bytes, 0)}  ${what} at or below ${target}`,
    );
  }
  if (total !== undefined) show(total);
}

function columns(bytes: number, objects: number): string {
  return `${formatSize(bytes).padStart(7)} ${String(objects).padStart(9)}`;
}
