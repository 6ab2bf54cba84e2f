/**
 * S3's answers about settings that a bucket cannot be given here: that there is none, or the one
 * that every bucket has. Removing such a setting, or setting that one, changes nothing.
 */
import type { HttpResponse } from "../../protocol/message.js";
import type { XmlContent, XmlElement } from "../../protocol/xml.js";
import { type Code, notImplemented, refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, type Operation, requireXml } from "./call.js";

/** An operation that answers that a configuration is not there. */
export function missing(code: Code): Operation {
  return async (call) => {
    const { name } = await call.backend.getBucket(bucketOf(call));
    throw refuse(code, undefined, { BucketName: name });
  };
}

/** An operation that answers with the configuration every new bucket has. */
export function standard(root: string, content: XmlContent = ""): Operation {
  return async (call) => {
    await call.backend.getBucket(bucketOf(call));
    return respondXml(root, content);
  };
}

/**
 * An operation that accepts the configuration every bucket has, and no other. `differs` tells
 * whether a document asks for another.
 */
export function keeping(root: string, differs: (document: XmlElement) => boolean): Operation {
  return async (call) => {
    await call.backend.getBucket(bucketOf(call));
    if (differs(await requireXml(call, root))) throw notImplemented(`a ${root}`);
    return respond(200);
  };
}

/** Removes a setting that a bucket cannot have: it is not there afterwards, as was asked for. */
export async function nothingToRemove(call: Call): Promise<HttpResponse> {
  await call.backend.getBucket(bucketOf(call));
  return respond(204);
}
