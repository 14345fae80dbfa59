#ifndef CEVENTPOLL_H
#define CEVENTPOLL_H

// What Swift's Glibc module leaves out or cannot import: epoll, eventfd, accept4, affinities, and the macros beside them;
// and prefetching, which Swift has no word for.

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

#endif
