import type { PlanItem } from "../../core/sync/plan.js";
import { sync } from "../../core/operations/sync.js";
import { formatCount } from "../../text/format.js";
import { defined, keyText, oneLine } from "../text.js";
import { defineTool } from "../tool.js";
import { name, part } from "./parameters.js";

/** Names that are shown of each kind. */
const SHOWN = 100;

type Kind = "only_source" | "only_target" | "different";

export const compareTool = defineTool({
  name: "compare",
  description: "Compare all below two prefixes: only in one, or different",
  access: "read",
  schema: {
    source_bucket: name,
    source_prefix: part.optional(),
    bucket_name: name,
    prefix: part.optional(),
  },
  aliasParameters: ["source_alias", "alias"],
  handler: async (args, call) => {
    const { source_alias: alias } = args as { source_alias?: string };
    const side = async (bucket: string, key = "", from = call.alias) => ({
      type: "bucket" as const,
      alias: from,
      storage: await call.bucket(bucket, "read", from),
      key,
    });
    const found: Record<Kind, PlanItem[]> = { only_source: [], only_target: [], different: [] };
    const { summary } = await sync({
      source: await side(args.source_bucket, args.source_prefix, alias),
      target: await side(args.bucket_name, args.prefix),
      // A plan to make the target the same, of which nothing is carried out.
      choice: { compare: "auto", update: false, keepDiffering: false, remove: true },
      dryRun: true,
      allowEmptySource: true,
      deleteLimit: { percent: 100 },
      onPlanned: (item) => {
        const list = found[kindOf(item)];
        if (list.length < SHOWN) list.push(item);
      },
      signal: call.signal,
      onEvent: call.onTransfer,
    });
    const { new: added, changed, gone, same } = summary.total;
    const counts = {
      same: same.items,
      only_source: added.items,
      only_target: gone.items,
      different: changed.items,
    };
    const kinds = ["only_source", "only_target", "different"] as const;
    const lists = kinds.flatMap((kind) => {
      const names = found[kind].map(lineOf);
      const more = counts[kind] - names.length;
      return names.length === 0
        ? []
        : [`${kind}:`, ...names, ...(more > 0 ? [`and ${more} more`] : [])];
    });
    const places = [
      `${call.label(args.source_bucket, alias)}/${args.source_prefix ?? ""}`,
      `${call.label(args.bucket_name)}/${args.prefix ?? ""}`,
    ] as const;
    return {
      text: [
        `${oneLine(places[0])} and ${oneLine(places[1])}: ${formatCount(counts.same, "object")} the same, ${counts.only_source} only in the source, ${counts.only_target} only in the target, ${counts.different} different`,
        ...lists,
      ].join("\n"),
      structured: defined({
        source: places[0],
        target: places[1],
        ...counts,
        names: Object.fromEntries(kinds.map((kind) => [kind, found[kind].map((one) => one.name)])),
      }),
    };
  },
});

function kindOf({ do: action, target }: PlanItem): Kind {
  if (action === "remove") return "only_target";
  return target === undefined ? "only_source" : "different";
}

function lineOf({ name: key, source, target, reason }: PlanItem): string {
  if (source !== undefined && target !== undefined) {
    return `${keyText(key)}\t${reason === "size" ? `${source.size}, ${target.size} bytes` : reason}`;
  }
  return `${keyText(key)}\t${(source ?? target)!.size} bytes`;
}
