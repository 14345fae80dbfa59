#define _GNU_SOURCE
#include "CEventPoll.h"

#if defined(__linux__)

int cpoll_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
