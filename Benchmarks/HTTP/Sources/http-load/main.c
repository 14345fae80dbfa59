// http-load fanout PORT CONNECTIONS ROUNDS WAIT-PATH METHOD PUBLISH-PATH BYTES [CURSOR]
// http-load churn  PORT TOTAL CONCURRENCY PATH SOURCE
// http-load hold   PORT CONNECTIONS SECONDS PATH
//
// fanout: opens long polls, publishes once all of them wait, and prints the milliseconds until the last has its
//         answer, one line a round. The publication is a JSON object of so many bytes, another one each time. Where
//         WAIT-PATH has a %s, the cursor goes there: the one given at first, then what the publication answers.
//         With a processor to itself it looks for answers without sleeping: waking it again and again would be the
//         server's work, a quarter of what an answer costs, which over a network nobody has.
// churn:  opens a connection for each request, from 127.0.0.SOURCE, so many at a time, and prints the milliseconds
//         for all. Another SOURCE each time keeps connections in TIME-WAIT out of the way.
// hold:   opens long polls, each from a client that calls itself something else, prints "ready" and keeps them: for
//         looking at the server's memory and processor time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
  int descriptor;
  int64_t missing;  // bytes of the body still to come; -1 while the head is not whole
  size_t used;
  char head[1024];
};

static struct sockaddr_in server;
static in_addr_t source;
static char request[1024];
static size_t request_length;
static char *last_body;  // of the last response, as far as its last piece goes

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void make_request(const char *path, const char *cursor) {
  char text[768];
  snprintf(text, sizeof text, path, cursor);
  request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", text);
}

static int open_connection(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) fail("socket");
  if (source) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = source};
    setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address)) fail("bind");
  }
  if (connect(descriptor, (struct sockaddr *)&server, sizeof server)) fail("connect");
  return descriptor;
}

// Reads what there is (MSG_DONTWAIT), or waits for it (0). 1 when a response is whole, 0 when not, -1 when the
// connection has ended.
static int receive(struct connection *connection, int flags) {
  static char buffer[65536];
  for (;;) {
    ssize_t count = recv(connection->descriptor, buffer, sizeof buffer, flags);
    if (count == 0) return -1;
    if (count < 0) return errno == EAGAIN ? 0 : -1;
    ssize_t index = 0;
    if (connection->missing < 0) {
      size_t room = sizeof connection->head - 1 - connection->used, before = connection->used;
      size_t length = (size_t)count < room ? (size_t)count : room;
      memcpy(connection->head + before, buffer, length);
      connection->used += length;
      connection->head[connection->used] = 0;
      char *end = memmem(connection->head, connection->used, "\r\n\r\n", 4);
      if (!end && connection->used == sizeof connection->head - 1) return -1;
      if (!end) continue;
      *end = 0;
      index = end + 4 - connection->head - before;
      const char *field = strcasestr(connection->head, "\r\ncontent-length:");
      connection->missing = field ? atoll(field + 17) : 0;
    }
    connection->missing -= count - index;
    if (connection->missing > 0) continue;
    int is_good = !memcmp(connection->head + 9, "20", 2);
    if (!is_good) fprintf(stderr, "unexpected: %.12s %.*s\n", connection->head, (int)(count - index), buffer + index);
    connection->missing = -1;
    connection->used = 0;
    last_body = buffer + index;
    buffer[count < (ssize_t)sizeof buffer ? count : count - 1] = 0;
    return is_good ? 1 : -1;
  }
}

static void send_request(int descriptor) {
  if (write(descriptor, request, request_length) != (ssize_t)request_length) fail("write");
}

// Opens a connection, sends the request and watches for the answer.
static void begin(int poll, struct connection *connection, uint32_t flags) {
  connection->descriptor = open_connection();
  connection->missing = -1;
  connection->used = 0;
  send_request(connection->descriptor);
  struct epoll_event event = {.events = flags, .data.ptr = connection};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, connection->descriptor, &event)) fail("epoll_ctl");
}

static struct connection *open_polls(int poll, int count) {
  struct connection *connections = calloc(count, sizeof *connections);
  for (int i = 0; i < count; i++) begin(poll, &connections[i], EPOLLIN | EPOLLET);
  return connections;
}

// A request whose body is {"title":"…"} with `bytes` in all; never the same twice.
static size_t make_publication(char *text, const char *method, const char *path, int bytes) {
  char title[32];
  int digits = snprintf(title, sizeof title, "%.6f", now());
  int fill = bytes - 12 - digits;
  size_t length = sprintf(text, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          "Content-Length: %d\r\n\r\n{\"title\":\"%s", method, path, bytes, title);
  memset(text + length, 'x', fill);
  memcpy(text + length + fill, "\"}", 2);
  return length + fill + 2;
}

// Waits until every poll has its answer. How many have.
static int collect(int poll, int count) {
  static struct epoll_event events[1024];
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  int is_alone = CPU_COUNT(&processors) == 1, done = 0;
  double deadline = now() + 20000;
  while (done < count && now() < deadline) {
    int ready = epoll_wait(poll, events, 1024, is_alone ? 0 : 1000);
    for (int i = 0; i < ready; i++) {
      int result = receive(events[i].data.ptr, MSG_DONTWAIT);
      if (result < 0) fail("a poll ended");
      done += result;
    }
  }
  return done;
}

static int fanout(int count, int rounds, char **arguments, const char *cursor) {
  const char *path = arguments[0], *method = arguments[1], *target = arguments[2];
  int bytes = atoi(arguments[3]);
  make_request(path, cursor);
  int poll = epoll_create1(0);
  struct connection *connections = open_polls(poll, count);
  struct connection publisher = {.descriptor = open_connection(), .missing = -1};
  char *publication = malloc(bytes + 1024);
  for (int round = 0; round < rounds; round++) {
    usleep(1500000);  // until the last has been parked
    size_t length = make_publication(publication, method, target, bytes);
    double start = now();
    if (write(publisher.descriptor, publication, length) < 0) fail("write");
    int done = collect(poll, count);
    double time = now() - start;
    if (done < count) {
      printf("only %d of %d answered\n", done, count);
      return 1;
    }
    printf("%.1f\n", time);
    fflush(stdout);
    if (receive(&publisher, 0) != 1) fail("the publication");
    char *next = strstr(last_body, "\"cursor\":\"");
    if (next) make_request(path, strtok(next + 10, "\""));
    if (round + 1 < rounds) {
      for (int i = 0; i < count; i++) send_request(connections[i].descriptor);
    }
  }
  return 0;
}

static int churn(int total, int concurrency) {
  int poll = epoll_create1(0);
  struct connection *connections = calloc(concurrency, sizeof *connections);
  static struct epoll_event events[1024];
  int started = 0, done = 0, failed = 0;
  double start = now();
  for (; started < concurrency && started < total; started++) begin(poll, &connections[started], EPOLLIN);
  while (done + failed < total) {
    int ready = epoll_wait(poll, events, 1024, 10000);
    if (ready <= 0) break;
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      int result = receive(connection, MSG_DONTWAIT);
      if (result == 0) continue;
      if (result > 0) done++; else failed++;
      close(connection->descriptor);
      if (started >= total) continue;
      started++;
      begin(poll, connection, EPOLLIN);
    }
  }
  printf("%.1f\n", now() - start);
  if (done < total) fprintf(stderr, "%d of %d answered\n", done, total);
  return done < total;
}

int main(int count, char **arguments) {
  if (count < 6) {
    fprintf(stderr, "see the head of main.c\n");
    return 2;
  }
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  server.sin_family = AF_INET;
  server.sin_port = htons(atoi(arguments[2]));
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  make_request(arguments[5], "");
  if (!strcmp(arguments[1], "churn")) {
    if (count > 6) source = htonl(0x7f000000 + atoi(arguments[6]));
    return churn(atoi(arguments[3]), atoi(arguments[4]));
  }
  if (!strcmp(arguments[1], "hold")) {
    int poll = epoll_create1(0), number = atoi(arguments[3]);
    struct connection *connections = calloc(number, sizeof *connections);
    for (int i = 0; i < number; i++) {
      request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n"
                                "User-Agent: board/2.1 (phone %d; OS 26.1)\r\nAccept: application/json\r\n"
                                "Accept-Encoding: gzip, deflate, br\r\n\r\n", arguments[5], i);
      begin(poll, &connections[i], EPOLLIN | EPOLLET);
    }
    printf("ready\n");
    fflush(stdout);
    sleep(atoi(arguments[4]));
    return 0;
  }
  if (count < 9) return 2;
  return fanout(atoi(arguments[3]), atoi(arguments[4]), arguments + 5, count > 9 ? arguments[9] : "");
}
