#define _GNU_SOURCE
#include "include/CSimulation.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int has_clocks, has_seed;
static uint64_t monotonic_clock, wall_clock, random_state;

void simulation_set_clocks(uint64_t monotonic, uint64_t wall) {
  monotonic_clock = monotonic;
  wall_clock = wall;
  has_clocks = 1;
}

void simulation_seed(uint64_t seed) {
  random_state = seed;
  has_seed = 1;
}

void simulation_begin(char *const arguments[]) {
  if (getenv("TABLECAST_SIMULATED")) return;
  setenv("TABLECAST_SIMULATED", "1", 1);
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
  setenv("MALLOC_ARENA_MAX", "1", 1);
  // Where that is not allowed, what goes by addresses may differ between two runs.
  personality(ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", arguments);
  perror("the simulation can't begin anew");
  exit(1);
}

// SplitMix64.
static void fill(unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i += 8) {
    random_state += 0x9e3779b97f4a7c15;
    uint64_t mixed = random_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    memcpy(bytes + i, &mixed, count - i < 8 ? count - i : 8);
  }
}

typedef long (*system_call)(long, ...);
typedef int (*clock_call)(clockid_t, struct timespec *);

static long real_syscall(long number, long a, long b, long c, long d, long e, long f) {
  static system_call next;
  if (!next) next = (system_call)dlsym(RTLD_NEXT, "syscall");
  return next(number, a, b, c, d, e, f);
}

uint64_t simulation_real_time(void) {
  struct timespec time;
  real_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
  long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_getrandom && has_seed) {
    fill((unsigned char *)a, (size_t)b);
    return b;
  }
  return real_syscall(number, a, b, c, d, e, f);
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  return syscall(SYS_getrandom, (long)bytes, (long)count, (long)flags, 0L, 0L, 0L);
}

int getentropy(void *bytes, size_t count) {
  return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1;
}

// A file in place of `/dev/urandom`, which Foundation reads for the sake of UUIDs; much longer than a run needs.
static int random_file(void) {
  static unsigned char bytes[1 << 18];
  int file = (int)real_syscall(SYS_memfd_create, (long)"random", MFD_CLOEXEC, 0, 0, 0, 0);
  if (file < 0) return file;
  fill(bytes, sizeof bytes);
  if (write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) abort();
  lseek(file, 0, SEEK_SET);
  return file;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (has_seed && !strcmp(path, "/dev/urandom")) return random_file();
  return (int)real_syscall(SYS_openat, AT_FDCWD, (long)path, flags, (long)mode, 0, 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  int is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE
    || clock == CLOCK_BOOTTIME;
  if (!has_clocks || !(is_wall || is_monotonic)) {
    return (int)real_syscall(SYS_clock_gettime, clock, (long)time, 0, 0, 0, 0);
  }
  uint64_t now = is_wall ? wall_clock : monotonic_clock;
  time->tv_sec = (time_t)(now / 1000000000);
  time->tv_nsec = (long)(now % 1000000000);
  return 0;
}

// A timer of the system's, as libdispatch has one for itself, goes by the real clock: told a time of the simulated one it would be over
// at once, again and again. It looks at the clock now and then instead.
int timerfd_settime(int file, int flags, const struct itimerspec *time, struct itimerspec *before) {
  struct itimerspec soon = {.it_value = {.tv_nsec = 50 * 1000 * 1000}};
  int is_set = time->it_value.tv_sec || time->it_value.tv_nsec;
  if (has_clocks && is_set) return (int)real_syscall(SYS_timerfd_settime, file, 0, (long)&soon, (long)before, 0, 0);
  return (int)real_syscall(SYS_timerfd_settime, file, flags, (long)time, (long)before, 0, 0);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
