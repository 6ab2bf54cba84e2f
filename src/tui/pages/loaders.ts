/** The handlers that carry out the effects of each page. */
import { abortUpload, loadBucket, saveBucketTags, setVersioning } from "./bucket/load.js";
import { listBuckets, makeBucket, removeBucket } from "./buckets/load.js";
import {
  loadInfo,
  loadTags,
  loadVersions,
  presign,
  saveMetadata,
  saveTags,
} from "./details/load.js";
import { measure } from "./du/load.js";
import { arrange, listObjects, putObject } from "./objects/load.js";
import { peek } from "./objects/peek.js";
import { readDirectory } from "./picker/load.js";
import { preview, watch } from "./preview/load.js";
import { editAlias, loadAliases, removeAlias, saveAlias, takeAlias } from "./sign-in/load.js";
import { planSync } from "./sync/load.js";

export const LOADERS = {
  "load-aliases": loadAliases,
  "edit-alias": editAlias,
  "save-alias": saveAlias,
  "take-alias": takeAlias,
  "remove-alias": removeAlias,
  "list-buckets": listBuckets,
  "make-bucket": makeBucket,
  "remove-bucket": removeBucket,
  "list-objects": listObjects,
  arrange,
  peek,
  "put-object": putObject,
  measure,
  "load-bucket": loadBucket,
  "set-versioning": setVersioning,
  "save-bucket-tags": saveBucketTags,
  "abort-upload": abortUpload,
  "read-directory": readDirectory,
  "load-info": loadInfo,
  "load-tags": loadTags,
  "load-versions": loadVersions,
  presign,
  "save-tags": saveTags,
  "save-metadata": saveMetadata,
  "plan-sync": planSync,
  preview,
  watch,
} as const;
