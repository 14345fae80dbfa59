#define _GNU_SOURCE
#include "CEventPoll.h"

#include <sched.h>

int cpoll_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int cpoll_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
