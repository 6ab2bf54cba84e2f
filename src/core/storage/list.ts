/**
 * Listings over the raw signed request: ListObjectsV2, ListObjects where a service has no V2, and
 * ListObjectVersions (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
 */
import { type Borrowed, type HttpResponse, takeText } from "../../protocol/message.js";
import { AppError, isAppError } from "../failures/errors.js";
import { createGate } from "../engine/gate.js";
import type { RetryNotice, SignedClient } from "../http/client.js";
import { requestBytes, strange } from "./documents.js";
import { compareKeys } from "./key-order.js";
import { type ScannedPage, scanListing } from "./list-scanner.js";
import { circleDetector, circular, pages } from "./pages.js";
import { isOrdered, type Run, runOf } from "./run.js";
import { inconsistent, splitList } from "./split/split-list.js";
import type { Answer } from "./split/types.js";
import type { Entry, ListOptions, ObjectEntry } from "./storage.js";

/** The query parameters that continue a listing. */
type Continuation = Readonly<Record<string, string>>;

/** Requests under way in one listing, where that pays. */
const CONNECTIONS = { initial: 32, max: 64 };

/** A page of 1000 keys of 1024 bytes, each byte escaped, stays well below. */
const PAGE_LIMIT = 64 * 1024 * 1024;

/**
 * Makes the `list` of one bucket. Whether the service knows ListObjectsV2, and whether it can be
 * asked for several ranges of keys at once, is found out once.
 *
 * A flat listing is split while it goes on (split/). Any other fetches the next page while the
 * current one is consumed, unless the caller chose a page size: such a caller takes pages one at a
 * time, and usually not all of them.
 */
export function lister(
  client: SignedClient,
  bucket: string,
): (options?: ListOptions) => AsyncIterable<Entry[]> {
  let hasV2 = true;
  let maySplit = true;

  const fetchPage = async (
    options: ListOptions,
    cursor: Continuation | undefined,
    signal: AbortSignal,
    onRetry?: (retry: RetryNotice) => void,
  ): Promise<Answer> => {
    const start = options.startAfter || undefined;
    const query = {
      "encoding-type": "url",
      prefix: options.prefix || undefined,
      delimiter: options.delimiter || undefined,
      "max-keys": options.pageSize?.toString(),
    };
    const get = async (more: Readonly<Record<string, string | undefined>>) =>
      scan(client, bucket, { ...query, ...more, ...cursor }, signal, onRetry);

    let page: ScannedPage;
    let versions = false;
    if (options.versions) {
      page = await get({ versions: "", "key-marker": start });
      versions = true;
    } else if (hasV2 && cursor?.["marker"] === undefined) {
      try {
        page = await get({ "list-type": "2", "start-after": start });
      } catch (error) {
        if (!isAppError(error) || error.code !== "NotImplemented" || cursor) throw error;
        hasV2 = maySplit = false;
        page = await get({ marker: start });
      }
    } else {
      page = await get({ marker: start });
    }

    const run = versions ? runOf(byAge(page.objects.entries(), cursor)) : inOrder(page);
    requirePrefix(run, options.prefix ?? "", bucket);
    const next = page.isTruncated ? continuation(page, run, versions) : undefined;
    if (start === undefined || isOrdered(run, start)) return { run, next, startIgnored: false };
    const after = dropUpTo(run.entries(), start);
    const startIgnored = run.length - after.length > page.prefixes.length;
    return { run: runOf(after), next, startIgnored };
  };

  const split = (options: ListOptions) => {
    const gate = createGate(CONNECTIONS);
    const { startAfter = "", upTo, prefix = "", order = "key", ahead, signal } = options;
    const subject = `the listing of ${bucket}`;
    return splitList({
      fetch: (after, cursor, stop) =>
        fetchPage(
          { ...options, startAfter: cursor === undefined ? after : startAfter },
          cursor,
          stop,
          ({ throttled }) => throttled && gate.slowDown(),
        ),
      order,
      ahead,
      prefix,
      startAfter,
      upTo,
      gate,
      maySplit,
      onSerial: () => (maySplit = false),
      isCircle: circleDetector(),
      circular: () => circular(subject),
      signal,
    });
  };

  return (options = {}) => {
    const { delimiter, versions, pageSize, upTo, signal } = options;
    if (!delimiter && !versions && pageSize === undefined) return split(options);
    const fetch = async (cursor: Continuation | undefined, stop: AbortSignal) => {
      const { run, next } = await fetchPage(options, cursor, stop);
      return { entries: run.entries(), next };
    };
    const found = pages<Entry, Continuation>(fetch, {
      subject: `the listing of ${bucket}`,
      lookahead: pageSize === undefined,
      signal,
    });
    return upTo === undefined ? found : endingWith(found, upTo);
  };
}

/** The entries up to a key. Without an order, entries beyond it could come before others. */
async function* endingWith(found: AsyncIterable<Entry[]>, end: string): AsyncGenerator<Entry[]> {
  let last = "";
  for await (const page of found) {
    for (const { key } of page) {
      if (compareKeys(key, last) < 0) throw inconsistent();
      last = key;
    }
    const mine = page.filter(({ key }) => compareKeys(key, end) <= 0);
    if (mine.length > 0) yield mine;
    if (mine.length < page.length) return;
  }
}

function scan(
  client: SignedClient,
  bucket: string,
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  onRetry: ((retry: RetryNotice) => void) | undefined,
): Promise<ScannedPage> {
  const spec = { method: "GET", bucket, query, signal, onRetry };
  const root = query["versions"] === undefined ? "ListBucketResult" : "ListVersionsResult";
  const read = (body: Borrowed, response: HttpResponse) => {
    try {
      return scanListing(body, root);
    } catch (error) {
      const text = takeText(body);
      const isListing = new RegExp(`<(?:[\\w.-]+:)?${root}\\b`).test(text);
      if (isListing) throw invalidListing(bucket, (error as Error).message, error);
      throw strange(client, spec, response, text.trim(), "it is no listing");
    }
  };
  return requestBytes(client, spec, read, PAGE_LIMIT);
}

function invalidListing(bucket: string, why: string, cause?: unknown): AppError {
  return new AppError({
    kind: "unavailable",
    code: "InvalidResponse",
    message: `the listing of ${bucket} cannot be read: ${why}`,
    cause,
  });
}

/**
 * Where the next page starts. A service that ignored `list-type=2` answers as ListObjects does,
 * and one without a delimiter in the request may leave NextMarker out: the last key then stands in.
 */
function continuation(page: ScannedPage, run: Run, versions: boolean): Continuation {
  const { NextContinuationToken, NextMarker, NextKeyMarker, NextVersionIdMarker } = page.next;
  const lastKey = run.length > 0 ? run.keyAt(run.length - 1) : "";
  if (versions) {
    const last = page.objects.entries().at(-1);
    const keyMarker = NextKeyMarker ?? lastKey;
    const versionIdMarker =
      NextVersionIdMarker ?? (last?.key === keyMarker ? last.versionId : undefined);
    return {
      "key-marker": keyMarker,
      ...(versionIdMarker ? { "version-id-marker": versionIdMarker } : {}),
    };
  }
  if (NextContinuationToken !== undefined) return { "continuation-token": NextContinuationToken };
  return { marker: NextMarker || lastKey };
}

/**
 * Throws when an entry is not below the prefix that was asked for. A service that ignores prefixes
 * must not make a removal of some keys one of them all.
 */
function requirePrefix(run: Run, prefix: string, bucket: string): void {
  if (prefix === "") return;
  for (let i = 0; i < run.length; i++) {
    const key = run.keyAt(i);
    if (key.startsWith(prefix)) continue;
    const [asked, came] = [JSON.stringify(prefix), JSON.stringify(key)];
    throw invalidListing(bucket, `asked for what begins with ${asked}, it names ${came}`);
  }
}

/** The page's objects and prefixes, each ordered already, as one ordered run. */
function inOrder(page: ScannedPage): Run {
  const { prefixes } = page;
  if (prefixes.length === 0) return page.objects;
  const objects = page.objects.entries();
  const merged: Entry[] = [];
  let next = 0;
  for (const prefix of prefixes) {
    while (next < objects.length && compareKeys(objects[next]!.key, prefix.key) <= 0) {
      merged.push(objects[next++]!);
    }
    merged.push(prefix);
  }
  while (next < objects.length) merged.push(objects[next++]!);
  return runOf(merged);
}

/**
 * Newest first within a key, whatever order the service lists versions and delete markers in;
 * entries with the same time stay in the service's order. Some services begin a page with the version
 * that the marker names, which was listed before: it is left out.
 */
function byAge(objects: ObjectEntry[], cursor: Continuation | undefined): ObjectEntry[] {
  objects.sort(
    (a, b) =>
      compareKeys(a.key, b.key) ||
      Number(b.isLatest ?? false) - Number(a.isLatest ?? false) ||
      (b.lastModified ?? 0) - (a.lastModified ?? 0),
  );
  const [first] = objects;
  const repeated =
    first?.versionId !== undefined &&
    first.versionId === cursor?.["version-id-marker"] &&
    first.key === cursor["key-marker"];
  return repeated ? objects.slice(1) : objects;
}

/**
 * Leaves out every entry that is not after `start`. Only prefixes can be concerned: services differ
 * on whether a prefix that holds later keys, but is not itself later, is listed.
 */
function dropUpTo(entries: Entry[], start: string): Entry[] {
  return entries.filter(({ key }) => compareKeys(key, start) > 0);
}
