/*
 * The sink's answers. A bucket named NAME-N lists N invented keys below data/; where NAME is
 * `small` they can be read, too, and have 4 KiB each. Other objects are remembered by their size.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sink.h"

#define ETAG "\"d41d8cd98f00b204e9800998ecf8427e-1\""
#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

enum { OBJECTS = 256, PAGE = 1000, PAGE_BYTES = 1024 * 1024, SMALL = 4096 };

static struct {
  char *path;
  long long size;
  char *checksum; /* header and value; NULL where there is none */
} objects[OBJECTS];
static int object_count;

static long long *uploads; /* bytes so far, by upload id */
static int upload_count;

static int find(const char *path) {
  for (int i = 0; i < object_count; i += 1) {
    if (strcmp(objects[i].path, path) == 0) return i;
  }
  return -1;
}

static int remember(const char *path, long long size) {
  int i = find(path);
  if (i < 0) {
    if (object_count == OBJECTS) {
      fprintf(stderr, "sink: more than %d objects\n", OBJECTS);
      exit(1);
    }
    i = object_count++;
    objects[i].path = strdup(path);
  }
  objects[i].size = size;
  return i;
}

void preset(const char *description) {
  char *path = strdup(description);
  char *equals = strrchr(path, '=');
  char *comma = strchr(path, ',');
  if (comma) equals = memrchr(path, '=', comma - path);
  if (!equals) return;
  *equals = 0;
  int i = remember(path, atoll(equals + 1));
  objects[i].checksum = comma ? comma + 1 : NULL;
}

static bool is_small(const char *path) {
  const char *key = strchr(path + 1, '/');
  return strncmp(path, "/small-", 7) == 0 && key && strncmp(key, "/data/", 6) == 0 && key[6];
}

/* An object's size; -1 when there is none. */
static long long size_of(const char *path) {
  if (is_small(path)) return SMALL;
  int i = find(path);
  return i < 0 ? -1 : objects[i].size;
}

/* Reads and decodes a parameter of the query; tells whether it is there. */
static bool parameter(const char *query, const char *name, char *value, size_t room) {
  size_t length = strlen(name);
  for (const char *at = query; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
    if (strncmp(at, name, length) != 0 || !strchr("=&", at[length])) continue;
    const char *from = at + length + (at[length] == '=');
    size_t count = 0;
    while (*from && *from != '&' && count + 1 < room) {
      unsigned byte;
      if (sscanf(from, "%%%2x", &byte) == 1) from += 3;
      else byte = *from++;
      value[count++] = byte;
    }
    value[count] = 0;
    return true;
  }
  return false;
}

static const char *phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 404: return "Not Found";
    default: return "Range Not Satisfiable";
  }
}

static const char *now(void) {
  static time_t last;
  static char text[64];
  time_t time_now = time(NULL);
  if (time_now != last) {
    struct tm parts;
    last = time_now;
    strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&time_now, &parts));
  }
  return text;
}

/* `length` bytes are announced; `body` is sent unless it is NULL. */
static void respond(answer *a, int status, const char *headers, const char *body,
                    long long length) {
  a->bytes = malloc(2048 + (body ? length : 0));
  a->length = sprintf(a->bytes,
                      "HTTP/1.1 %d %s\r\nServer: sink\r\nDate: %s\r\n"
                      "x-amz-request-id: 0123456789ABCDEF\r\n%s",
                      status, phrase(status), now(), headers);
  if (status != 204) a->length += sprintf(a->bytes + a->length, "Content-Length: %lld\r\n", length);
  a->length += sprintf(a->bytes + a->length, "\r\n");
  if (!body) return;
  memcpy(a->bytes + a->length, body, length);
  a->length += length;
}

static void respond_xml(answer *a, int status, const char *document) {
  respond(a, status, "Content-Type: application/xml\r\n", document, strlen(document));
}

static void list(answer *a, const char *bucket, const char *query) {
  static char page[PAGE_BYTES];
  char text[1024], prefix[1024] = "", *out = page;
  stats.lists += 1;
  bool second = parameter(query, "list-type", text, sizeof text);
  bool delimited = parameter(query, "delimiter", text, sizeof text) && text[0];
  parameter(query, "prefix", prefix, sizeof prefix);
  long limit = parameter(query, "max-keys", text, sizeof text) ? atol(text) : PAGE;
  long total = strchr(bucket, '-') ? atol(strchr(bucket, '-') + 1) : 0;
  long start = 0;
  if (parameter(query, second ? "continuation-token" : "marker", text, sizeof text) && text[0]) {
    start = second ? atol(text) : atol(strrchr(text, '-') ? strrchr(text, '-') + 1 : "-1") + 1;
  }
  if (limit > PAGE) limit = PAGE;
  long end = start + limit < total ? start + limit : total;
  bool more = end < total;
  out += sprintf(out, XML "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                          "<Name>%s</Name><Prefix>%s</Prefix><MaxKeys>%ld</MaxKeys>%s",
                 bucket, prefix, limit, delimited ? "<Delimiter>/</Delimiter>" : "");
  if (delimited && !prefix[0]) {
    sprintf(out, "<IsTruncated>false</IsTruncated>"
                 "<CommonPrefixes><Prefix>data/</Prefix></CommonPrefixes></ListBucketResult>");
    respond_xml(a, 200, page);
    return;
  }
  out += sprintf(out, "<IsTruncated>%s</IsTruncated>", more ? "true" : "false");
  if (second) out += sprintf(out, "<KeyCount>%ld</KeyCount>", end - start);
  if (more) {
    const char *token = "<NextContinuationToken>%ld</NextContinuationToken>";
    const char *marker = "<NextMarker>data/events-2025-01-01-%09ld</NextMarker>";
    out += second ? sprintf(out, token, end) : sprintf(out, marker, end - 1);
  }
  bool small = strncmp(bucket, "small-", 6) == 0;
  for (long i = start; i < end; i += 1) {
    out += sprintf(out, "<Contents><Key>data/events-2025-01-01-%09ld</Key>"
                        "<LastModified>2025-01-01T12:34:56.000Z</LastModified>"
                        "<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e%s&quot;</ETag><Size>%ld</Size>"
                        "<StorageClass>STANDARD</StorageClass></Contents>",
                   i, small ? "-1" : "", small ? SMALL : i * 37 % 1000003);
  }
  sprintf(out, "</ListBucketResult>");
  respond_xml(a, 200, page);
}

static void put(request *q, answer *a, const char *query) {
  char id[32];
  stats.puts += 1;
  bool copies = q->copy_source[0];
  long long size = q->size;
  if (copies) size = q->copy_length >= 0 ? q->copy_length : size_of(q->copy_source);
  if (size < 0) {
    respond_xml(a, 404, XML "<Error><Code>NoSuchKey</Code><Message>no source</Message></Error>");
    return;
  }
  bool part = parameter(query, "uploadId", id, sizeof id);
  if (part && atoi(id) < upload_count) uploads[atoi(id)] += size;
  if (!part && !is_small(q->path) && strchr(q->path + 1, '/')) remember(q->path, size);
  if (!copies) respond(a, 200, "ETag: " ETAG "\r\n", "", 0);
  else respond_xml(a, 200, part ? XML "<CopyPartResult><ETag>" ETAG "</ETag></CopyPartResult>"
                                : XML "<CopyObjectResult><LastModified>2025-01-01T00:00:00.000Z"
                                      "</LastModified><ETag>" ETAG "</ETag></CopyObjectResult>");
}

static void post(request *q, answer *a, const char *bucket, const char *query) {
  char id[32], document[1024 + 2 * sizeof q->path];
  stats.posts += 1;
  if (parameter(query, "uploads", id, sizeof id)) {
    uploads = realloc(uploads, (upload_count + 1) * sizeof *uploads);
    uploads[upload_count] = 0;
    sprintf(document, XML "<InitiateMultipartUploadResult><UploadId>%d</UploadId>"
                          "</InitiateMultipartUploadResult>", upload_count++);
  } else if (parameter(query, "uploadId", id, sizeof id) && atoi(id) < upload_count) {
    remember(q->path, uploads[atoi(id)]);
    const char *key = q->path + 1 + strlen(bucket) + 1;
    sprintf(document, XML "<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key>"
                          "<ETag>" ETAG "</ETag></CompleteMultipartUploadResult>", bucket, key);
  } else {
    sprintf(document, XML "<DeleteResult></DeleteResult>");
  }
  respond_xml(a, 200, document);
}

/* A GET or HEAD. S3 gives the checksum of the whole only with the whole object. */
static void read_object(request *q, answer *a, bool body) {
  long long size = size_of(q->path);
  if (size < 0 || (q->ranged && q->first >= size)) {
    const char *error = XML "<Error><Code>%s</Code><Message>no such bytes</Message></Error>";
    char document[256];
    sprintf(document, error, size < 0 ? "NoSuchKey" : "InvalidRange");
    respond(a, size < 0 ? 404 : 416, "", body ? document : NULL, body ? strlen(document) : 0);
    return;
  }
  long long first = q->ranged ? q->first : 0;
  long long last = q->ranged && q->last >= 0 && q->last < size ? q->last : size - 1;
  char headers[1024];
  int length = sprintf(headers, "Content-Type: application/octet-stream\r\nETag: " ETAG "\r\n"
                                "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n"
                                "Accept-Ranges: bytes\r\n");
  int object = find(q->path);
  const char *checksum = object < 0 ? NULL : objects[object].checksum;
  char *rest = headers + length;
  if (q->ranged) sprintf(rest, "Content-Range: bytes %lld-%lld/%lld\r\n", first, last, size);
  else if (checksum && q->wants_checksum) {
    sprintf(rest, "%s\r\nx-amz-checksum-type: FULL_OBJECT\r\n", checksum);
  }
  respond(a, q->ranged ? 206 : 200, headers, NULL, last - first + 1);
  if (!body) return;
  a->canned = last - first + 1;
  a->canned_from = first;
}

static void get(request *q, answer *a, const char *bucket, const char *query) {
  char value[16];
  if (strcmp(q->path, "/") == 0) {
    respond_xml(a, 200, XML "<ListAllMyBucketsResult><Owner><ID>x</ID></Owner><Buckets></Buckets>"
                            "</ListAllMyBucketsResult>");
  } else if (parameter(query, "location", value, sizeof value)) {
    respond_xml(a, 200, XML "<LocationConstraint></LocationConstraint>");
  } else {
    list(a, bucket, query);
  }
}

static void tell_stats(answer *a) {
  char text[512];
  sprintf(text, "{\"requests\":%lu,\"puts\":%lu,\"gets\":%lu,\"heads\":%lu,\"lists\":%lu,"
                "\"posts\":%lu,\"deletes\":%lu,\"connections\":%lu,\"in\":%lu,\"out\":%lu}\n",
          stats.requests, stats.puts, stats.gets, stats.heads, stats.lists, stats.posts,
          stats.deletes, stats.connections, stats.bytes_in, stats.bytes_out);
  memset(&stats, 0, sizeof stats);
  respond(a, 200, "Content-Type: application/json\r\n", text, strlen(text));
}

void answer_to(request *q, answer *a) {
  char *query = q->path + strcspn(q->path, "?");
  if (*query) *query++ = 0;
  if (strcmp(q->path, "/__stats") == 0) {
    tell_stats(a);
    return;
  }
  stats.requests += 1;
  char bucket[256];
  snprintf(bucket, sizeof bucket, "%.*s", (int)strcspn(q->path + 1, "/"), q->path + 1);
  const char *key = q->path + 1 + strlen(bucket);
  bool keyed = key[0] && key[1];
  if (strcmp(q->method, "PUT") == 0) put(q, a, query);
  else if (strcmp(q->method, "POST") == 0) post(q, a, bucket, query);
  else if (strcmp(q->method, "DELETE") == 0) {
    stats.deletes += 1;
    respond(a, 204, "", NULL, 0);
  } else if (strcmp(q->method, "HEAD") == 0) {
    stats.heads += 1;
    if (keyed) read_object(q, a, false);
    else respond(a, 200, "x-amz-bucket-region: us-east-1\r\n", "", 0);
  } else if (keyed) {
    stats.gets += 1;
    read_object(q, a, true);
  } else {
    get(q, a, bucket, query);
  }
}
