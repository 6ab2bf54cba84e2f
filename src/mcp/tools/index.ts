/** Every tool, in the order a client sees them. */
import type { Tool } from "../tool.js";
import { abortUploadsTool } from "./abort-uploads.js";
import { bucketInfoTool } from "./bucket-info.js";
import { createBucketTool, deleteBucketTool } from "./buckets.js";
import { compareTool } from "./compare.js";
import { copyObjectTool } from "./copy-object.js";
import { copyObjectsTool } from "./copy-objects.js";
import { deleteObjectsTool } from "./delete-objects.js";
import { editObjectTool } from "./edit-object.js";
import { getObjectTool } from "./get-object.js";
import { grepObjectsTool } from "./grep-objects.js";
import { listBucketsTool } from "./list-buckets.js";
import { listObjectsTool } from "./list-objects.js";
import { listVersionsTool } from "./list-versions.js";
import { presignUrlTool } from "./presign-url.js";
import { putObjectTool } from "./put-object.js";
import { searchObjectsTool } from "./search-objects.js";
import { setTagsTool } from "./set-tags.js";
import { statObjectTool } from "./stat-object.js";
import { transferFolderTool } from "./transfer-folder.js";
import { undeleteObjectTool } from "./undelete-object.js";
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
  grepObjectsTool,
  putObjectTool,
  editObjectTool,
  copyObjectTool,
  copyObjectsTool,
  transferFolderTool,
  compareTool,
  deleteObjectsTool,
  undeleteObjectTool,
  presignUrlTool,
  listVersionsTool,
  bucketInfoTool,
  undoChangesTool,
  setTagsTool,
  abortUploadsTool,
];
