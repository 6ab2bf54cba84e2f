import { z } from "zod";

import { abortUploads, findUploads } from "../../core/operations/uploads.js";
import type { UploadEntry } from "../../core/storage/s3-types.js";
import { formatCount } from "../../text/format.js";
import { defined, isoDate, keyText, shortQuoted, table } from "../text.js";
import { defineTool } from "../tool.js";
import { confirm, date, name, part, timeOf } from "./parameters.js";

/** Uploads that are named in a question or a result. */
const NAMED = 20;

export const abortUploadsTool = defineTool({
  name: "abort_uploads",
  description: "List a bucket's unfinished uploads (dry_run), or end them",
  access: "write",
  toolset: "admin",
  schema: {
    bucket_name: name,
    key: part.optional(),
    older_than: date,
    dry_run: z.boolean().optional(),
    confirm,
  },
  handler: async ({ bucket_name: bucket, key, confirm: token, ...args }, call) => {
    const storage = await call.bucket(bucket, "write");
    const query = { key, olderThan: timeOf(args.older_than, Date.now()), signal: call.signal };
    const found: UploadEntry[] = [];
    for await (const page of findUploads(storage, query)) found.push(...page);
    const count = formatCount(found.length, "unfinished upload");
    const plan = {
      question: `End ${count} in ${shortQuoted(call.label(bucket))}? It CANNOT be undone.\n${found
        .slice(0, NAMED)
        .map((one) => shortQuoted(one.key))
        .join("\n")}`,
      facts: ["abort", call.label(bucket), ...found.map((one) => [one.key, one.uploadId])],
    };
    const rows = found
      .slice(0, NAMED)
      .map((one) => ({ key: one.key, begun: isoDate(one.initiated), upload_id: one.uploadId }));
    if (args.dry_run === true || found.length === 0) {
      const asked = found.length === 0 ? undefined : call.consent.token(plan);
      return {
        text: [
          `${count} in ${call.label(bucket)}`,
          ...table(["key", "begun", "upload_id"], rows),
          ...(asked === undefined ? [] : [`confirm with: ${asked}`]),
        ].join("\n"),
        structured: defined({
          at: call.at(),
          bucket,
          count: found.length,
          uploads: rows,
          confirm: asked,
        }),
      };
    }
    call.consent.confirm(plan, token);
    // Exactly those that were asked about: others may have begun since.
    const asked = new Set(found.map((one) => one.uploadId));
    const only = {
      ...storage,
      listUploads: async function* (options: Parameters<typeof storage.listUploads>[0]) {
        for await (const page of storage.listUploads(options)) {
          yield page.filter((one) => asked.has(one.uploadId));
        }
      },
    };
    const { alias, signal, onTransfer: onEvent } = call;
    const report = await abortUploads(only, { ...query, alias, signal, onEvent });
    const { failures } = report;
    const ended = report.snapshot.items.done;
    return {
      text: [
        `ended ${formatCount(ended, "upload")} in ${call.label(bucket)}`,
        ...failures.map(({ error }) => `${error.code}: ${keyText(error.message)}`),
      ].join("\n"),
      structured: { at: call.at(), bucket, ended, failed: failures.length },
      failed: failures.length > 0,
    };
  },
});
