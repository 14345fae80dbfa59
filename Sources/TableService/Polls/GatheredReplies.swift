import Synchronization
import TableEngine

/// The replies of several tables on their way, each from its own queue; given on when all that one response tells are there.
final class GatheredReplies: Sendable {
  /// The reply of one table, by its place among those that were asked for.
  struct Part: Sendable {
    var place: Int
    var reply: EncodedReply
  }

  private struct State {
    var made: [EncodedReply?]
    var isComplete = false
  }

  private let order: TellingOrder
  private let state: Mutex<State>
  private let completion: @Sendable ([Part]) -> Void

  init(_ made: [EncodedReply?], in order: TellingOrder, completion: @escaping @Sendable ([Part]) -> Void) {
    (self.order, self.completion) = (order, completion)
    state = Mutex(State(made: made))
  }

  /// Returns whether the reply at a place is missing, and may be told. What is not wanted never is later.
  func wants(_ place: Int) -> Bool {
    state.withLock { state in
      guard !state.isComplete, state.made[place] == nil else { return false }
      return order.told(state.made.map { $0?.body.count }).contains(place)
    }
  }

  func set(_ place: Int, _ reply: EncodedReply) { finish { $0.made[place] = reply } }

  /// Without a missing one there is nothing to wait for.
  func begin() { finish { _ in } }

  private func finish(_ change: (inout State) -> Void) {
    let parts = state.withLock { state -> [Part]? in
      // One that comes late is left to the client's next request.
      guard !state.isComplete else { return nil }
      change(&state)
      guard let parts = Self.parts(of: state.made, in: order) else { return nil }
      (state.isComplete, state.made) = (true, [])
      return parts
    }
    if let parts { completion(parts) }
  }

  /// Returns what one response tells, by places; nil: not all of it is made.
  static func parts(of made: [EncodedReply?], in order: TellingOrder) -> [Part]? {
    var parts: [Part] = []
    for place in order.told(made.map { $0?.body.count }).sorted() {
      guard let reply = made[place] else { return nil }
      parts.append(Part(place: place, reply: reply))
    }
    return parts
  }
}
