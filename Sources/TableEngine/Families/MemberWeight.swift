import DequeModule
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The memory of one language of a family's member, about: its sources' answers with the rows made of them, and the
/// rows of the former versions that are held.
struct MemberWeight: Sendable {
  /// A table without rows, with its queues and sources.
  static let ofAny = 32 << 10

  private var content = 0
  /// By version, from the oldest that is held: the rows that the next one no longer has.
  private var replaced: Deque<Int> = []
  private var past = 0

  var byteCount: Int { content + past }

  mutating func take(_ content: Int) { self.content = content }

  /// Another version is shown. What ``Table/footprint(without:)`` takes.
  ///
  /// - Parameter history: how many versions are held with it.
  mutating func replace(_ old: Table, by new: Table, history: Int) {
    let bytes = old.footprint(without: new)
    replaced.append(bytes)
    past += bytes
    while replaced.count >= max(history, 1), let oldest = replaced.popFirst() { past -= oldest }
  }
}
