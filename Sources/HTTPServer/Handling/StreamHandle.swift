/// The sending end of a stream. May be used from any queue, and after the stream's end, when it does nothing.
public struct StreamHandle: Sendable {
  let loop: EventLoop
  let slot: Int32
  let serial: UInt32
  public let asker: Asker

  init(_ loop: EventLoop, _ connection: Connection) {
    (self.loop, slot, serial) = (loop, connection.descriptor, connection.exchange)
    asker = Asker(connection)
  }

  /// Sends `bytes`, in order with what was sent before from the same queue; `StreamSource.drained(_:)` follows when
  /// all of it has gone.
  ///
  /// One message may be of any size: its storage is shared, not copied, while the reader takes it piece by piece, and
  /// the reader is cut off only when it takes too little of it (`Timeouts.write`, `Timeouts.writeRate`). More than
  /// `Limits.streamBacklog` bytes of further messages behind it cut it off, too: a source that waits for `drained(_:)`
  /// has none.
  public func send(_ bytes: [UInt8]) { send([bytes]) }

  /// Sends the bytes of all `pieces` as one message, so that a piece may be shared with others who are sent the same.
  public func send(_ pieces: [[UInt8]]) { loop.send(slot: slot, exchange: serial, pieces) }

  /// Ends the stream after what has been sent.
  public func end() { loop.end(slot: slot, exchange: serial) }
}
