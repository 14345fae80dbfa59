/// What a poll answers for one table.
struct TableReply: Sendable {
  enum Outcome: Sendable {
    case stages([TableStage], from: TableCursor, to: TableCursor)
    /// Take the snapshot, whatever the reason. `from` is what was asked with; nil for a start.
    case reset(TableContent, from: TableCursor?)
    case problem(Problem)
  }

  var table: String
  var outcome: Outcome
  /// What to ask for next where the table is polled through caches.
  var slot: String?

  /// The reply to `changes` of one table.
  /// - Throws: `MalformedReply`.
  init(_ json: JSONText) throws {
    guard json.isObject else { throw MalformedReply("a reply is an object") }
    var members: [String: JSONText] = [:]
    for (name, value) in json.members where !value.isNull { members[name] = value }
    guard let table = members["table"]?.string else { throw MalformedReply("a reply without `table`") }
    self.table = table
    slot = members["slot"].map { $0.string ?? $0.text }
    func cursor(_ name: String) throws -> TableCursor? {
      guard let value = members[name] else { return nil }
      guard let cursor = value.string.flatMap({ TableCursor($0) }) else {
        throw MalformedReply("`\(name)` is no cursor: \(value.text.prefix(80))")
      }
      return cursor
    }
    if let problem = members["problem"] {
      outcome = .problem(Problem(problem))
    } else if let snapshot = members["snapshot"] {
      let content = try TableContent(snapshot: snapshot)
      guard try cursor("to") == content.cursor, content.name == table else {
        throw MalformedReply("the snapshot is of another table or cursor than its reply")
      }
      outcome = .reset(content, from: try cursor("from"))
    } else if let stages = members["stages"], stages.isArray, let from = try cursor("from"), let to = try cursor("to") {
      outcome = .stages(try stages.elements.map(TableStage.init), from: from, to: to)
    } else {
      throw MalformedReply("a reply with neither `stages` nor `snapshot`")
    }
  }

  /// The body of a poll: of one table, or of several.
  static func read(_ body: [UInt8], isMultiple: Bool) throws -> [TableReply] {
    let json = try JSONText(body)
    guard isMultiple else { return [try TableReply(json)] }
    guard let changes = json["changes"], changes.isArray else { throw MalformedReply("a reply without `changes`") }
    return try changes.elements.map(TableReply.init)
  }
}
