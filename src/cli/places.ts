/** Locations as the transfer engine takes them. */
import { fstatSync } from "node:fs";

import type { Context } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import type { Place } from "../core/operations/types.js";
import { anywhere } from "./locations.js";

/** A source or target of a copy. Throws for an alias alone and for an unknown alias or place. */
export async function place(
  context: Context,
  text: string,
  role: "source" | "target",
  versionId?: string,
): Promise<Place> {
  const location = await anywhere(context, text);
  switch (location.type) {
    case "stdio":
      if (role === "source") requireReadableStdin();
      return { type: "stdio", stream: role === "source" ? process.stdin : process.stdout };
    case "local":
      return { type: "path", path: location.path };
    case "remote": {
      const { alias, bucket, key } = location;
      if (bucket === "") {
        throw new AppError({
          kind: "usage",
          code: "InvalidLocation",
          message: `"${text}" names no bucket`,
          hint: `write it as ${alias}/bucket; ./${text} is always a local path`,
        });
      }
      const storage = await context.bucket(alias, bucket);
      return { type: "bucket", alias, storage, key, versionId };
    }
  }
}

/** Node reads a directory given as stdin as if it were empty. */
function requireReadableStdin(): void {
  if (!fstatSync(process.stdin.fd).isDirectory()) return;
  throw new AppError({
    kind: "usage",
    code: "IsDirectory",
    message: "stdin is a directory",
    hint: "name it instead: pail cp -r DIRECTORY TARGET",
  });
}
