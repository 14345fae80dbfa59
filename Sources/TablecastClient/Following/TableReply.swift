/// What a poll answers for one table.
struct TableReply: Sendable {
  enum Outcome: Sendable {
    case stages([TableStage], from: TableCursor, to: TableCursor)
    /// Take the snapshot, whatever the reason. `from` is what was asked with; nil for a start.
    case reset(TableContent, from: TableCursor?)
    case problem(Problem)
    /// For this table, but nothing that can be used.
    case malformed(MalformedReply)
  }

  /// Empty where the reply doesn't say.
  var table: String
  var outcome: Outcome
  /// Of a reply to several: which `after` it answers, counted from 0; nil where it goes by the table's name.
  var pair: Int?
  /// What to ask for next where the table is polled through caches.
  var slot: String?

  /// The body of a poll, or an event of a stream: of one table, or of several. O(bytes), read once after they were checked.
  /// - Throws: `MalformedReply` where it isn't that.
  static func read(_ body: [UInt8], isMultiple: Bool = false) throws -> [TableReply] {
    try JSONText(body).read { reader in
      guard isMultiple else {
        let reply = TableReply(&reader)
        guard !reply.table.isEmpty else { throw MalformedReply("a reply without `table`") }
        return [reply]
      }
      var replies: [TableReply]?
      if reader.enterObject() {
        while let name = reader.nextName() {
          if name == "changes", replies == nil { replies = reader.list(TableReply.init) }
        }
      }
      guard let replies else { throw MalformedReply("a reply without `changes`") }
      return replies
    }
  }

  private init(_ reader: inout JSONReader) {
    var members = Members()
    if reader.enterObject() {
      while let name = reader.nextName() {
        if !reader.isNull { members.read(name, &reader) }
      }
    }
    table = members.table ?? ""
    (slot, pair) = (members.slot, members.pair)
    do { outcome = try members.outcome } catch {
      outcome = .malformed(error as? MalformedReply ?? MalformedReply("\(error)"))
    }
  }

  /// In whatever order they come: which of them count is seen at the end.
  private struct Members {
    var table: String?
    var slot: String?
    var pair: Int?
    var from: Result<TableCursor, any Error>?
    var to: Result<TableCursor, any Error>?
    var problem: Problem?
    var snapshot: Result<TableContent, any Error>?
    var stages: Result<[TableStage]?, any Error>?

    mutating func read(_ name: JSONQuoted, _ reader: inout JSONReader) {
      switch name {
      case "table": table = reader.string()
      case "slot": slot = reader.isText ? reader.string() : reader.json().text
      case "pair": pair = reader.integer()
      case "from": from = reader.attempt { try $0.cursor() }
      case "to": to = reader.attempt { try $0.cursor() }
      case "problem": problem = Problem(reader.json())
      case "snapshot": snapshot = reader.attempt { try TableContent(&$0) }
      case "stages": stages = reader.attempt { try $0.list(TableStage.init) }
      default: return
      }
    }

    var outcome: Outcome {
      get throws {
        if let problem { return .problem(problem) }
        if let content = try snapshot?.get() {
          guard try to?.get() == content.cursor, content.name == table else {
            throw MalformedReply("the snapshot is of another table or cursor than its reply")
          }
          return .reset(content, from: try from?.get())
        }
        guard let stages = try stages?.get(), let from = try from?.get(), let to = try to?.get()
        else { throw MalformedReply("a reply with neither `stages` nor `snapshot`") }
        return .stages(stages, from: from, to: to)
      }
    }
  }
}

extension JSONReader {
  fileprivate mutating func cursor() throws -> TableCursor {
    let text = string() ?? ""
    guard let cursor = TableCursor(text), cursor.namesVersion else {
      throw MalformedReply("no cursor: \(text.prefix(80))")
    }
    return cursor
  }
}
