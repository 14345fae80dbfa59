/// The edits that this replica was asked to show: who asks may not hear the answer, and asks again. The last of them are known.
struct ShownForOthers {
  enum Standing: Equatable {
    case new
    /// It is answered before long.
    case underWay
    /// It is shown, in this row.
    case done(row: String?)
  }

  private var standings: [String: Standing] = [:]
  /// The oldest first.
  private var order: [String] = []
  static let maximum = 512

  /// Returns how the edit of a question stands, which is under way from then on.
  mutating func begin(_ id: String) -> Standing {
    if let known = standings[id] { return known }
    standings[id] = .underWay
    order.append(id)
    if order.count > Self.maximum {
      for old in order.prefix(Self.maximum / 2) { standings[old] = nil }
      order.removeFirst(Self.maximum / 2)
    }
    return .new
  }

  /// An edit that could not be shown is tried again at the next question.
  mutating func end(_ id: String, _ outcome: LeaderTask.Outcome) {
    guard standings[id] != nil else { return }
    switch outcome {
    case .success(let row): standings[id] = .done(row: row)
    case .failure:
      standings[id] = nil
      order.removeAll { $0 == id }
    }
  }
}
