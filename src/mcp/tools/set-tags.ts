import { z } from "zod";

import { formatCount } from "../../text/format.js";
import { recorded } from "../change.js";
import { shortQuoted } from "../text.js";
import { defineTool, told } from "../tool.js";
import { confirm, name, part, versionId } from "./parameters.js";

/** Tags that are named in a question. */
const NAMED = 10;

export const setTagsTool = defineTool({
  name: "set_tags",
  description: "Replace the tags of an object or, without object_key, a bucket",
  access: "write",
  toolset: "admin",
  schema: {
    bucket_name: name,
    object_key: name.optional(),
    version_id: versionId,
    tags: z.record(part, part),
    confirm,
  },
  handler: async (
    { bucket_name: bucket, object_key: key, version_id: versionId, tags, confirm: token },
    call,
  ) => {
    const storage = await call.bucket(bucket, "write");
    const service = await call.service("write");
    const version = { versionId };
    const before =
      key === undefined ? await service.getTags(bucket) : await storage.getTags(key, version);
    // In an order of our own: services tell them in any.
    const there = Object.entries(before).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const lost = there.filter(([tag, value]) => tags[tag] !== value);
    if (lost.length > 0) {
      const place = [call.label(bucket), ...(key === undefined ? [] : [key])].join("/");
      const named = lost.slice(0, NAMED).map(([tag, value]) => shortQuoted(`${tag}=${value}`));
      const question = `Replace ${formatCount(lost.length, "tag")} of ${shortQuoted(place)}? It can be undone.\n${named.join("\n")}`;
      call.consent.confirm({ question, facts: ["tags", place, versionId, there, tags] }, token);
    }
    const target = { bucket, key: key ?? "", ...version };
    await recorded(call, target, "tags", { type: "tags", tags: before }, async () => {
      if (key === undefined) await service.setTags(bucket, tags);
      else await storage.setTags(key, tags, version);
      return { type: "tags", tags };
    });
    const undo = call.group();
    return told("tags set", { at: call.at(), bucket, key, version_id: versionId, tags, undo });
  },
});
