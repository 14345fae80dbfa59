import TableModel

/// The askers that wait for replies: all who ask for the same get the reply that is made for the first one whose turn
/// comes. All operations are expected O(1), and O(askers) for those whose reply is made.
struct JoinedAskers {
  /// The request that they make.
  struct Asked: Hashable, Sendable {
    var query: TableQuery
    var waits: Bool
  }

  struct Asker: Sendable {
    var isThere: @Sendable () -> Bool
    var completion: @Sendable (EncodedReply) -> Void
  }

  private var askers: [Asked: [UInt64: Asker]] = [:]
  private var last: UInt64 = 0

  /// - Returns: names the asker until its reply is made.
  mutating func add(_ asker: Asker, for asked: Asked) -> UInt64 {
    last += 1
    askers[asked, default: [:]][last] = asker
    return last
  }

  /// Returns whether somebody still waits.
  func contains(_ number: UInt64, for asked: Asked) -> Bool { askers[asked]?[number] != nil }

  /// Nobody waits there any more.
  mutating func remove(_ number: UInt64, for asked: Asked) {
    askers[asked]?[number] = nil
    if askers[asked]?.isEmpty ?? false { askers[asked] = nil }
  }

  /// All who ask for the same, in the order in which they came: they wait no more.
  mutating func take(_ asked: Asked) -> [Asker] {
    (askers.removeValue(forKey: asked) ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }
}
