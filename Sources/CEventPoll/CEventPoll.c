#define _GNU_SOURCE
#include "CEventPoll.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int cpoll_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int cpoll_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// sched_setattr(2): the C library has neither the structure nor the calls. What is longer in other kernels is left as it is.
struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

bool cpoll_slices(uint64_t nanoseconds) {
  struct attributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != SCHED_OTHER) return false;
  attributes.size = sizeof attributes;
  attributes.flags = 0;
  attributes.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}
