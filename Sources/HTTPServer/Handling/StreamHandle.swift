/// The sending end of a stream. May be used from any queue, and after the stream's end, when it does nothing.
public struct StreamHandle: Sendable {
  let loop: EventLoop
  let slot: Int32
  let serial: UInt32

  /// Sends `bytes`, in order with what was sent before from the same queue. The array's storage is shared, not
  /// copied, while a slow reader keeps it waiting. A reader that leaves more than `Limits.streamBacklog` bytes
  /// waiting is cut off.
  public func send(_ bytes: [UInt8]) { loop.send(slot: slot, exchange: serial, bytes) }

  /// Ends the stream after what has been sent.
  public func end() { loop.end(slot: slot, exchange: serial) }
}
