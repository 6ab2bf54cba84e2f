/**
 * GetObjectAttributes
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html).
 */
import type { HttpResponse } from "../../protocol/message.js";
import type { XmlContent } from "../../protocol/xml.js";
import type { ObjectRecord } from "../records.js";
import { refuse } from "../refuse.js";
import { respondXml } from "../response.js";
import { customerKey, requireKey } from "../sealing/customer-key.js";
import { type Call, invalidArgument, target, versionHeader, versionOf } from "./call.js";
import { checksumElement, validators } from "./object-headers.js";
import { refuseDeleteMarker } from "./read.js";

const ATTRIBUTES = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"];
const MAX_PARTS = 1000;

export async function getObjectAttributes(call: Call): Promise<HttpResponse> {
  const { bucket, key } = target(call);
  const wanted = wantedAttributes(call);
  const record = await call.backend.headObject(bucket, key, versionOf(call));
  refuseDeleteMarker(call, record);
  requireKey(record.sealing, customerKey(call.request));
  const { checksum } = record;
  const all: Record<string, XmlContent> = {
    ETag: record.etag,
    Checksum: checksum && { ...checksumElement(checksum), ChecksumType: checksum.type },
    ObjectParts: objectParts(call, record),
    StorageClass: record.storageClass,
    ObjectSize: record.size,
  };
  const content = Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
  return respondXml("GetObjectAttributesResponse", content, {
    "last-modified": validators(record)["last-modified"]!,
    ...versionHeader(call, record.versionId),
  });
}

function wantedAttributes({ request }: Call): ReadonlySet<string> {
  const name = request.vendor("object-attributes");
  const header = request.header(name);
  if (header === undefined) {
    throw refuse("InvalidRequest", `Missing required header for this request: ${name}`);
  }
  const wanted = header.split(",").map((attribute) => attribute.trim());
  if (wanted.every((attribute) => ATTRIBUTES.includes(attribute))) return new Set(wanted);
  throw invalidArgument(name, header, "Invalid attribute name specified.");
}

function objectParts(call: Call, { parts }: ObjectRecord): XmlContent {
  if (parts === undefined) return undefined;
  const limit = Math.min(numberHeader(call, "max-parts", MAX_PARTS), MAX_PARTS);
  const marker = numberHeader(call, "part-number-marker", 0);
  const rest = parts.filter(({ number }) => number > marker);
  const page = rest.slice(0, limit);
  return {
    PartsCount: parts.length,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? 0,
    MaxParts: limit,
    IsTruncated: rest.length > page.length,
    Part: page.map(({ number, size, checksum }) => ({
      PartNumber: number,
      Size: size,
      ...checksumElement(checksum),
    })),
  };
}

function numberHeader({ request }: Call, header: string, standard: number): number {
  const name = request.vendor(header);
  const text = request.header(name);
  if (text === undefined) return standard;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw invalidArgument(name, text, `${name} must be a number.`);
}
