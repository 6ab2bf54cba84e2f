/**
 * PostObject: an upload by HTML form. The signer of its policy allows it to anyone who fills it in
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html).
 */
import type { HttpResponse } from "../../protocol/message.js";
import { bodyChunks } from "../../protocol/message.js";
import { parseXml, writeXml, XmlError } from "../../protocol/xml.js";
import type { ObjectRecord } from "../records.js";
import type { Backend } from "../disk/index.js";
import { createDigests, type Digests, digesting } from "../body/digests.js";
import { type ChecksumPromise, promisedChecksum, promisedMd5 } from "../body/expected.js";
import { readForm } from "../form/multipart.js";
import { checkPolicy, type FormPolicy } from "../form/policy.js";
import { notImplemented, refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { respond } from "../response.js";
import { customerKey } from "../sealing/customer-key.js";
import { encodeKey, encodeText } from "../uri.js";
import { refuseUnsupported } from "../unsupported.js";
import type { FormVerifier } from "../verify/form.js";
import { reaches } from "../access/authorize.js";
import { quoted } from "./call.js";
import { checksumHeaders, objectInit } from "./object-headers.js";
import { MAX_OBJECT_TAGS, parseTagging, type Tags } from "./tags.js";
import { DEFAULT_CHECKSUM, MAX_SINGLE_BYTES, staging, storedChecksum } from "./write.js";

export interface FormParts {
  readonly backend: Backend;
  readonly verifyForm: FormVerifier;
  readonly now: () => number;
}

/** Whether a request is such an upload, or one to an object in place of its bucket. */
export function isForm({ raw, key, query }: StoreRequest): boolean {
  const type = raw.headers["content-type"]?.toLowerCase() ?? "";
  const isOther = key !== undefined && query.size > 0;
  return raw.method === "POST" && !isOther && type.startsWith("multipart/form-data");
}

export async function postObject(parts: FormParts, request: StoreRequest): Promise<HttpResponse> {
  const { backend, verifyForm, now } = parts;
  const { bucket, raw } = request;
  if (bucket === undefined || request.key !== undefined) throw refuse("MethodNotAllowed");
  const home = await backend.getBucket(bucket);
  const form = await readForm(bodyChunks(raw.body), raw.headers["content-type"]!);
  const auth = await verifyForm(form.fields);
  if (auth.grant.readOnly === true || !reaches(auth.grant, bucket)) throw refuse("AccessDenied");
  const signature = request.vendor("signature");
  const policy = checkPolicy(form.fields.get("policy")!, form.fields, bucket, now(), signature);

  const key = form.fields.get("key")?.replaceAll("${filename}", form.filename) ?? "";
  if (key === "") {
    throw refuse("InvalidArgument", "Bucket POST must contain a field named 'key'.", {
      ArgumentName: "key",
    });
  }
  if (Buffer.byteLength(key) > 1024) throw refuse("KeyTooLongError");
  const write = asWrite(request, form.fields);
  refuseUnsupported(write);
  if (customerKey(write) !== undefined) throw notImplemented("encryption of uploads by HTML form");
  const promised = promisedChecksum(write);
  const algorithm = promised?.algorithm ?? DEFAULT_CHECKSUM;
  const init = { ...objectInit(write, home), tags: formTags(form.fields.get("tagging")) };

  const running = createDigests([algorithm]);
  const chunks = digesting(limited(form.file, policy), running);
  const record = await staging(backend.stage(chunks), (blob) => {
    const digests = running.finish();
    checkDigests(write, digests, promised);
    const checksum = storedChecksum(digests, algorithm);
    const etag = digests.md5.toString("hex");
    return backend.putObject(bucket, key, blob, { ...init, etag, checksum });
  });
  return answer(request, form.fields, record, key);
}

/** The form as the request it stands for: its fields become the headers of a PutObject. */
function asWrite(request: StoreRequest, fields: ReadonlyMap<string, string>): StoreRequest {
  const prefix = request.vendor("");
  const signing = ["algorithm", "credential", "date", "signature"].map((name) =>
    request.vendor(name),
  );
  const headers = [...fields].filter(([name]) => !signing.includes(name));
  const acl = fields.get("acl");
  if (acl !== undefined) headers.push([request.vendor("acl"), acl]);
  const byName = new Map(headers);
  return {
    ...request,
    query: new Map(),
    header: (name) => byName.get(name),
    vendorHeaders: (name) =>
      headers
        .filter(([header]) => header.startsWith(prefix + name))
        .map(([header, value]) => [header.slice(prefix.length + name.length), value]),
  };
}

/** Tags of a form are a document, not pairs as in the header. */
function formTags(text: string | undefined): Tags {
  if (text === undefined) return {};
  try {
    return parseTagging(parseXml(text), MAX_OBJECT_TAGS);
  } catch (cause) {
    if (cause instanceof XmlError) throw Object.assign(refuse("MalformedXML"), { cause });
    throw cause;
  }
}

/** Passes the file on, and ends with a refusal where it is larger or smaller than it may be. */
async function* limited(
  file: AsyncIterable<Uint8Array>,
  { minSize, maxSize }: FormPolicy,
): AsyncGenerator<Uint8Array> {
  const most = Math.min(maxSize, MAX_SINGLE_BYTES);
  let size = 0;
  for await (const chunk of file) {
    size += chunk.length;
    if (size > most) throw refuse("EntityTooLarge", undefined, { MaxSizeAllowed: String(most) });
    yield chunk;
  }
  if (size >= minSize) return;
  throw refuse("EntityTooSmall", undefined, {
    ProposedSize: String(size),
    MinSizeAllowed: String(minSize),
  });
}

function checkDigests(
  request: StoreRequest,
  digests: Digests,
  promised: ChecksumPromise | undefined,
): void {
  const md5 = promisedMd5(request);
  if (md5 !== undefined && !digests.md5.equals(md5)) throw refuse("BadDigest");
  if (promised === undefined) return;
  const expected = promised.value;
  if (expected === undefined || !digests.checksums.get(promised.algorithm)!.equals(expected)) {
    throw refuse(
      "BadDigest",
      `The ${promised.algorithm} you specified did not match the calculated checksum.`,
    );
  }
}

/** The answer that the form asks for: a page to go to, a document, or nothing. */
function answer(
  request: StoreRequest,
  fields: ReadonlyMap<string, string>,
  record: ObjectRecord,
  key: string,
): HttpResponse {
  const { raw, bucket = "", hostBucket } = request;
  const ETag = quoted(record.etag);
  const path = hostBucket === undefined ? `/${bucket}/${encodeKey(key)}` : `/${encodeKey(key)}`;
  const Location = raw.origin + path;
  const headers = {
    etag: ETag,
    location: Location,
    ...checksumHeaders(request, record.checksum),
    ...(record.versionId === "null" ? {} : { [request.vendor("version-id")]: record.versionId }),
  };
  const page = pageOf(fields.get("success_action_redirect") ?? fields.get("redirect"));
  if (page !== undefined) {
    const query = `bucket=${encodeText(bucket)}&key=${encodeText(key)}&etag=${encodeText(ETag)}`;
    page.search = page.search === "" ? query : `${page.search}&${query}`;
    return respond(303, { ...headers, location: page.href });
  }
  const status = fields.get("success_action_status");
  if (status === "200") return respond(200, headers);
  if (status !== "201") return respond(204, headers);
  const document = writeXml("PostResponse", { Location, Bucket: bucket, Key: key, ETag });
  return respond(201, { ...headers, "content-type": "application/xml" }, document);
}

/** The page to go to; anything but a web address is ignored, as by S3. */
function pageOf(text: string | undefined): URL | undefined {
  const page = text === undefined || !URL.canParse(text) ? undefined : new URL(text);
  return page !== undefined && /^https?:$/.test(page.protocol) ? page : undefined;
}
