#if canImport(Darwin)
import Darwin
#else
internal import CEventPoll
#endif

enum Processors {
  /// How many processors this process may use: a container or `taskset` may leave it fewer than the machine has.
  static var count: Int {
    #if canImport(Darwin)
    sysconf(_SC_NPROCESSORS_ONLN)
    #else
    Int(cpoll_processors())
    #endif
  }
}
