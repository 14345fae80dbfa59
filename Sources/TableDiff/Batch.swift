import TableModel

/// One stage while it is applied, in the order of `UITableView.performBatchUpdates`: sections take their new places,
/// rows leave by their old places, rows arrive at their new ones, and updates come last.
///
/// What no operation names fills the places that are left, in its old order.
struct Batch {
  private let stage: Int
  private let before: [Section]
  /// By old section: its index among the drafts; nil where the stage deletes or moves it.
  private var places: [Int?]
  /// The sections after the stage.
  private var drafts: [SectionDraft] = []

  /// O(sections + operations + rows in the sections whose rows change).
  ///
  /// - Throws: `ChangesetError` at the first operation that does not fit.
  init(applying stage: Changeset.Stage, at index: Int, to before: [Section]) throws(ChangesetError) {
    self.stage = index
    self.before = before
    places = [Int?](repeating: nil, count: before.count)
    try arrange(stage.sections)
    try change(stage.rows)
    try update(stage)
  }

  func sections() -> [Section] { drafts.map { $0.section() } }

  // MARK: Sections

  private mutating func arrange(_ operations: Changeset.SectionOperations) throws(ChangesetError) {
    var isLeaving = [Bool](repeating: false, count: before.count)
    for delete in operations.delete {
      do { try take(delete.at, delete.id, &isLeaving) } catch { throw named("sections.delete at \(delete.at)", error) }
    }
    for move in operations.move {
      do { try take(move.from, move.id, &isLeaving) } catch { throw named("sections.move from \(move.from)", error) }
    }
    let count = before.count - operations.delete.count + operations.insert.count
    var arriving = [Section?](repeating: nil, count: count)
    for insert in operations.insert {
      do {
        try Self.put(insert.section, at: insert.at, &arriving)
      } catch { throw named("sections.insert at \(insert.at)", error) }
    }
    for move in operations.move {
      do {
        try Self.put(before[move.from], at: move.to, &arriving)
      } catch { throw named("sections.move to \(move.to)", error) }
    }
    // Each arrival has a place of its own, so as many are left as sections stay.
    drafts.reserveCapacity(count)
    var staying = before.indices.lazy.filter { !isLeaving[$0] }.makeIterator()
    for section in arriving {
      if let section {
        drafts.append(SectionDraft(section, isArriving: true))
      } else if let origin = staying.next() {
        places[origin] = drafts.count
        drafts.append(SectionDraft(before[origin], isArriving: false))
      }
    }
  }

  private func take(_ index: Int, _ id: String, _ isLeaving: inout [Bool]) throws(Misfit) {
    guard before.indices.contains(index) else { throw Misfit("there are \(before.count) sections") }
    try Misfit.check(id, is: before[index].id)
    guard !isLeaving[index] else { throw Misfit("the section leaves twice") }
    isLeaving[index] = true
  }

  private static func put(_ section: Section, at index: Int, _ arriving: inout [Section?]) throws(Misfit) {
    guard arriving.indices.contains(index) else { throw Misfit("the table has \(arriving.count) sections then") }
    guard arriving[index] == nil else { throw Misfit("another section arrives there") }
    arriving[index] = section
  }

  // MARK: Rows

  private mutating func change(_ operations: Changeset.RowOperations) throws(ChangesetError) {
    for delete in operations.delete {
      do { _ = try take(delete.at, delete.id) } catch { throw named("rows.delete at \(delete.at.text)", error) }
    }
    for move in operations.move {
      let row: Row
      do { row = try take(move.from, move.id) } catch { throw named("rows.move from \(move.from.text)", error) }
      do { try put(row, at: move.to) } catch { throw named("rows.move to \(move.to.text)", error) }
    }
    for insert in operations.insert {
      do { try put(insert.row, at: insert.at) } catch { throw named("rows.insert at \(insert.at.text)", error) }
    }
    for index in drafts.indices {
      do {
        try drafts[index].settle()
      } catch {
        throw named("rows to \(IndexPath(section: index, row: error.row).text)", error.misfit)
      }
    }
  }

  private mutating func take(_ path: IndexPath, _ id: String) throws(Misfit) -> Row {
    guard before.indices.contains(path.section) else { throw Misfit("there are \(before.count) sections") }
    guard let place = places[path.section] else {
      throw Misfit("the section is deleted or moved in the same stage")
    }
    return try drafts[place].take(path.row, id)
  }

  private mutating func put(_ row: Row, at path: IndexPath) throws(Misfit) {
    guard drafts.indices.contains(path.section) else { throw Misfit("the table has \(drafts.count) sections then") }
    guard !drafts[path.section].isArriving else {
      throw Misfit("the section is inserted or moved in the same stage")
    }
    drafts[path.section].put(row, at: path.row)
  }

  // MARK: Updates

  private mutating func update(_ stage: Changeset.Stage) throws(ChangesetError) {
    for update in stage.rows.update {
      do throws(Misfit) {
        guard drafts.indices.contains(update.at.section) else { throw Misfit("there are \(drafts.count) sections") }
        try drafts[update.at.section].update(update)
      } catch { throw named("rows.update at \(update.at.text)", error) }
    }
    for update in stage.sections.update {
      do throws(Misfit) {
        guard drafts.indices.contains(update.at) else { throw Misfit("there are \(drafts.count) sections") }
        try drafts[update.at].update(update)
      } catch { throw named("sections.update at \(update.at)", error) }
    }
  }

  private func named(_ operation: String, _ misfit: Misfit) -> ChangesetError {
    ChangesetError(stage: stage, operation: operation, reason: misfit.reason)
  }
}

/// Why an operation does not fit, before it is said which one.
struct Misfit: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static func check(_ id: String, is actual: String) throws(Misfit) {
    guard id == actual else { throw Misfit("“\(id)” expected, but “\(actual)” stands there") }
  }
}

extension IndexPath {
  /// As on the wire.
  fileprivate var text: String { "[\(section), \(row)]" }
}
