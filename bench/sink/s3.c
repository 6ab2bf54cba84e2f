/*
 * The sink's answers. A bucket named NAME-N lists N invented keys below data/; where NAME is
 * `small` they can be read, too, and have 4 KiB each. A bucket tree-N has folders of 1000 objects
 * of 1 KiB, with the MD5 of their bytes. A bucket may list the keys of a file. Other objects are
 * remembered by their size.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sink.h"

#define MD5_OF_NONE "d41d8cd98f00b204e9800998ecf8427e"
#define MD5_OF_LEAF "7dd7e68f1907b4665684355797725b8e" /* 1 KiB of the pattern */
#define ETAG "\"" MD5_OF_NONE "-1\""
#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

enum { PAGE = 1000, PAGE_BYTES = 4 * 1024 * 1024, SMALL = 4096, LEAF = 1024, KEY = 1024 };

typedef struct {
  char *path;
  long long size;
  char *checksum; /* header and value; NULL where there is none */
} object;

static void *objects; /* by path: a tree of tsearch(3) */

static int by_path(const void *one, const void *other) {
  return strcmp(((const object *)one)->path, ((const object *)other)->path);
}

static object *find(const char *path) {
  object wanted = {.path = (char *)path};
  object **found = tfind(&wanted, &objects, by_path);
  return found ? *found : NULL;
}

static object *remember(const char *path, long long size) {
  object *o = find(path);
  if (!o) {
    o = calloc(1, sizeof *o);
    o->path = strdup(path);
    tsearch(o, &objects, by_path);
  }
  o->size = size;
  return o;
}

static long long *uploads; /* bytes so far, by upload id */
static int upload_count;

static struct key_list {
  char *bucket, **keys;
  long long *sizes; /* -1 where there is nothing to be read */
  long total;
  struct key_list *next;
} *key_lists;

/* The keys of a bucket, one a line, in the order of their bytes; a tab and a size may follow. */
static void load_keys(const char *bucket, const char *path) {
  struct key_list *list = calloc(1, sizeof *list);
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  char line[KEY];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (list->total % PAGE == 0) {
      list->keys = realloc(list->keys, (list->total + PAGE) * sizeof *list->keys);
      list->sizes = realloc(list->sizes, (list->total + PAGE) * sizeof *list->sizes);
    }
    char *tab = strchr(line, '\t');
    list->sizes[list->total] = tab ? atoll(tab + 1) : -1;
    if (tab) *tab = 0;
    list->keys[list->total++] = strdup(line);
  }
  fclose(file);
  list->bucket = strdup(bucket);
  list->next = key_lists;
  key_lists = list;
}

void preset(const char *description) {
  char *path = strdup(description);
  char *at = strchr(path, '@');
  if (at) {
    *at = 0;
    load_keys(path + 1, at + 1);
    return;
  }
  char *equals = strrchr(path, '=');
  char *comma = strchr(path, ',');
  if (comma) equals = memrchr(path, '=', comma - path);
  if (!equals) return;
  *equals = 0;
  remember(path, atoll(equals + 1))->checksum = comma ? comma + 1 : NULL;
}

static bool is_small(const char *path) {
  const char *key = strchr(path + 1, '/');
  return strncmp(path, "/small-", 7) == 0 && key && strncmp(key, "/data/", 6) == 0 && key[6];
}

/* The number of a tree's object; -1 for any other. */
static long leaf_of(const char *path) {
  const char *name = strrchr(path, '/');
  return strncmp(path, "/tree-", 6) == 0 && name[1] == 'f' ? atol(name + 2) : -1;
}

static bool *replaced; /* leaves that were written, by number */
static long replaced_room;

static bool is_replaced(long leaf) { return leaf < replaced_room && replaced[leaf]; }

static void replace(long leaf) {
  if (leaf >= replaced_room) {
    long room = 2 * leaf + 1;
    replaced = realloc(replaced, room * sizeof *replaced);
    memset(replaced + replaced_room, 0, (room - replaced_room) * sizeof *replaced);
    replaced_room = room;
  }
  replaced[leaf] = true;
}

/* Decodes a text up to an ampersand. */
static void decode(const char *from, char *value, size_t room) {
  size_t count = 0;
  while (*from && *from != '&' && count + 1 < room) {
    unsigned byte;
    if (sscanf(from, "%%%2x", &byte) == 1) from += 3;
    else byte = *from++;
    value[count++] = byte;
  }
  value[count] = 0;
}

static int by_text(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The listed object of this path; -1 when there is none. */
static long listed(const struct key_list *list, const char *path) {
  size_t length = strlen(list->bucket);
  if (strncmp(path + 1, list->bucket, length) != 0 || path[length + 1] != '/') return -1;
  char key[KEY], *wanted = key;
  decode(path + length + 2, key, sizeof key);
  char **found = bsearch(&wanted, list->keys, list->total, sizeof wanted, by_text);
  return found ? found - list->keys : -1;
}

/* An object's size; -1 when there is none. */
static long long size_of(const char *path) {
  if (leaf_of(path) >= 0) return LEAF;
  if (is_small(path)) return SMALL;
  object *o = find(path);
  if (o) return o->size;
  for (struct key_list *list = key_lists; list; list = list->next) {
    long i = listed(list, path);
    if (i >= 0) return list->sizes[i];
  }
  return -1;
}

/* Reads and decodes a parameter of the query; tells whether it is there. */
static bool parameter(const char *query, const char *name, char *value, size_t room) {
  size_t length = strlen(name);
  for (const char *at = query; at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
    if (strncmp(at, name, length) != 0 || !strchr("=&", at[length])) continue;
    const char *from = at + length + (at[length] == '=');
    decode(from, value, room);
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

/* The keys that a bucket lists: its invented keys have numbers, in the order of the keys. */
typedef struct {
  enum { ITEMS, SMALL_ITEMS, TREE, LISTED } kind;
  long total;
  const struct key_list *list; /* of those that are listed */
} shelf;

static shelf shelf_of(const char *bucket) {
  for (struct key_list *list = key_lists; list; list = list->next) {
    if (strcmp(list->bucket, bucket) == 0) return (shelf){LISTED, list->total, list};
  }
  const char *count = strchr(bucket, '-');
  shelf s = {ITEMS, count ? atol(count + 1) : 0, NULL};
  if (strncmp(bucket, "small-", 6) == 0) s.kind = SMALL_ITEMS;
  if (strncmp(bucket, "tree-", 5) == 0) s.kind = TREE;
  return s;
}

static void write_key(const shelf *s, char *key, long i) {
  if (s->kind == LISTED) strcpy(key, s->list->keys[i]);
  else if (s->kind == TREE) sprintf(key, "d%05ld/f%08ld", i / PAGE, i);
  else sprintf(key, "data/events-2025-01-01-%09ld", i);
}

static int write_entry(const shelf *s, char *out, const char *key, long i) {
  long long listed_size = s->kind == LISTED ? s->list->sizes[i] : -1;
  bool bare = s->kind == ITEMS || (s->kind == LISTED && listed_size < 0), leaf = s->kind == TREE && !is_replaced(i);
  const char *etag = bare ? MD5_OF_NONE : leaf ? MD5_OF_LEAF : MD5_OF_NONE "-1";
  long size = s->kind == TREE ? LEAF : s->kind == SMALL_ITEMS ? SMALL : i * 37 % 1000003;
  if (listed_size >= 0) size = listed_size;
  return sprintf(out, "<Contents><Key>%s</Key><LastModified>2025-01-01T12:34:56.000Z</LastModified>"
                      "<ETag>&quot;%s&quot;</ETag><Size>%ld</Size>"
                      "<StorageClass>STANDARD</StorageClass></Contents>",
                 key, etag, size);
}

/* The number of the first key after `text`, or of `text` itself. */
static long first_from(const shelf *s, const char *text, bool may_be) {
  long low = 0, high = s->total;
  while (low < high) {
    char key[KEY];
    long middle = (low + high) / 2;
    write_key(s, key, middle);
    int order = strcmp(key, text);
    if (order < 0 || (order == 0 && !may_be)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void list(answer *a, const char *bucket, const char *query) {
  static char page[PAGE_BYTES];
  char text[KEY], prefix[KEY] = "", behind[KEY + 1], key[KEY], *out = page;
  stats.lists += 1;
  shelf s = shelf_of(bucket);
  bool second = parameter(query, "list-type", text, sizeof text);
  bool delimited = parameter(query, "delimiter", text, sizeof text) && text[0];
  parameter(query, "prefix", prefix, sizeof prefix);
  long limit = parameter(query, "max-keys", text, sizeof text) ? atol(text) : PAGE;
  if (limit > PAGE) limit = PAGE;
  sprintf(behind, "%s\xff", prefix);
  long start = first_from(&s, prefix, true);
  long last = first_from(&s, behind, true);
  bool goes_on = parameter(query, second ? "continuation-token" : "marker", text, sizeof text);
  if (goes_on || parameter(query, "start-after", text, sizeof text)) {
    long next = first_from(&s, text, false);
    if (next > start) start = next;
  }
  if (start > last) start = last;
  /* All folders and the keys beside them come in one page: there are few. */
  bool folders = delimited && (s.kind == LISTED || !strchr(prefix, '/'));
  long end = !folders && start + limit < last ? start + limit : last;
  out += sprintf(out, XML "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                          "<Name>%s</Name><Prefix>%s</Prefix><MaxKeys>%ld</MaxKeys>%s"
                          "<IsTruncated>%s</IsTruncated>",
                 bucket, prefix, limit, delimited ? "<Delimiter>/</Delimiter>" : "",
                 end < last ? "true" : "false");
  if (second) out += sprintf(out, "<KeyCount>%ld</KeyCount>", end - start);
  if (end < last && end > start) {
    write_key(&s, key, end - 1);
    const char *element = second ? "NextContinuationToken" : "NextMarker";
    out += sprintf(out, "<%s>%s</%s>", element, key, element);
  }
  for (long i = start; i < end;) {
    write_key(&s, key, i);
    char *slash = folders ? strchr(key + strlen(prefix), '/') : NULL;
    if (!slash) {
      out += write_entry(&s, out, key, i++);
      continue;
    }
    slash[1] = 0;
    out += sprintf(out, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", key);
    slash[1] = '\xff';
    slash[2] = 0;
    i = first_from(&s, key, true);
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
  long leaf = leaf_of(q->path);
  if (leaf >= 0) replace(leaf);
  else if (!part && !is_small(q->path) && strchr(q->path + 1, '/')) remember(q->path, size);
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
  long leaf = leaf_of(q->path);
  int length = sprintf(headers, "Content-Type: application/octet-stream\r\nETag: %s\r\n"
                                "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n"
                                "Accept-Ranges: bytes\r\n",
                       leaf >= 0 && !is_replaced(leaf) ? "\"" MD5_OF_LEAF "\"" : ETAG);
  object *o = find(q->path);
  const char *checksum = o ? o->checksum : NULL;
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
  } else if (keyed && (strcmp(query, "tagging") == 0 || strcmp(query, "tagging=") == 0)) {
    respond_xml(a, 200, XML "<Tagging><TagSet></TagSet></Tagging>");
  } else if (keyed) {
    stats.gets += 1;
    read_object(q, a, true);
  } else {
    get(q, a, bucket, query);
  }
}
