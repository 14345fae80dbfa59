// bare-sends PORT BYTES
//
// The least that a server of long polls can do: it keeps the connections that send a GET, and when anything else comes
// it sends the same bytes to all of them, one system call each, and nothing more. What it takes is the kernel's part.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { maximum = 20000 };
static int waiting[maximum], count;
static char response[65536];

static void watch(int poll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

static void handle(int descriptor, size_t length) {
  char request[4096];
  ssize_t received = recv(descriptor, request, sizeof request, MSG_DONTWAIT);
  if (received <= 0) {
    close(descriptor);
  } else if (request[0] == 'G') {
    if (count < maximum) waiting[count++] = descriptor;
  } else {
    for (int i = 0; i < count; i++) send(waiting[i], response, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    count = 0;
    send(descriptor, response, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int body = atoi(argv[2]) < 60000 ? atoi(argv[2]) : 60000;
  // As long a head as the service's.
  size_t length = snprintf(response, sizeof response, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Fill: %0256d\r\n\r\n",
                           body, 0);
  memset(response + length, 'x', body);
  length += body;

  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
    perror("listen");
    return 1;
  }
  int poll = epoll_create1(0);
  watch(poll, listener);
  for (;;) {
    struct epoll_event events[256];
    int ready = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd != listener) {
        handle(events[i].data.fd, length);
        continue;
      }
      int descriptor = accept(listener, NULL, NULL);
      if (descriptor >= 0) watch(poll, descriptor);
    }
  }
}
