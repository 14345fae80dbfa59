import Foundation
import Synchronization
import TableStore

/// The right to send an upstream an edit with a condition: one edit of a table has it at a time, in any language and through any
/// replica. Another one would be built on a version that this one is about to change.
///
/// ```
/// take ──▶ among replicas: read what others have stored, plan again ──▶ send, show ──▶ give back
/// ```
struct ConditionalTurn: Sendable {
  /// Of the language that comes first.
  private let writer: TableWriter
  /// The name of this turn: a process that takes over another configuration may have two writers of one table for a moment.
  private let request = Array(UUID().uuidString.utf8)

  init(of writer: TableWriter) { self.writer = writer }

  /// Other replicas edit the table, too: their last edit may not be known here when the turn is taken.
  var isShared: Bool { writer.isShared }

  /// The lifetime of a claim, in case its replica dies: longer than an edit takes to be answered and shown, in nearly all cases. Until it is
  /// over the table takes no edits with a condition.
  static func lifetime(timeout: Duration) -> Duration { timeout + .seconds(30) }

  /// Takes the turn.
  ///
  /// - Parameters:
  ///   - timeout: of the source.
  ///   - completion: given what has become of the edit where the turn is not to be had; nil: it is taken. At once in a single process,
  ///     else on any queue.
  func take(timeout: Duration, _ completion: @escaping @Sendable (ChangeProgress.Event?) -> Void) {
    guard !writer.isConditionalUnderWay.exchange(true, ordering: .acquiringAndReleasing) else {
      return completion(refusal)
    }
    guard isShared else { return completion(nil) }
    writer.context.store.claim(key, request: request, for: Self.lifetime(timeout: timeout)) { result in
      switch result {
      case .success(.granted): completion(nil)
      case .success(.underWay), .success(.answered):
        writer.isConditionalUnderWay.store(false, ordering: .releasing)
        completion(refusal)
      // It may have been granted all the same.
      case .failure: giveBack { completion(.failed(.storeUnreachable)) }
      }
    }
  }

  /// Gives the turn back. Where the store can't be told, the claim's lifetime ends it.
  ///
  /// - Parameter completion: when others can take it; on any queue.
  func giveBack(_ completion: @escaping @Sendable () -> Void) {
    let end: @Sendable () -> Void = {
      writer.isConditionalUnderWay.store(false, ordering: .releasing)
      completion()
    }
    guard isShared else { return end() }
    writer.context.store.disclaim(key) { _ in end() }
  }

  private var refusal: ChangeProgress.Event {
    .done(.failure(.anotherIsOnItsWay(ofTable: writer.name)), isKept: false)
  }

  /// No client's: the scope of theirs is a method and a path.
  private var key: TableStore.ReplyKey {
    TableStore.ReplyKey(caller: "", table: writer.storedName, scope: "If-Match", key: "")
  }
}
