import { z } from "zod";

import { formatCount } from "../../text/format.js";
import { AppError } from "../../core/failures/errors.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import { remove } from "../../core/operations/remove.js";
import { MAX_PAGE, SCAN_BUDGET } from "../limits.js";
import { keyText } from "../text.js";
import { type Call, type ToolResult, defineTool } from "../tool.js";
import { confirm, name } from "./parameters.js";

/** Keys and failures that are named one by one. */
const NAMED = 100;

const schema = {
  bucket_name: name,
  keys: z.array(name).min(1).max(MAX_PAGE).optional(),
  prefix: name.optional(),
  dry_run: z.boolean().optional(),
  confirm,
};

type Args = z.output<z.ZodObject<typeof schema>>;

export const deleteObjectsTool = defineTool({
  name: "delete_objects",
  title: "Delete objects",
  description: "Delete objects by keys or by prefix; needs confirm unless dry_run",
  access: "write",
  scope: "bucket",
  schema,
  annotations: { idempotentHint: true },
  handler: async (args, call) => {
    const { bucket_name: bucket, keys, prefix, dry_run: dryRun = false } = args;
    if ((keys === undefined) === (prefix === undefined)) {
      throw new AppError({
        kind: "usage",
        code: "InvalidArgument",
        message: "give keys or prefix, one of them",
      });
    }
    const storage = await call.bucket(bucket, "write");
    const plan = async () =>
      keys === undefined ? await below(storage, prefix!, call) : listed(keys);
    if (dryRun) return planResult(bucket, await plan());
    await call.confirm(
      async () => `Delete ${planText(await plan())} from ${call.label(bucket)}?`,
      args.confirm,
    );
    return erase(storage, args, call);
  },
});

/** What is going to be deleted, as far as it was looked at. */
interface Plan {
  readonly count: number;
  /** Bytes, where a listing told. */
  readonly bytes: number | undefined;
  /** False when there is more than was looked at. */
  readonly complete: boolean;
  readonly first: readonly string[];
  readonly prefix: string | undefined;
}

function listed(keys: readonly string[]): Plan {
  const first = [...new Set(keys)];
  return {
    count: first.length,
    bytes: undefined,
    complete: true,
    first: first.slice(0, NAMED),
    prefix: undefined,
  };
}

async function below(storage: BucketStorage, prefix: string, { signal }: Call): Promise<Plan> {
  const first: string[] = [];
  let count = 0;
  let bytes = 0;
  for await (const page of storage.list({ prefix, signal })) {
    for (const entry of page) {
      if (entry.type !== "object") continue;
      if (count === SCAN_BUDGET) return { count, bytes, complete: false, first, prefix };
      count += 1;
      bytes += entry.size;
      if (first.length < NAMED) first.push(entry.key);
    }
  }
  return { count, bytes, complete: true, first, prefix };
}

function planText(plan: Plan): string {
  const { count, first } = plan;
  if (count === 0) return amountText(plan);
  const names = first.slice(0, 5).map(keyText).join(", ");
  return `${amountText(plan)}: ${names}${count > 5 ? ", …" : ""}`;
}

function amountText({ count, bytes, complete, prefix }: Plan): string {
  const amount = `${complete ? "" : "more than "}${formatCount(count, "object")}`;
  const size = bytes === undefined ? "" : ` (${bytes} bytes)`;
  return `${amount}${size}${prefix === undefined ? "" : ` below prefix ${keyText(prefix)}`}`;
}

function planResult(bucket: string, plan: Plan): ToolResult {
  const { count, bytes, complete, first } = plan;
  return {
    text: [
      `dry run, nothing deleted; in ${bucket} this would delete ${amountText(plan)}`,
      ...first.map(keyText),
      ...(first.length < count ? ["…"] : []),
    ].join("\n"),
    structured: {
      dry_run: true,
      bucket,
      count,
      complete,
      ...(bytes === undefined ? {} : { bytes }),
      keys: first,
    },
  };
}

async function erase(storage: BucketStorage, args: Args, call: Call): Promise<ToolResult> {
  const { bucket_name: bucket, keys, prefix } = args;
  const targets = keys === undefined ? keysBelow(storage, prefix!, call) : each(new Set(keys));
  const { snapshot, failures } = await remove({
    storage,
    alias: call.alias,
    targets,
    signal: call.signal,
    onEvent: call.onTransfer,
  });
  const deleted = snapshot.items.done;
  const failed = snapshot.items.failed;
  const named = failures.slice(0, NAMED).map(({ item: { target }, error }) => ({
    key: target.type === "object" ? target.key : "",
    code: error.code,
    message: error.message,
  }));
  const lines = [`deleted ${formatCount(deleted, "object")} from ${bucket}`];
  if (failed > 0) lines.push(`failed ${failed}:`);
  for (const { key, code, message } of named) lines.push(`${keyText(key)}\t${code}: ${message}`);
  return {
    text: lines.join("\n"),
    structured: { bucket, deleted, failed, ...(failed > 0 ? { failures: named } : {}) },
    failed: failed > 0,
  };
}

async function* each(keys: Iterable<string>): AsyncIterable<{ key: string }> {
  for (const key of keys) yield { key };
}

/** As list_objects understands a prefix: any key that begins with it. */
async function* keysBelow(
  storage: BucketStorage,
  prefix: string,
  { signal }: Call,
): AsyncIterable<{ key: string }> {
  for await (const page of storage.list({ prefix, signal })) {
    for (const { type, key } of page) if (type === "object") yield { key };
  }
}
