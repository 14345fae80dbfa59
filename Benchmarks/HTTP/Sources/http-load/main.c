// http-load fanout PORT CONNECTIONS ROUNDS WAIT-PATH PUBLISH-PATH [MESSAGE-BYTES]
// http-load churn  PORT TOTAL CONCURRENCY PATH
// http-load hold   PORT CONNECTIONS SECONDS PATH
//
// fanout: opens long polls, publishes once all of them wait, and prints the milliseconds until the last has its
//         answer, one line a round. With MESSAGE-BYTES the publication is a POST with so many bytes.
// churn:  opens a connection for each request, and prints the milliseconds for all.
// hold:   opens long polls, prints "ready" and keeps them: for looking at the server's memory and processor time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct connection {
  int descriptor;
  int64_t missing;  // bytes of the body still to come; -1 while the head is not whole
  size_t used;
  char head[1024];
};

static struct sockaddr_in server;
static char request[1024];
static size_t request_length;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int open_connection(int is_blocking) {
  int descriptor = socket(AF_INET, SOCK_STREAM | (is_blocking ? 0 : SOCK_NONBLOCK), 0);
  if (descriptor < 0) fail("socket");
  int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(descriptor, (struct sockaddr *)&server, sizeof server) && errno != EINPROGRESS) fail("connect");
  return descriptor;
}

// Reads what there is. 1 when a response is whole, 0 when not, -1 when the connection has ended.
static int receive(struct connection *connection) {
  static char buffer[65536];
  for (;;) {
    ssize_t count = read(connection->descriptor, buffer, sizeof buffer);
    if (count == 0) return -1;
    if (count < 0) return errno == EAGAIN ? 0 : -1;
    ssize_t index = 0;
    while (connection->missing < 0 && index < count) {
      if (connection->used + 1 >= sizeof connection->head) return -1;
      connection->head[connection->used++] = buffer[index++];
      if (connection->used < 4 || memcmp(connection->head + connection->used - 4, "\r\n\r\n", 4)) continue;
      connection->head[connection->used] = 0;
      const char *length = strcasestr(connection->head, "\r\ncontent-length:");
      connection->missing = length ? atoll(length + 17) : 0;
    }
    if (connection->missing < 0) continue;
    connection->missing -= count - index;
    if (connection->missing > 0) continue;
    int is_good = !memcmp(connection->head + 9, "20", 2);
    if (!is_good) fprintf(stderr, "unexpected: %.12s\n", connection->head);
    connection->missing = -1;
    connection->used = 0;
    return is_good ? 1 : -1;
  }
}

static void send_request(int descriptor) {
  if (write(descriptor, request, request_length) != (ssize_t)request_length) fail("write");
}

static void add(int poll, struct connection *connection, uint32_t flags) {
  struct epoll_event event = {.events = flags, .data.ptr = connection};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, connection->descriptor, &event)) fail("epoll_ctl");
}

static struct connection *open_polls(int poll, int count) {
  struct connection *connections = calloc(count, sizeof *connections);
  for (int i = 0; i < count; i++) {
    connections[i].descriptor = open_connection(1);
    connections[i].missing = -1;
    send_request(connections[i].descriptor);
    fcntl(connections[i].descriptor, F_SETFL, O_NONBLOCK);
    add(poll, &connections[i], EPOLLIN | EPOLLET);
  }
  return connections;
}

static int fanout(int count, int rounds, const char *path, long bytes) {
  int poll = epoll_create1(0);
  struct connection *connections = open_polls(poll, count);
  struct connection publisher = {.descriptor = open_connection(1), .missing = -1};
  char *publication = malloc(bytes + 512);
  size_t length = sprintf(publication, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %ld\r\n\r\n",
                          bytes ? "POST" : "GET", path, bytes);
  memset(publication + length, 'x', bytes);
  static struct epoll_event events[1024];
  for (int round = 0; round < rounds; round++) {
    usleep(1500000);  // until the last has been parked
    double start = now();
    if (write(publisher.descriptor, publication, length + bytes) < 0) fail("write");
    for (int done = 0; done < count;) {
      int ready = epoll_wait(poll, events, 1024, 20000);
      if (ready <= 0) {
        printf("only %d of %d answered\n", done, count);
        return 1;
      }
      for (int i = 0; i < ready; i++) {
        int result = receive(events[i].data.ptr);
        if (result < 0) fail("a poll ended");
        done += result;
      }
    }
    printf("%.1f\n", now() - start);
    fflush(stdout);
    while (receive(&publisher) != 1) {}
    for (int i = 0; i < count; i++) send_request(connections[i].descriptor);
  }
  return 0;
}

static int churn(int total, int concurrency) {
  int poll = epoll_create1(0);
  struct connection *connections = calloc(concurrency, sizeof *connections);
  static struct epoll_event events[1024];
  int started = 0, done = 0, failed = 0;
  double start = now();
  for (; started < concurrency && started < total; started++) {
    connections[started].descriptor = open_connection(1);
    connections[started].missing = -1;
    send_request(connections[started].descriptor);
    fcntl(connections[started].descriptor, F_SETFL, O_NONBLOCK);
    add(poll, &connections[started], EPOLLIN);
  }
  while (done + failed < total) {
    int ready = epoll_wait(poll, events, 1024, 10000);
    if (ready <= 0) break;
    for (int i = 0; i < ready; i++) {
      struct connection *connection = events[i].data.ptr;
      int result = receive(connection);
      if (result == 0) continue;
      if (result > 0) done++; else failed++;
      close(connection->descriptor);
      if (started >= total) continue;
      started++;
      connection->descriptor = open_connection(1);
      connection->missing = -1;
      connection->used = 0;
      send_request(connection->descriptor);
      fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
      add(poll, connection, EPOLLIN);
    }
  }
  printf("%.1f\n", now() - start);
  if (failed) fprintf(stderr, "%d failed\n", failed);
  return failed != 0;
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
  request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", arguments[5]);
  if (!strcmp(arguments[1], "churn")) return churn(atoi(arguments[3]), atoi(arguments[4]));
  if (!strcmp(arguments[1], "hold")) {
    open_polls(epoll_create1(0), atoi(arguments[3]));
    printf("ready\n");
    fflush(stdout);
    sleep(atoi(arguments[4]));
    return 0;
  }
  if (count < 7) return 2;
  return fanout(atoi(arguments[3]), atoi(arguments[4]), arguments[6], count > 7 ? atol(arguments[7]) : 0);
}
