import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openDirectory } from "../../src/core/storage/disk.js";
import { contract } from "./storage.js";

contract("a directory", async () => {
  const root = await mkdtemp(join(tmpdir(), "pail-disk-"));
  return { storage: openDirectory(root), close: () => rm(root, { recursive: true, force: true }) };
});
