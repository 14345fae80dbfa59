/// One event of a descriptor.
struct PollEvent {
  /// What the descriptor was added with.
  let token: UInt64
  let isReadable: Bool
  let isWritable: Bool
  /// The peer has shut its side or is gone.
  let isFinished: Bool
  /// The connection is broken.
  let isBroken: Bool
}

/// What a loop needs of epoll or kqueue. Connections are watched for edges, so that what is not wanted now need not
/// be switched off; listeners for their level.
protocol EventPolling {
  /// The descriptor to be watched: readable when there is an event.
  var descriptor: Int32 { get }

  init() throws(ServerError)
  /// Watches for input and for the peer's end.
  func add(connection: Int32, token: UInt64) -> Bool
  /// Watches a connection that was added for room to write, too.
  func addWriting(connection: Int32, token: UInt64) -> Bool
  func add(listener: Int32, token: UInt64) -> Bool
  func remove(listener: Int32)
  /// What interrupts waiting, apart from what only the loop may touch.
  var interruptor: PollInterruptor { get }
  /// Waits for up to `timeout` milliseconds. Returns how many events there are.
  mutating func wait(timeout: Int32) -> Int
  /// The event at `index` of the last wait; nil where it was an interruption.
  func event(_ index: Int) -> PollEvent?
  func close()
}
