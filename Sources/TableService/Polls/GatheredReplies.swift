import Synchronization
import TableEngine
import TableModel

/// The replies of several tables on their way, each from its own queue; given on when all are there, or enough of them for one
/// response.
final class GatheredReplies: Sendable {
  /// So many bytes are enough: a response has no more but for its last part, however many windows its client follows.
  static let enough = 8 << 20

  /// The reply of one table, by its place among those that were asked for.
  struct Part: Sendable {
    var place: Int
    var reply: EncodedReply
  }

  private struct State {
    var made: [EncodedReply?]
    var missing: Int
    var bytes: Int
    var isComplete = false
  }

  private let state: Mutex<State>
  private let completion: @Sendable ([Part]) -> Void

  init(_ made: [EncodedReply?], completion: @escaping @Sendable ([Part]) -> Void) {
    let bytes = made.reduce(0) { $0 + ($1?.body.count ?? 0) }
    state = Mutex(State(made: made, missing: made.count(where: { $0 == nil }), bytes: bytes))
    self.completion = completion
  }

  /// The missing replies are not wanted any more.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  func set(_ place: Int, _ reply: EncodedReply) {
    finish { state in
      state.made[place] = reply
      state.missing -= 1
      state.bytes += reply.body.count
    }
  }

  /// Without a missing one there is nothing to wait for, nor with enough.
  func begin() { finish { _ in } }

  private func finish(_ change: (inout State) -> Void) {
    let parts = state.withLock { state -> [Part]? in
      // One that comes late is left to the client's next request.
      guard !state.isComplete else { return nil }
      change(&state)
      guard state.missing == 0 || state.bytes >= Self.enough else { return nil }
      defer { (state.isComplete, state.made) = (true, []) }
      return state.made.enumerated().compactMap { place, reply in reply.map { Part(place: place, reply: $0) } }
    }
    if let parts { completion(parts) }
  }

  // MARK: What is left out

  /// Which replies are to be told by one response: all, or some of them by chance where there are more than enough. In
  /// a fixed order, a large table that always moves would leave out the same others each time.
  ///
  /// - Parameter bytes: of each reply; nil: it is missing.
  /// - Returns: their places, in order.
  static func choice(of bytes: [Int?], using random: inout some RandomNumberGenerator) -> [Int] {
    guard bytes.reduce(0, { $0 + ($1 ?? 0) }) >= enough else { return Array(bytes.indices) }
    var chosen: [Int] = []
    var (sum, hasMissing) = (0, false)
    for place in bytes.indices.shuffled(using: &random) {
      sum += bytes[place] ?? 0
      // With enough in it, the response would go out without the missing ones.
      if hasMissing, sum >= enough { break }
      chosen.append(place)
      if bytes[place] == nil { hasMissing = true }
      if sum >= enough { break }
    }
    return chosen.sorted()
  }

  /// The order in which replies are to be made: the oldest cursors first. Windows of one table are made one after the
  /// other, and enough may be there before the last ones.
  static func oldestFirst(_ cursors: [Cursor?]) -> [Int] {
    cursors.indices.sorted { one, other in
      (cursors[one]?.version ?? 0, one) < (cursors[other]?.version ?? 0, other)
    }
  }
}
