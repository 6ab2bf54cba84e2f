import { basename } from "node:path";

import { z } from "zod";

import { contentTypeOf } from "../../core/content-type.js";
import type { AppError } from "../../core/failures/errors.js";
import { matchesGlob } from "../../core/glob.js";
import { listTree } from "../../core/local/list.js";
import { compareKeys } from "../../core/storage/key-order.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import { type BulkItem, MAX_JOBS, carryOutAll } from "../bulk.js";
import { carryOut } from "../change.js";
import { decodeCursor } from "../cursor.js";
import { downloadTo } from "../local-change.js";
import { type Call, type Folder, defineTool } from "../tool.js";
import { naming, placeOf, runCopy } from "../transfer.js";
import { bulk, localPath, name, part } from "./parameters.js";

const schema = {
  direction: z.enum(["up", "down"]),
  local_dir: localPath,
  bucket_name: name,
  prefix: part.optional(),
  glob: name.optional(),
  ...bulk,
};

type Args = z.output<z.ZodObject<typeof schema>>;

interface Side {
  readonly bucket: string;
  readonly storage: BucketStorage;
  /** Empty, or with its closing `/`. */
  readonly prefix: string;
  readonly folder: Folder;
}

export const transferFolderTool = defineTool({
  name: "transfer_folder",
  description: "Upload a local folder, or download all below a prefix; never replaces local files",
  access: "read",
  schema,
  annotations: { readOnlyHint: false },
  handler: async (args, call) => {
    const { direction, bucket_name: bucket, prefix: asked = "" } = args;
    const up = direction === "up";
    const storage = await call.bucket(bucket, up ? "write" : "read");
    const folder = await call.files.folder(args.local_dir, up ? "read" : "write");
    const prefix = asked === "" || asked.endsWith("/") ? asked : `${asked}/`;
    const side: Side = { bucket, storage, prefix, folder };
    const found = await collect(up ? localFiles(side, call) : objects(side, call), args);
    const there = `${call.label(bucket)}/${prefix}`;
    return carryOutAll(
      call,
      found.entries.map((entry) => (up ? upload : download)(call, side, entry)),
      {
        verb: up ? ["upload", "uploaded"] : ["download", "downloaded"],
        from: up ? folder.root : there,
        to: up ? there : folder.root,
        moves: false,
        ifExists: args.if_exists,
        dryRun: args.dry_run,
        confirm: args.confirm,
        problems: found.problems,
        after: found.after,
      },
    );
  },
});

/** A file or an object by its name below the folder or prefix. */
interface Listed {
  readonly name: string;
  readonly size: number;
  readonly facts: readonly unknown[];
  readonly error?: AppError | undefined;
}

async function collect(pages: AsyncIterable<readonly Listed[]>, { glob, cursor }: Args) {
  const { after } = decodeCursor(cursor);
  const entries: Listed[] = [];
  const problems: { name: string; error: AppError }[] = [];
  for await (const page of pages) {
    for (const entry of page) {
      const { name: each, error } = entry;
      if (after !== undefined && compareKeys(each, after) <= 0) continue;
      if (glob !== undefined && !matchesGlob(glob, each)) continue;
      if (error !== undefined) problems.push({ name: each, error });
      else if (entries.length === MAX_JOBS)
        return { entries, problems, after: entries.at(-1)!.name };
      else entries.push(entry);
    }
  }
  return { entries, problems, after: undefined };
}

async function* localFiles({ folder }: Side, { signal }: Call): AsyncGenerator<Listed[]> {
  let problems: Listed[] = [];
  const files = listTree(folder.root, { followsDirectories: false, signal }, ({ key, error }) =>
    problems.push({ name: key, size: 0, facts: [], error }),
  );
  for await (const page of files) {
    const listed = page.map(({ key, stats: { size, mtimeMs } }) => ({
      name: key,
      size,
      facts: [size, mtimeMs],
    }));
    yield [...problems, ...listed];
    problems = [];
  }
  yield problems;
}

async function* objects({ storage, prefix }: Side, { signal }: Call): AsyncGenerator<Listed[]> {
  for await (const page of storage.list({ prefix, signal })) {
    yield page.flatMap((entry) =>
      // An object that stands for a directory is not a file.
      entry.type !== "object" || (entry.size === 0 && entry.key.endsWith("/"))
        ? []
        : [{ name: entry.key.slice(prefix.length), size: entry.size, facts: [entry.etag] }],
    );
  }
}

function upload(call: Call, side: Side, entry: Listed): BulkItem {
  const target = { bucket: side.bucket, storage: side.storage, key: side.prefix + entry.name };
  return {
    ...entry,
    target,
    run: async (seen) => {
      const file = await side.folder.reading(entry.name);
      try {
        const { before } = await carryOut(call, target, seen, (condition) =>
          naming(file.shown, [file.path], () =>
            runCopy(call, { type: "path", path: file.path }, placeOf(call, target), condition, {
              contentType: contentTypeOf(basename(file.shown)),
            }),
          ),
        );
        return before;
      } finally {
        await file.close();
      }
    },
  };
}

function download(call: Call, { bucket, storage, prefix, folder }: Side, entry: Listed): BulkItem {
  const source = { bucket, storage, key: prefix + entry.name };
  const [etag] = entry.facts as [string | undefined];
  return {
    ...entry,
    run: async () => {
      const place = await folder.writing(entry.name);
      try {
        return await downloadTo(call, { ...placeOf(call, source), etag }, place);
      } finally {
        await place.close();
      }
    },
  };
}
