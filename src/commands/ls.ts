import { boolean } from "@oclif/core/flags";

import { any, BELOW, examples } from "../cli/args.js";
import { aliasLines, aliasRecord } from "../cli/alias-lines.js";
import {
  literalFlag,
  type OpenedPlace,
  openRemote,
  PATTERN_RULE,
  readingOf,
} from "../cli/address.js";
import { atFlag, contextAt } from "../cli/at-flag.js";
import { BaseCommand, type Session } from "../cli/base.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  requireChoice,
} from "../cli/choice.js";
import { formatSize } from "../text/format.js";
import { bucketLines, entryLines, entryRecord, numbered, versionLines } from "../cli/list-lines.js";
import { type Remote, remote } from "../cli/locations.js";
import { findingReportFlags, jobOf, withReport } from "../cli/report-flag.js";
import { forEachTarget } from "../cli/several.js";
import { payerFlag } from "../cli/transfer-flags.js";
import { isAppError } from "../core/failures/errors.js";
import type { Filter } from "../core/filter.js";
import { type ListingPage, listKey } from "../core/listing.js";
import { type Usage, add, nothing } from "../core/operations/sum.js";

export default class List extends BaseCommand {
  static override summary = "List aliases, buckets or objects.";
  static override description = `Without a target the aliases; on an alias its buckets; on a bucket or prefix what is there, one level deep.

A line is local time, size, name; names are relative to what was listed and prefixes end in "/". A target that is an object lists itself. Where a name is neither an object nor a prefix, what begins with it is listed.

${PATTERN_RULE}

${FILTER_RULES}`;
  static override examples = examples({
    "": "Your aliases",
    local: "The buckets of an alias",
    "-r local/photos/2025/": "Everything below a prefix",
    "--versions local/photos/cat.jpg": "An object's versions and delete markers",
    "-r --json local/photos | wc -l": "Count the objects, as a program would",
  });
  static override args = { targets: any(BELOW) };
  static override flags = {
    recursive: boolean({ char: "r", description: "List everything below, not one level." }),
    ...atFlag,
    ...literalFlag,
    versions: boolean({ description: "List every version and delete marker." }),
    summarize: boolean({ description: "End with the number of objects and their size." }),
    ...filterFlags,
    ...findingReportFlags,
    ...payerFlag,
  };

  async run(): Promise<void> {
    const { args, flags, ...opened } = await this.open(List);
    const session = { ...opened, context: contextAt(opened.context, flags.at) };
    this.endWithReader();
    const { targets = [] } = args;
    const filter = await readFilter(opened.context, flags, targets);
    requireChoice(filter, flags.recursive || filter.shard === undefined, targets);
    if (targets.length === 0) return await listAliases(session);
    const job = jobOf("ls", this.argv, filter);
    await withReport(session, flags.report, job, (_, found) =>
      forEachTarget(session, targets, async (text, index) => {
        const target = await remote(session.context, text, "alias");
        // With several names, each listing stands under its own name, as in ls.
        const head = targets.length > 1 ? [...(index > 0 ? [""] : []), `${text}:`] : [];
        if (!session.output.json) session.output.result({}, head);
        if (target.bucket === "") return await listBuckets(session, target);
        const { objects, versions, bytes } = await listObjects(session, target, {
          ...flags,
          filter,
        });
        found(objects + versions, bytes);
      }),
    );
    noteIdlePatterns(session.output, flags, filter);
  }
}

interface ListFlags {
  readonly recursive: boolean;
  readonly versions: boolean;
  readonly summarize: boolean;
  readonly literal: boolean;
  readonly filter: Filter;
}

/** The listing of a name; where nothing has the name, the listing of all that begins with it. */
async function* pagesOf(
  { output, signal }: Session,
  { storage, key, text }: OpenedPlace,
  { recursive, versions, filter }: ListFlags,
): AsyncGenerator<ListingPage> {
  try {
    yield* listKey(storage, key, { recursive, versions, filter, signal });
  } catch (error) {
    if (!isAppError(error) || error.code !== "NoSuchKey" || key === "" || filter.shard) throw error;
    const base = key.slice(0, key.lastIndexOf("/") + 1);
    const delimiter = recursive ? undefined : "/";
    let found = false;
    for await (const entries of storage.list({ prefix: key, delimiter, versions, signal })) {
      if (entries.length === 0) continue;
      if (!found) output.note(`nothing is named ${text}; this begins so:`);
      found = true;
      yield { base, entries };
    }
    if (!found) throw error;
  }
}

async function listObjects(session: Session, target: Remote, flags: ListFlags): Promise<Usage> {
  const { context, output, signal } = session;
  const options = { reading: readingOf(flags), versions: flags.versions, signal };
  const place = await openRemote(context, target, options);
  const total = nothing();
  const pages = counted(pagesOf(session, place, flags), total);
  const label = `${target.alias}/${target.bucket}`;
  if (flags.versions) await showVersions(session, pages, label);
  else await showEntries(session, pages, label);
  if (flags.summarize) {
    const { bytes } = total;
    const objects = total.objects + total.versions;
    output.result({ type: "summary", objects, bytes }, [
      "",
      `Total Size: ${formatSize(bytes)}`,
      `Total Objects: ${objects}`,
    ]);
  }
  return total;
}

async function listAliases({ context, output }: Session): Promise<void> {
  const aliases = await context.aliases();
  const lines = aliasLines(aliases);
  aliases.forEach((alias, index) => output.result(aliasRecord(alias), lines[index]));
}

async function listBuckets({ context, output, signal }: Session, { alias }: Remote): Promise<void> {
  const line = bucketLines();
  const buckets = await (await context.buckets(alias)).list({ signal });
  await output.page(buckets, line, ({ name, created }) => ({
    type: "bucket",
    location: `${alias}/${name}`,
    name,
    ...(created === undefined ? {} : { created: new Date(created).toISOString() }),
  }));
  if (buckets.length === 0) output.note(`no buckets; make one with: pail mb ${alias}/my-bucket`);
}

async function showEntries(
  { output }: Session,
  pages: AsyncIterable<ListingPage>,
  label: string,
): Promise<void> {
  const line = entryLines();
  for await (const { base, entries } of pages) {
    await output.page(
      entries,
      (entry) => line(entry, base),
      (entry) => entryRecord(entry, label),
    );
  }
}

async function showVersions(
  { output }: Session,
  pages: AsyncIterable<ListingPage>,
  label: string,
): Promise<void> {
  const line = entryLines();
  const versionLine = versionLines();
  for await (const items of numbered(pages)) {
    await output.page(
      items,
      ({ entry, ordinal, base }) =>
        entry.type === "prefix" ? line(entry, base) : versionLine(entry, ordinal, base),
      ({ entry }) => entryRecord(entry, label),
    );
  }
}

async function* counted(
  pages: AsyncIterable<ListingPage>,
  total: Usage,
): AsyncGenerator<ListingPage> {
  for await (const page of pages) {
    for (const entry of page.entries) if (entry.type === "object") add(total, entry);
    yield page;
  }
}
