/** A bucket's policy: kept as it came, once it is known that the store can obey it. */
import type { HttpResponse } from "../../protocol/message.js";
import { parsePolicy } from "../access/policy.js";
import { refuse } from "../refuse.js";
import { respond, respondXml } from "../response.js";
import { bucketOf, type Call, readText, settingOf } from "./call.js";

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html */
export async function getPolicy(call: Call): Promise<HttpResponse> {
  return respond(200, { "content-type": "application/json" }, await policyOf(call));
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html */
export async function getPolicyStatus(call: Call): Promise<HttpResponse> {
  await policyOf(call);
  // There are no other policies here. Amazon documents TRUE, which its SDK for Python reads as false.
  return respondXml("PolicyStatus", { IsPublic: true });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html */
export async function putPolicy(call: Call): Promise<HttpResponse> {
  const policy = (await readText(call)) ?? "";
  const { name, settings } = await call.backend.getBucket(bucketOf(call));
  parsePolicy(policy, name);
  if (settings.publicAccessBlock?.blockPolicy === true) {
    throw refuse("AccessDenied", "The bucket's public access block refuses public policies.");
  }
  await call.backend.updateBucket(name, { settings: { policy } });
  return respond(204);
}

function policyOf(call: Call): Promise<string> {
  return settingOf(call, "policy", "NoSuchBucketPolicy");
}
