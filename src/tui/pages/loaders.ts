/** What carries out the effects of each page. */
import { listBuckets, makeBucket, removeBucket } from "./buckets/load.js";
import {
  loadInfo,
  loadTags,
  loadVersions,
  presign,
  saveMetadata,
  saveTags,
} from "./details/load.js";
import { arrange, listObjects, putObject } from "./objects/load.js";
import { readDirectory } from "./picker/load.js";
import { preview } from "./preview/load.js";
import { loadAliases, removeAlias, saveAlias, testAlias } from "./sign-in/load.js";

export const LOADERS = {
  "load-aliases": loadAliases,
  "test-alias": testAlias,
  "save-alias": saveAlias,
  "remove-alias": removeAlias,
  "list-buckets": listBuckets,
  "make-bucket": makeBucket,
  "remove-bucket": removeBucket,
  "list-objects": listObjects,
  arrange,
  "put-object": putObject,
  "read-directory": readDirectory,
  "load-info": loadInfo,
  "load-tags": loadTags,
  "load-versions": loadVersions,
  presign,
  "save-tags": saveTags,
  "save-metadata": saveMetadata,
  preview,
} as const;
