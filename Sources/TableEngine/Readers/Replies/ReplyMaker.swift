import DequeModule
import JSON
import TableEncoding
import TableModel

/// Turns versions into replies: diffed once, drawn for each lens, encoded; on the table's rendering queue.
struct ReplyMaker: Sendable {
  let name: String
  /// The changes that lead to the current version.
  private var changes: [SharedChanges.Key: SharedChanges] = [:]
  private var order: Deque<SharedChanges.Key> = []

  /// The most bytes that are kept; windows and searches are the clients' to choose. The oldest goes first.
  private static let maximumBytes = 16 << 20
  private static let maximumChanges = 1_024

  init(name: String) { self.name = name }

  /// About how many bytes the changes take that are kept.
  private(set) var byteCount = 0

  mutating func forgetChanges() { (changes, order, byteCount) = ([:], [], 0) }

  /// Forgets what does not lead to this version. O(changes).
  mutating func retire(before version: Cursor) {
    guard changes.contains(where: { $0.key.to.version != version }) else { return }
    changes = changes.filter { $0.key.to.version == version }
    order = order.filter { changes[$0] != nil }
    byteCount = changes.values.reduce(0) { $0 + $1.byteCount }
  }

  // MARK: Replies

  func snapshot(_ table: Table, cursor: Cursor, _ drawing: RowDrawing) -> EncodedReply {
    var writer = JSONWriter(capacity: 4096)
    let seen: ((Row) -> Row)? = drawing.isPlain ? nil : { drawing($0) }
    writer.write(snapshot: table, cursor: cursor, seenAs: seen)
    return EncodedReply(writer.bytes, cursor: cursor)
  }

  /// One of the protocol's change objects.
  func changes(after: Cursor?, to cursor: Cursor, _ content: ChangesContent) -> EncodedReply {
    Self.changes(of: name, after: after, to: cursor, content)
  }

  /// The same of a table by its name. On any queue.
  static func changes(of name: String, after: Cursor?, to cursor: Cursor, _ content: ChangesContent) -> EncodedReply {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.name("table")
    writer.write(name)
    writer.name("from")
    if let after { writer.write(after.description) } else { writer.writeNull() }
    writer.name("to")
    writer.write(cursor.description)
    let (isReset, isEmpty): (Bool, Bool)
    switch content {
    case .stages(let stages):
      (isReset, isEmpty) = (false, stages == Array("[]".utf8))
      writer.name("stages")
      writer.write(raw: stages)
    case .reset(let reason, let snapshot):
      (isReset, isEmpty) = (true, false)
      writer.name("reset")
      writer.write(reason.rawValue)
      writer.name("snapshot")
      writer.write(raw: snapshot.body)
    }
    writer.endObject()
    return EncodedReply(writer.bytes, cursor: cursor, isReset: isReset, isEmpty: isEmpty)
  }

  /// The changes between two versions as a lens shows them, encoded; nil where a snapshot is smaller.
  ///
  /// - Parameters:
  ///   - cells: as ``SharedChanges/stages(before:after:_:)`` takes them.
  ///   - tables: what the key names, asked for where it is not known.
  ///   - noting: given the changes where they are made.
  mutating func stages(
    _ key: SharedChanges.Key,
    before: RowDrawing,
    after: RowDrawing,
    _ cells: (before: CellDrawing?, after: CellDrawing?),
    of tables: () -> (old: Table, new: Table),
    noting: (SharedChanges) -> Void
  ) -> [UInt8]? {
    if changes[key] == nil {
      let (old, new) = tables()
      let made = SharedChanges(from: old, to: new)
      noting(made)
      order.append(key)
      changes[key] = made
      byteCount += made.byteCount
      while order.count > 1, byteCount > Self.maximumBytes || order.count > Self.maximumChanges,
        let gone = changes.removeValue(forKey: order.removeFirst())
      {
        byteCount -= gone.byteCount
      }
    }
    byteCount -= changes[key]?.byteCount ?? 0
    defer { byteCount += changes[key]?.byteCount ?? 0 }
    return changes[key]?.stages(before: before, after: after, cells) ?? nil
  }
}

/// The content for a client that is not at the current version.
enum ChangesContent {
  /// The encoded stages.
  case stages([UInt8])
  case reset(ResetReason, EncodedReply)
}
