import Synchronization
import TableEngine

/// The replies of several tables on their way, each from its own queue; given on when all are there.
final class GatheredReplies: Sendable {
  private let replies: Mutex<(made: [EncodedReply?], isComplete: Bool)>
  private let completion: @Sendable ([EncodedReply]) -> Void

  init(_ made: [EncodedReply?], completion: @escaping @Sendable ([EncodedReply]) -> Void) {
    replies = Mutex((made, false))
    self.completion = completion
  }

  func set(_ index: Int, _ reply: EncodedReply) {
    finish { $0[index] = reply }
  }

  /// Without a missing one there is nothing to wait for.
  func begin() { finish { _ in } }

  private func finish(_ change: (inout [EncodedReply?]) -> Void) {
    let all = replies.withLock { replies -> [EncodedReply]? in
      change(&replies.made)
      let made = replies.made.compactMap { $0 }
      guard made.count == replies.made.count, !replies.isComplete else { return nil }
      replies.isComplete = true
      return made
    }
    if let all { completion(all) }
  }
}
