/** The places where the parts of a stored multipart object begin and end. */
import { vendorHeader } from "../../protocol/dialect.js";
import { readText } from "../../protocol/message.js";
import { childrenOf, childText, parseXml } from "../../protocol/xml.js";
import { isAppError } from "../failures/errors.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { RemoteObject } from "./remote.js";
import type { Expected } from "./verify.js";

const DOCUMENT_LIMIT = 4 * 1024 * 1024;

/**
 * The sizes of an object's parts, in order; undefined when the service does not tell them.
 * Asks GetObjectAttributes (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html),
 * else about the parts.
 */
export async function objectParts(
  object: RemoteObject,
  info: ObjectInfo,
  expected: Expected,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  const count = info.partsCount ?? Number(expected.value.split("-")[1] ?? Number.NaN);
  if (count === 1) return [info.size];
  const listed = await attributeParts(object, signal);
  if (listed !== undefined && sum(listed) === info.size) return listed;
  return askedParts(object, info.size, count, signal);
}

async function attributeParts(
  { storage, ref: { key, versionId } }: RemoteObject,
  signal: AbortSignal,
): Promise<number[] | undefined> {
  const { client, bucket } = storage;
  const sizes: number[] = [];
  let marker: string | undefined;
  try {
    do {
      const response = await client.request({
        method: "GET",
        bucket,
        key,
        query: { attributes: "", versionId },
        headers: {
          [vendorHeader(client.dialect, "object-attributes")]: "ObjectParts",
          [vendorHeader(client.dialect, "part-number-marker")]: marker,
        },
        signal,
      });
      const document = parseXml(await readText(response.body, DOCUMENT_LIMIT));
      const parts = childrenOf(document, "ObjectParts")[0];
      if (parts === undefined) return undefined;
      for (const part of childrenOf(parts, "Part")) sizes.push(Number(childText(part, "Size")));
      const more = childText(parts, "IsTruncated") === "true";
      const next = childText(parts, "NextPartNumberMarker");
      if (more && (next === undefined || next === marker)) return undefined;
      marker = more ? next : undefined;
    } while (marker !== undefined);
  } catch (error) {
    // Not every service has it, and not everybody may ask.
    if (isAppError(error) && error.kind !== "interrupted") return undefined;
    throw error;
  }
  return sizes;
}

/** Parts of more than this many are not asked about one by one. */
const MOST_ASKED = 64;

/** The sizes by asking about the parts themselves: all of them, or whether they look alike. */
async function askedParts(
  object: RemoteObject,
  size: number,
  count: number,
  signal: AbortSignal,
): Promise<number[] | undefined> {
  if (!Number.isSafeInteger(count)) return undefined;
  const ask = (numbers: readonly number[]) =>
    Promise.all(numbers.map((number) => askedSize(object, number, signal)));
  try {
    if (count <= MOST_ASKED) {
      const sizes = await ask(Array.from({ length: count }, (_, i) => i + 1));
      return sum(sizes) === size ? sizes : undefined;
    }
    const [first = 0, second, last] = await ask([1, 2, count]);
    const isEven = second === first && first * (count - 1) + (last ?? 0) === size;
    const sizeOf = (_: unknown, i: number) => Math.min(first, size - i * first);
    return isEven ? Array.from({ length: count }, sizeOf) : undefined;
  } catch (error) {
    if (isAppError(error) && error.kind !== "interrupted") return undefined;
    throw error;
  }
}

async function askedSize(
  { storage, ref: { key, versionId } }: RemoteObject,
  number: number,
  signal: AbortSignal,
): Promise<number> {
  const { client, bucket } = storage;
  const query = { partNumber: String(number), versionId };
  const response = await client.request({ method: "HEAD", bucket, key, query, signal });
  return Number(response.headers["content-length"]);
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
