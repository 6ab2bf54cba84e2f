/*
 * The null S3 server of the benchmark: reads and forgets what is sent to it, and answers with
 * canned listings and bytes, as fast as one thread can. 127.0.0.1 only; it verifies no signature.
 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char method[8];
  char path[4096]; /* with the query until answered; still percent-encoded */
  long long size;  /* bytes of the body, without what aws-chunked puts around it */
  bool ranged;
  long long first, last; /* both inclusive; last is -1 for "to the end" */
  bool wants_checksum;
  char copy_source[4096]; /* "" unless it is a copy; starts with a slash */
  long long copy_length;  /* of the range to copy; -1 for the whole */
} request;

typedef struct {
  char *bytes; /* head and text body; freed when sent */
  size_t length;
  long long canned;     /* bytes of the pattern that follow */
  long long canned_from; /* where in the object they begin */
} answer;

typedef struct {
  uint64_t requests, puts, gets, heads, lists, posts, deletes, connections, bytes_in, bytes_out;
} counters;

/* Counts since /__stats was last asked for. */
extern counters stats;

/* Every object consists of these bytes, over and over. */
#define PATTERN "0123456789abcdef"

/*
 * Makes an object that can be read: "/bucket/key=SIZE" or "/bucket/key=SIZE,HEADER:VALUE", where the
 * header is the checksum to send to a client that asks for it. "/bucket@FILE" makes a bucket that lists
 * the keys in FILE, one a line in order; with a tab and a size they can be read, too.
 */
void preset(const char *description);

/* Fills in the answer to a request that has been read whole. */
void answer_to(request *request, answer *answer);

#endif
