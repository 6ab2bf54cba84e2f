/** Buckets: listing, making, removing and configuring them. */
import type { HttpResponse } from "../../protocol/message.js";
import { child, childText, type XmlElement } from "../../protocol/xml.js";
import { cannedAcl } from "../access/acl.js";
import { reaches } from "../access/authorize.js";
import { notImplemented, refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { checkOwnership } from "./acl.js";
import {
  bucketOf,
  type Call,
  formatToken,
  intParameter,
  OWNER,
  parseToken,
  readXml,
  requireXml,
} from "./call.js";

const MAX_BUCKETS = 10_000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html */
export async function listBuckets(call: Call): Promise<HttpResponse> {
  const { query } = call.request;
  const prefix = query.get("prefix");
  const token = query.get("continuation-token");
  const after = token ? parseToken(token) : "";
  const limit = Math.min(intParameter(call, "max-buckets", MAX_BUCKETS), MAX_BUCKETS);
  const region = query.get("bucket-region");
  const rest = (await call.backend.listBuckets())
    .filter(({ name }) => reaches(call.auth.grant, name))
    .filter(({ name }) => name.startsWith(prefix ?? "") && name > after)
    .filter((bucket) => region === undefined || bucket.region === region)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = rest.slice(0, limit);
  const truncated = limit > 0 && rest.length > limit;
  return respondXml("ListAllMyBucketsResult", {
    Owner: OWNER,
    Buckets: {
      Bucket: page.map(({ name, created, region: home }) => ({
        Name: name,
        CreationDate: created.toISOString(),
        BucketRegion: home,
      })),
    },
    ContinuationToken: truncated ? formatToken(page.at(-1)!.name) : undefined,
    Prefix: prefix,
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export async function createBucket(call: Call): Promise<HttpResponse> {
  const { backend, request } = call;
  const name = bucketOf(call);
  const owned = request.header(request.vendor("object-ownership"));
  const ownership = owned === undefined ? undefined : checkOwnership(owned);
  const acl = cannedAcl(request);
  if (acl !== undefined && ownership === "BucketOwnerEnforced") {
    throw refuse("InvalidBucketAclWithObjectOwnership", undefined, { BucketName: name });
  }
  const region = homeOf(await readXml(call), call.region);
  await backend.createBucket(name, region, { acl, ownership });
  return respond(200, { location: `/${name}` });
}

/** The region a bucket is made in: the store's, or in a store of any the one asked for. */
function homeOf(document: XmlElement | undefined, region: string | undefined): string {
  const home = region ?? "us-east-1";
  if (document === undefined) return home;
  if (document.name !== "CreateBucketConfiguration") throw refuse("MalformedXML");
  const other = document.children.find((element) => element.name !== "LocationConstraint");
  if (other !== undefined) throw notImplemented(`${other.name} of a new bucket`);
  const constraint = childText(document, "LocationConstraint")?.trim() ?? "";
  if (constraint === "" || constraint === region) return home;
  if (region !== undefined) {
    throw refuse(
      "IllegalLocationConstraintException",
      `The ${constraint} location constraint is incompatible with the region this store is in, ${region}.`,
    );
  }
  if (!/^[A-Za-z\d-]{1,63}$/.test(constraint)) throw refuse("InvalidLocationConstraint");
  return constraint;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export async function headBucket(call: Call): Promise<HttpResponse> {
  const { region } = await call.backend.getBucket(bucketOf(call));
  return respond(200, { [call.request.vendor("bucket-region")]: region });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html */
export async function deleteBucket(call: Call): Promise<HttpResponse> {
  await call.backend.deleteBucket(bucketOf(call));
  return respond(204);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export async function getBucketLocation(call: Call): Promise<HttpResponse> {
  const { region } = await call.backend.getBucket(bucketOf(call));
  // The first region has no name here, for history's sake.
  return respondXml("LocationConstraint", region === "us-east-1" ? "" : region);
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketVersioning.html */
export async function getBucketVersioning(call: Call): Promise<HttpResponse> {
  const { versioning } = await call.backend.getBucket(bucketOf(call));
  return respondXml("VersioningConfiguration", { Status: versioning });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketVersioning.html */
export async function putBucketVersioning(call: Call): Promise<HttpResponse> {
  const document = await requireXml(call, "VersioningConfiguration");
  if (childText(document, "MfaDelete") === "Enabled") throw notImplemented("MFA delete");
  const status = child(document, "Status")?.text;
  if (status !== "Enabled" && status !== "Suspended") throw refuse("MalformedXML");
  await call.backend.updateBucket(bucketOf(call), { versioning: status });
  return respond(200);
}
