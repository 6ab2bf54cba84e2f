import { child, childText, childrenOf } from "../../protocol/xml.js";
import type { SignedClient } from "../http/client.js";
import { requestDocument, requestDone, xmlRequest } from "./documents.js";

/**
 * Tags of objects and, without a key, of the bucket
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html).
 */
export function tagging(client: SignedClient, bucket: string) {
  const getTags = async (
    key: string | undefined,
    { versionId }: { versionId?: string | undefined } = {},
  ): Promise<Record<string, string>> => {
    const query = { tagging: "", versionId };
    const spec = { method: "GET", bucket, key, query };
    const { document } = await requestDocument(client, spec, "Tagging");
    const set = child(document, "TagSet");
    return Object.fromEntries(
      (set === undefined ? [] : childrenOf(set, "Tag")).map((tag) => [
        childText(tag, "Key") ?? "",
        childText(tag, "Value") ?? "",
      ]),
    );
  };

  const setTags = async (
    key: string | undefined,
    tags: Readonly<Record<string, string>>,
    { versionId }: { versionId?: string | undefined } = {},
  ): Promise<void> => {
    const target = { bucket, key, query: { tagging: "", versionId } };
    const list = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const request = xmlRequest("Tagging", { TagSet: { Tag: list } });
    await requestDone(
      client,
      list.length === 0
        ? { method: "DELETE", ...target }
        : { method: "PUT", ...target, ...request },
    );
  };

  return { getTags, setTags };
}
