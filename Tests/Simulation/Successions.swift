import TableModel

/// Edits under a condition: the version behind the one that they name has their writes, and nothing else that is new. Looked at as
/// soon as somebody has been shown both.
struct Successions {
  private struct Step {
    var writes: [TaskModel.Write]
    var before, after: String
  }

  private var contents: [String: [String: TaskModel.Row]] = [:]
  /// The oldest first.
  private var order: [String] = []
  private var steps: [Step] = []
  private static let length = 400

  /// Returns what is wrong.
  mutating func add(_ writes: [TaskModel.Write], from before: Cursor, to after: Cursor) -> String? {
    let step = Step(writes: writes, before: Self.key(before), after: Self.key(after))
    if contents[step.before] != nil, contents[step.after] != nil { return check(step) }
    steps.append(step)
    if steps.count > Self.length { steps.removeFirst(Self.length / 2) }
    return nil
  }

  mutating func show(_ content: TaskModel.Content) -> String? {
    let key = Self.key(content.cursor)
    guard contents.updateValue(content.rows, forKey: key) == nil else { return nil }
    order.append(key)
    if order.count > Self.length {
      for key in order.prefix(Self.length / 2) { contents[key] = nil }
      order.removeFirst(Self.length / 2)
    }
    for step in steps where step.before == key || step.after == key {
      guard contents[step.before] != nil, contents[step.after] != nil else { continue }
      if let problem = check(step) { return problem }
    }
    return nil
  }

  private func check(_ step: Step) -> String? {
    guard var rows = contents[step.before], let after = contents[step.after] else { return nil }
    for write in step.writes {
      guard let row = write.row else { continue }
      switch write.kind {
      case .delete: rows[row] = nil
      case .insert, .patch, .put: for field in write.fields { rows[row, default: [:]][field] = write.number }
      }
    }
    guard rows != after else { return nil }
    let different = Set(rows.keys).union(after.keys).filter { rows[$0] != after[$0] }.sorted()
    let words = different.map { row in
      "row \(row) has \(after[row].map { "\($0)" } ?? "gone") in place of \(rows[row].map { "\($0)" } ?? "gone")"
    }
    return
      "writes \(step.writes.map(\.number)) were made on the condition of \(step.before), and became \(step.after), where "
      + words.joined(separator: ", ")
  }

  private static func key(_ cursor: Cursor) -> String { "\(cursor.epoch).\(cursor.version)" }
}
