/* sink PORT [OBJECT …]: the sockets, and as much of HTTP/1.1 as S3 clients speak. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sink.h"

enum { IN_SIZE = 64 * 1024, AT_ONCE = 4 * 1024 * 1024, EVENTS = 256 };

/* The outcome of a step over a socket. */
typedef enum { DONE, LATER, CLOSED } outcome;

typedef struct {
  int fd;
  enum { HEAD, FIXED, CHUNKED, SENDING } state;
  char in[IN_SIZE];
  size_t held;
  long long left; /* of the body, or of its current chunk */
  enum { SIZE, EXTENSION, DATA, DATA_END, TRAILER } chunk;
  long long chunked; /* bytes of all chunks so far */
  size_t line;       /* length of the current trailer line */
  long long decoded; /* what aws-chunked says its content is; -1 where it is not used */
  request request;
  answer answer;
  size_t sent;
  bool awaits_room;
} connection;

counters stats;
static int poller;
static char *pattern; /* AT_ONCE bytes from any offset within one repetition */

static long long min(long long a, long long b) { return a < b ? a : b; }

static outcome failed(ssize_t n) { return n < 0 && errno == EAGAIN ? LATER : CLOSED; }

static void consume(connection *c, size_t count) {
  memmove(c->in, c->in + count, c->held - count);
  c->held -= count;
}

static outcome fill(connection *c) {
  ssize_t n = recv(c->fd, c->in + c->held, IN_SIZE - c->held, 0);
  if (n <= 0) return failed(n);
  c->held += n;
  return DONE;
}

/* Makes the kernel throw away the rest of a body or chunk. */
static outcome discard(connection *c) {
  while (c->left > 0) {
    ssize_t n = recv(c->fd, NULL, min(c->left, AT_ONCE), MSG_TRUNC);
    if (n <= 0) return failed(n);
    c->left -= n;
    stats.bytes_in += n;
  }
  return DONE;
}

static char *value_of(char *line, const char *name) {
  size_t length = strlen(name);
  if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
  line += length + 1;
  return line + strspn(line, " ");
}

static void read_range(const char *text, long long *first, long long *last) {
  const char *equals = strchr(text, '=');
  const char *dash = equals ? strchr(equals, '-') : NULL;
  if (!dash) return;
  *first = atoll(equals + 1);
  *last = dash[1] ? atoll(dash + 1) : -1;
}

static void read_header(connection *c, char *line, bool *chunked, bool *expects) {
  request *q = &c->request;
  char *value;
  if ((value = value_of(line, "content-length"))) c->left = atoll(value);
  else if ((value = value_of(line, "transfer-encoding"))) *chunked = strcasestr(value, "chunked");
  else if (value_of(line, "expect")) *expects = true;
  else if ((value = value_of(line, "range"))) {
    q->ranged = true;
    read_range(value, &q->first, &q->last);
  } else if (strncasecmp(line, "x-amz-", 6) != 0) return;
  else if ((value = value_of(line, "x-amz-decoded-content-length"))) c->decoded = atoll(value);
  else if (value_of(line, "x-amz-checksum-mode")) q->wants_checksum = true;
  else if ((value = value_of(line, "x-amz-copy-source"))) {
    snprintf(q->copy_source, sizeof q->copy_source, "/%s", value + (*value == '/'));
    q->copy_source[strcspn(q->copy_source, "?")] = 0;
  } else if ((value = value_of(line, "x-amz-copy-source-range"))) {
    long long first = 0, last = -1;
    read_range(value, &first, &last);
    q->copy_length = last - first + 1;
  }
}

/* Takes the head off `in`; LATER when it has not come whole. */
static outcome read_head(connection *c) {
  char *end = memmem(c->in, c->held, "\r\n\r\n", 4);
  if (!end) return LATER;
  *end = 0;
  request *q = &c->request;
  q->ranged = q->wants_checksum = false;
  q->first = 0, q->last = q->copy_length = -1;
  q->copy_source[0] = 0;
  c->left = c->chunked = 0;
  c->decoded = -1;
  char *rest = c->in;
  char *line = strsep(&rest, "\r");
  if (sscanf(line, "%7s %4095s", q->method, q->path) != 2 || q->path[0] != '/') return CLOSED;
  bool chunked = false, expects = false;
  while ((line = strsep(&rest, "\r"))) read_header(c, line + 1, &chunked, &expects);
  consume(c, end + 4 - c->in);
  c->state = chunked ? CHUNKED : FIXED;
  q->size = c->left;
  if (chunked) c->left = 0, c->chunk = SIZE;
  static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
  if (expects) send(c->fd, go_on, sizeof go_on - 1, MSG_NOSIGNAL);
  return DONE;
}

static outcome read_fixed(connection *c) {
  size_t here = min(c->held, c->left);
  consume(c, here);
  c->left -= here;
  stats.bytes_in += here;
  return discard(c);
}

/* Goes over the chunks in `in`; tells how many bytes that was, and whether the last chunk ended. */
static size_t walk_chunks(connection *c, bool *ended) {
  size_t at = 0;
  while (at < c->held) {
    if (c->chunk == DATA) {
      size_t here = min(c->held - at, c->left);
      at += here;
      c->left -= here;
      if (c->left == 0) c->chunk = DATA_END;
      continue;
    }
    char byte = c->in[at++];
    if (byte == '\r') continue;
    if (c->chunk == DATA_END) {
      c->chunk = SIZE;
    } else if (c->chunk == TRAILER) {
      if (byte != '\n') c->line += 1;
      else if (c->line > 0) c->line = 0;
      else {
        *ended = true;
        break;
      }
    } else if (byte == '\n') {
      c->chunked += c->left;
      c->chunk = c->left > 0 ? DATA : TRAILER;
      c->line = 0;
    } else if (byte == ';') {
      c->chunk = EXTENSION;
    } else if (c->chunk == SIZE) {
      c->left = c->left * 16 + (byte <= '9' ? byte - '0' : (byte | 32) - 'a' + 10);
    }
  }
  stats.bytes_in += at;
  return at;
}

static outcome read_chunked(connection *c) {
  for (;;) {
    bool ended = false;
    consume(c, walk_chunks(c, &ended));
    if (ended) {
      c->request.size = c->chunked;
      return DONE;
    }
    outcome o = c->chunk == DATA ? discard(c) : fill(c);
    if (o != DONE) return o;
    if (c->chunk == DATA) c->chunk = DATA_END;
  }
}

static outcome send_answer(connection *c) {
  answer *a = &c->answer;
  while (c->sent < a->length) {
    int flags = MSG_NOSIGNAL | (a->canned > 0 ? MSG_MORE : 0);
    ssize_t n = send(c->fd, a->bytes + c->sent, a->length - c->sent, flags);
    if (n < 0) return failed(n);
    c->sent += n;
  }
  while (a->canned > 0) {
    const char *from = pattern + a->canned_from % (sizeof PATTERN - 1);
    ssize_t n = send(c->fd, from, min(a->canned, AT_ONCE), MSG_NOSIGNAL);
    if (n < 0) return failed(n);
    a->canned -= n;
    a->canned_from += n;
    stats.bytes_out += n;
  }
  free(a->bytes);
  a->bytes = NULL;
  return DONE;
}

static void await_room(connection *c, bool wanted) {
  if (c->awaits_room == wanted) return;
  c->awaits_room = wanted;
  struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event);
}

static outcome step(connection *c) {
  outcome o;
  switch (c->state) {
    case HEAD:
      o = c->held > 0 ? read_head(c) : LATER;
      return o == LATER ? fill(c) : o;
    case FIXED:
    case CHUNKED:
      o = c->state == FIXED ? read_fixed(c) : read_chunked(c);
      if (o != DONE) return o;
      if (c->decoded >= 0) c->request.size = c->decoded;
      c->sent = 0;
      memset(&c->answer, 0, sizeof c->answer);
      answer_to(&c->request, &c->answer);
      c->state = SENDING;
      return DONE;
    default:
      o = send_answer(c);
      await_room(c, o == LATER);
      if (o == DONE) c->state = HEAD;
      return o;
  }
}

static void serve(connection *c) {
  outcome o;
  while ((o = step(c)) == DONE) {}
  if (o == LATER) return;
  close(c->fd);
  free(c->answer.bytes);
  free(c);
}

static void welcome(int listener) {
  int fd, on = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    stats.connections += 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

int main(int count, char **words) {
  if (count < 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  size_t repetition = sizeof PATTERN - 1;
  pattern = malloc(AT_ONCE + repetition);
  for (size_t i = 0; i < AT_ONCE + repetition; i += repetition) {
    memcpy(pattern + i, PATTERN, repetition);
  }
  for (int i = 2; i < count; i += 1) preset(words[i]);

  int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {
    .sin_family = AF_INET,
    .sin_port = htons(atoi(words[1])),
    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  if (bind(listener, (void *)&address, sizeof address) < 0 || listen(listener, 1024) < 0) {
    perror("sink");
    return 1;
  }
  poller = epoll_create1(0);
  struct epoll_event events[EVENTS], event = {.events = EPOLLIN};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poller, events, EVENTS, -1);
    for (int i = 0; i < ready; i += 1) {
      if (events[i].data.ptr) serve(events[i].data.ptr);
      else welcome(listener);
    }
  }
}
