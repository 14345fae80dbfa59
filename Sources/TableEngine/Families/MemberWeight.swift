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

extension TableContent {
  /// The bytes of its sources' answers, and of the rows made of them. Looked-up items count, too.
  var byteCount: Int {
    let shown = Set(mapper.sectionSources)
    let lookedUp = inputs.lazy.filter { !shown.contains($0.key) }.reduce(0) {
      $0 + ($1.value.content?.byteCount ?? 0) * 2
    }
    return (result?.byteCount ?? 0) + lookedUp
  }

  /// The bytes of rows that another replica has written, and of which the upstream has only said that they still hold.
  fileprivate var takenOverBytes: Int { restored.map { $0.footprint(without: nil) + restoredBytes } ?? 0 }

  /// The objects of rows that another replica has written.
  fileprivate var restoredBytes: Int { restoredObjects.values.reduce(0) { $0 + $1.count } }
}

extension TableWriter {
  /// Returns whether there is room for the member's growth; else it is no member any more, and its readers are told. On
  /// the table's queue.
  func hasRoom(for version: Version?) -> Bool {
    guard isMember else { return true }
    return weigh(replacing: versions.current.table, by: version?.table) { $0.byteCount + $0.takenOverBytes }
  }

  /// The same, for what another replica has written. Where there is no room it is no member any more.
  func weighFollowed(_ previous: Table) {
    let current = versions.current.table
    _ = weigh(replacing: previous, by: current) {
      $0.byteCount + current.footprint(without: nil) + $0.restoredBytes
    }
  }

  private func weigh(replacing old: Table, by new: Table?, _ bytes: (TableContent) -> Int) -> Bool {
    let held = content.access { content in
      content.weight.take(bytes(content))
      if let new { content.weight.replace(old, by: new, history: versions.history) }
      return content.weight.byteCount
    }
    heldBytes.store(held, ordering: .relaxed)
    return table.withLock { $0.value }?.hasRoom(for: .ofContent) ?? true
  }
}

extension LiveTable {
  /// The reason why a member needs room.
  enum Growth: Sendable {
    case ofContent
    case ofReplies
  }

  /// The bytes that a member holds, in all its languages.
  var heldBytes: Int {
    all.reduce(MemberWeight.ofAny) { sum, table in
      let reader = table.reader
      return sum + table.writer.heldBytes.load(ordering: .relaxed) + reader.replies.byteCount
        + reader.drawnBytes.load(ordering: .relaxed)
    }
  }

  /// Tells the family of a member what it holds. False: there is no room.
  func hasRoom(for growth: Growth) -> Bool {
    let member = untranslated
    return member.place.function?(member, growth) ?? true
  }

  /// A reply was made that is kept: where there is no room for it, none is.
  func noteReply() {
    guard !hasRoom(for: .ofReplies) else { return }
    reader.forgetReplies()
    // It holds less now.
    _ = hasRoom(for: .ofReplies)
  }
}
