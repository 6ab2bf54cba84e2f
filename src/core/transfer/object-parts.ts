/** Where the parts of a stored multipart object begin and end. */
import { vendorHeader } from "../../protocol/dialect.js";
import { readAll } from "../../protocol/message.js";
import { childrenOf, childText, parseXml } from "../../protocol/xml.js";
import { isAppError } from "../errors.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { RemoteObject } from "./remote.js";
import type { Expected } from "./verify.js";

const DOCUMENT_LIMIT = 4 * 1024 * 1024;

/**
 * The sizes of an object's parts, in order; undefined when the service does not tell them.
 * Asks GetObjectAttributes (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html),
 * else the size of the first part, which all but the last share in what every client uploads.
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
  return evenParts(object, info.size, count, signal);
}

async function attributeParts(
  { storage, key, versionId }: RemoteObject,
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
      const document = parseXml((await readAll(response.body, DOCUMENT_LIMIT)).toString("utf8"));
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

async function evenParts(
  { storage, key, versionId }: RemoteObject,
  size: number,
  count: number,
  signal: AbortSignal,
): Promise<number[] | undefined> {
  if (!Number.isSafeInteger(count)) return undefined;
  const { client, bucket } = storage;
  let length: number;
  try {
    const query = { partNumber: "1", versionId };
    const response = await client.request({ method: "HEAD", bucket, key, query, signal });
    length = Number(response.headers["content-length"]);
  } catch (error) {
    if (isAppError(error) && error.kind !== "interrupted") return undefined;
    throw error;
  }
  if (!(length > 0) || Math.ceil(size / length) !== count) return undefined;
  return Array.from({ length: count }, (_, i) => Math.min(length, size - i * length));
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
