import Glibc

/// The time as an event loop sees it: read once a turn, and when a wait begins.
struct Clock {
  /// Milliseconds of a clock that never goes back.
  private(set) var now: Int
  /// Seconds since 1970.
  private(set) var second: Int

  init() {
    now = 0
    second = 0
    update()
  }

  mutating func update() {
    now = Clock.milliseconds(CLOCK_MONOTONIC)
    second = Clock.milliseconds(CLOCK_REALTIME) / 1000
  }

  private static func milliseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }
}
