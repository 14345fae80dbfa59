internal import CEventPoll

enum Processors {
  /// How many processors this process may use: a container or `taskset` may leave it fewer than the machine has.
  static var count: Int { Int(cpoll_processors()) }
}
