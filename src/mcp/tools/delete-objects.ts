import { z } from "zod";

import { formatCount } from "../../text/format.js";
import { invalidArgument } from "../../core/failures/errors.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import { undoName, undoNote } from "../change.js";
import type { Plan } from "../consent.js";
import { MAX_PAGE } from "../limits.js";
import {
  type Doomed,
  type Found,
  findBelow,
  findKeys,
  findVersions,
  removeSeen,
} from "../removal.js";
import { defined, keyText, shortQuoted } from "../text.js";
import { type Call, type ToolResult, defineTool } from "../tool.js";
import { confirm, name } from "./parameters.js";

/** Keys and failures that are named one by one, and keys in a question. */
const NAMED = 100;
const ASKED = 20;

const schema = {
  bucket_name: name,
  keys: z.array(name).min(1).max(MAX_PAGE).optional(),
  prefix: name.optional(),
  versions: z
    .array(z.strictObject({ key: name, version_id: name }))
    .min(1)
    .max(MAX_PAGE)
    .optional(),
  dry_run: z.boolean().optional(),
  confirm,
};

type Args = z.output<z.ZodObject<typeof schema>>;

export const deleteObjectsTool = defineTool({
  name: "delete_objects",
  description: "Delete keys, a prefix, or versions; confirm takes the dry_run's token",
  access: "write",
  schema,
  handler: async (args, call) => {
    const { bucket_name: bucket } = args;
    const storage = await call.bucket(bucket, "write");
    const found = await find(storage, args, call);
    const plan = planOf(args, found, call);
    if (args.dry_run === true) return dryRun(args, found, call, plan);
    if (found.doomed.length > 0) call.consent.confirm(plan, args.confirm);
    const results = await removeSeen(call, { bucket, storage }, found.doomed);
    const failures = results.filter(({ error }) => error !== undefined);
    const removed = results.length - failures.length;
    const undo = removed === 0 ? undefined : undoName(call, ...results.map(({ before }) => before));
    const named = failures.slice(0, NAMED).map(({ doomed, error }) => ({
      key: doomed.seen.key,
      code: error!.code,
      message: error!.message,
    }));
    const lines = [
      `deleted ${count(removed, args)} from ${call.label(bucket)}`,
      ...(undo === undefined ? [] : [`undo: ${undo}`]),
      ...missingLines(found),
      ...(found.complete ? [] : ["there is more: call again"]),
      ...(failures.length > 0 ? [`failed ${failures.length}:`] : []),
      ...named.map(({ key, code, message }) => `${keyText(key)}\t${code}: ${message}`),
    ];
    return {
      text: lines.join("\n"),
      structured: defined({
        at: call.at(),
        bucket,
        deleted: removed,
        failed: failures.length,
        undo,
        not_there: found.missing.length || undefined,
        more: found.complete ? undefined : true,
        failures: failures.length > 0 ? named : undefined,
      }),
      failed: failures.length > 0,
    };
  },
});

function find(storage: BucketStorage, args: Args, call: Call): Promise<Found> {
  const { keys, prefix, versions } = args;
  if ([keys, prefix, versions].filter((one) => one !== undefined).length !== 1) {
    throw invalidArgument(
      "give keys, prefix or versions, one of them",
      "name what to delete in exactly one way",
    );
  }
  if (keys !== undefined) return findKeys(storage, keys, call);
  if (versions !== undefined) return findVersions(storage, versions, call);
  return findBelow(storage, prefix!, call);
}

/** The question and what it stands for: exactly these keys, with these ETags and versions. */
function planOf(args: Args, { doomed }: Found, call: Call): Plan {
  const names = doomed
    .slice(0, ASKED)
    .map(({ seen, versionId }) =>
      versionId === undefined
        ? shortQuoted(seen.key)
        : `${shortQuoted(seen.key)} version ${shortQuoted(versionId)}`,
    );
  const more = doomed.length > ASKED ? [`and ${doomed.length - ASKED} more`] : [];
  const below = args.prefix === undefined ? "" : ` below ${shortQuoted(args.prefix)}`;
  const where = shortQuoted(call.label(args.bucket_name));
  const forGood = args.versions === undefined ? "" : " for good";
  return {
    question: `Delete ${amount(doomed, args)}${below} from ${where}${forGood}? ${noteOf(doomed, call)}\n${[...names, ...more].join("\n")}`,
    facts: [
      "delete",
      call.label(args.bucket_name),
      ...doomed.map(({ seen, versionId }) => [seen.key, seen.etag, seen.versionId, versionId]),
    ],
  };
}

/** A version that is not the latest has no place to go back to. */
function noteOf(doomed: readonly Doomed[], call: Call): string {
  const lost = doomed.some(
    ({ seen, versionId }) =>
      versionId !== undefined && seen.isLatest !== true && seen.isDeleteMarker !== true,
  );
  if (lost) return "It CANNOT be undone.";
  return undoNote(
    call,
    doomed.map(({ seen, versionId }) =>
      versionId === undefined ? seen : { size: seen.size, versionId: undefined },
    ),
  );
}

function count(items: number, args: Args): string {
  return formatCount(items, args.versions === undefined ? "object" : "version");
}

function amount(doomed: readonly Doomed[], args: Args): string {
  const bytes = doomed.reduce((sum, { seen }) => sum + seen.size, 0);
  return `${count(doomed.length, args)} (${formatCount(bytes, "byte")})`;
}

function missingLines({ missing }: Found): string[] {
  if (missing.length === 0) return [];
  const names = missing.slice(0, ASKED).map(keyText).join(", ");
  return [`not there: ${missing.length > ASKED ? `${missing.length} keys, first ` : ""}${names}`];
}

function dryRun(args: Args, found: Found, call: Call, plan: Plan): ToolResult {
  const { doomed, complete } = found;
  const first = doomed.slice(0, NAMED).map(({ seen }) => seen.key);
  const token = call.consent.token(plan);
  const asks = token === undefined ? "the person will be asked" : `confirm with: ${token}`;
  const lines = [
    `dry run, nothing deleted; in ${call.label(args.bucket_name)} this would delete ${amount(doomed, args)}`,
    ...(doomed.length === 0 ? [] : [`${asks}; ${noteOf(doomed, call)}`]),
    ...missingLines(found),
    ...first.map(keyText),
    ...(first.length < doomed.length ? ["…"] : []),
  ];
  return {
    text: lines.join("\n"),
    structured: {
      dry_run: true,
      at: call.at(),
      bucket: args.bucket_name,
      count: doomed.length,
      bytes: doomed.reduce((sum, { seen }) => sum + seen.size, 0),
      complete,
      ...(token === undefined || doomed.length === 0 ? {} : { confirm: token }),
      keys: first,
    },
  };
}
