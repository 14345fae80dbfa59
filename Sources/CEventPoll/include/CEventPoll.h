#ifndef CEVENTPOLL_H
#define CEVENTPOLL_H

// What Swift's Glibc module leaves out or cannot import: epoll, eventfd, accept4, affinities, and the macros beside them;
// slices of a processor's time; and prefetching, which Swift has no word for.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Begins to fetch memory that is soon to be changed into the processor's cache, and does not wait for it.
static inline void cpoll_prefetch(const void *address, size_t size) {
  for (size_t offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)address + offset, 1);
}

// `struct epoll_event` is packed on x86-64: its members are reached through these.
static inline uint64_t cpoll_event_token(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t cpoll_event_flags(const struct epoll_event *event) { return event->events; }

static inline int cpoll_control(int poll, int operation, int descriptor, uint32_t flags, uint64_t token) {
  struct epoll_event event;
  event.events = flags;
  event.data.u64 = token;
  return epoll_ctl(poll, operation, descriptor, &event);
}

int cpoll_accept(int listener, struct sockaddr *address, socklen_t *length);

// How many processors this process may use.
int cpoll_processors(void);

// Has the calling thread's slices of a processor be so long, from 100,000 on; 0: as the kernel has them. One that wakes up runs
// before another that has longer ones. False where that can't be said; Linux before 6.12 takes it, and nothing comes of it.
bool cpoll_slices(uint64_t nanoseconds);

#endif
