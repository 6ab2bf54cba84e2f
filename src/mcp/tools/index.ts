/** Every tool, in the order a client sees them. */
import type { Tool } from "../tool.js";
import { bucketInfoTool } from "./bucket-info.js";
import { createBucketTool, deleteBucketTool } from "./buckets.js";
import { copyObjectTool } from "./copy-object.js";
import { deleteObjectsTool } from "./delete-objects.js";
import { getObjectTool } from "./get-object.js";
import { listBucketsTool } from "./list-buckets.js";
import { listObjectsTool } from "./list-objects.js";
import { listVersionsTool } from "./list-versions.js";
import { presignUrlTool } from "./presign-url.js";
import { putObjectTool } from "./put-object.js";
import { searchObjectsTool } from "./search-objects.js";
import { setTagsTool } from "./set-tags.js";
import { statObjectTool } from "./stat-object.js";
import { undoChangesTool } from "./undo-changes.js";
import { uploadFileTool } from "./upload-file.js";

export const TOOLS: readonly Tool[] = [
  listBucketsTool,
  listObjectsTool,
  getObjectTool,
  uploadFileTool,
  createBucketTool,
  deleteBucketTool,
  statObjectTool,
  searchObjectsTool,
  putObjectTool,
  copyObjectTool,
  deleteObjectsTool,
  presignUrlTool,
  listVersionsTool,
  setTagsTool,
  bucketInfoTool,
  undoChangesTool,
];
