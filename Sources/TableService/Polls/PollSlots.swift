/// Slots: periods of waiting that all clients behind caches share, so that all who stand at one cursor ask one URL, and
/// no URL outlives its reply. Numbered from 1970 on, and so the same on every machine.
struct PollSlots: Sendable {
  /// The length of a slot in seconds: shorter than proxies wait for a reply.
  static let period = 20.0

  /// The number of the slot that is now.
  let present: Int64
  /// How long it lasts from now on, in seconds.
  let remaining: Double

  /// - Parameter seconds: since 1970.
  init(at seconds: Double) {
    present = Int64((seconds / Self.period).rounded(.down))
    remaining = Self.period - (seconds - Double(present) * Self.period)
  }

  /// The slot that a client asks for next, whose wait in the present one is over.
  var next: Int64 { present + 1 }
}
