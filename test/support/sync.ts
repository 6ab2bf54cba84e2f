/** Syncs between a directory and a bucket of an embedded store, and what is there afterwards. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { sync } from "../../src/core/operations/sync.js";
import type { SyncReport, SyncRequest } from "../../src/core/sync/state.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import type { Choice } from "../../src/core/sync/decide.js";
import type { PlanItem } from "../../src/core/sync/plan.js";
import type { Side } from "../../src/core/sync/sides.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "../../src/protocol/message.js";
import { readAll } from "../../src/protocol/message.js";
import { recorder, type TestBucket } from "./bucket.js";

export type Ran = SyncReport & {
  /** The plan, as `name: reason`. */
  readonly plan: readonly string[];
  readonly items: readonly PlanItem[];
  /** Codes of the failures, with what they are about. */
  readonly failed: readonly string[];
};

type Options = Partial<Omit<SyncRequest, "choice">> & Partial<Choice>;

/** Runs a sync with `--delete` and without fingerprints, unless told. */
export async function runSync(source: Side, target: Side, options: Options = {}): Promise<Ran> {
  const { compare = "auto", update = false, keepDiffering = false, remove = true } = options;
  const items: PlanItem[] = [];
  const seen = recorder();
  const report = await sync({
    source,
    target,
    choice: { compare, update, keepDiffering, remove },
    onPlanned: (item) => items.push(item),
    ...options,
    onEvent: (event, snapshot) => {
      seen.onEvent(event);
      options.onEvent?.(event, snapshot);
    },
  });
  const failed = seen.of("failed").map(({ item, error }) => {
    const ref = item.source ?? item.target;
    return `${error.code} ${ref.type === "object" ? ref.key : (ref as { path: string }).path.split("/").at(-1)}`;
  });
  return { ...report, items, plan: items.map(({ name, reason }) => `${name}: ${reason}`), failed };
}

/** Every file below a directory with its content. */
export function filesIn(root: string): Record<string, string> {
  if (!existsSync(root)) return {};
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(root, name)).isFile())
      .map((name) => [name, readFileSync(join(root, name), "latin1")]),
  );
}

/** Every object below a prefix with its content. */
export async function objectsIn(
  storage: BucketStorage,
  prefix = "",
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const page of storage.list({ prefix })) {
    for (const { key } of page) {
      const { body } = await storage.read(key);
      found[key.slice(prefix.length)] = (await readAll(body, 1024 ** 3)).toString("latin1");
    }
  }
  return found;
}

type Meddle = (
  request: HttpRequest,
  pass: () => Promise<HttpResponse>,
) => Promise<HttpResponse> | undefined;

/** The bucket as seen through something that meddles with some of its requests. */
export async function meddled(
  bucket: TestBucket,
  meddle: Meddle,
): Promise<Extract<Side, { type: "bucket" }>> {
  const storage = await bucket.through(
    (inner): HttpHandler =>
      (request, options) =>
        meddle(request, () => inner(request, options)) ?? inner(request, options),
  );
  return { type: "bucket", alias: "meddled", storage, key: "" };
}

/** An answer in S3's words. */
export function refusal(status: number, code: string): HttpResponse {
  const bytes = Buffer.from(`<Error><Code>${code}</Code><Message>injected</Message></Error>`);
  return {
    status,
    headers: { "content-type": "application/xml", "content-length": String(bytes.length) },
    body: (async function* () {
      await Promise.resolve();
      yield bytes;
    })(),
    bytes,
  };
}
