// What the thread sanitizer is told of Swift's Synchronization.Mutex.
//
// Taking and leaving a free mutex is inlined, and so seen by the sanitizer. A contended one goes through two functions
// of a library that is not instrumented: what one thread wrote before leaving then seems to race with what the next
// reads. Preloaded, these two stand in front of those and say what happens-before what; for the rest they do nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define swiftcall __attribute__((swiftcall))
#define context __attribute__((swift_context))

// Of the sanitizer's runtime; absent in a program that is not built with it.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

typedef swiftcall void lock_function(uint32_t thread, context void *mutex);
typedef swiftcall void unlock_function(context void *mutex);

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow()
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
lock_function lock_slow __asm__(LOCK_SLOW);
unlock_function unlock_slow __asm__(UNLOCK_SLOW);

swiftcall void lock_slow(uint32_t thread, context void *mutex) {
  static _Atomic(lock_function *) next;
  if (!next) next = (lock_function *)dlsym(RTLD_NEXT, LOCK_SLOW);
  next(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

swiftcall void unlock_slow(context void *mutex) {
  static _Atomic(unlock_function *) next;
  if (!next) next = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(mutex);
  next(mutex);
}
