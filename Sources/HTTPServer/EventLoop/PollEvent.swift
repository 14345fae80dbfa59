/// One event of a descriptor.
struct PollEvent {
  /// The token that the descriptor was added with.
  let token: UInt64
  let isReadable: Bool
  let isWritable: Bool
  /// The peer has shut its side or is gone.
  let isFinished: Bool
  /// The connection is broken.
  let isBroken: Bool
}
