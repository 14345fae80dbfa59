import TableModel

/// A section while a stage changes it.
///
/// A list of flags is made when the first row leaves, and a new list of rows when all have arrived: O(rows) a stage, and
/// O(1) for an operation.
struct SectionDraft {
  /// True if the stage inserts or moves it: then its rows may be updated, but neither leave nor arrive.
  let isArriving: Bool
  private let original: Section
  private var rows: RowList
  private var header: CellModel?
  private var footer: CellModel?
  private var skipped: Int
  private var isChanged = false
  /// By row: whether it leaves. Empty where none does.
  private var isLeaving: [Bool] = []
  private var leaving = 0
  private var arriving: [(index: Int, row: Row)] = []
  /// By row: what it has been updated to. Empty where none has.
  private var updated: [Row?] = []
  private var isFrameUpdated = false

  init(_ section: Section, isArriving: Bool) {
    self.isArriving = isArriving
    original = section
    rows = section.rows
    (header, footer, skipped) = (section.header, section.footer, section.skipped)
  }

  /// The section as it is now; the one it began as, where nothing changed.
  func section() -> Section {
    guard isChanged else { return original }
    let rows = updated.isEmpty ? rows : RowList(zip(rows, updated).map { $1 ?? $0 }, sharing: rows)
    return Section(id: original.id, header: header, footer: footer, rows: rows, skipped: skipped)
  }

  /// Takes a row away by its old index. It stands until the draft is settled.
  mutating func take(_ index: Int, _ id: String) throws(Misfit) -> Row {
    guard rows.indices.contains(index) else { throw Misfit("the section has \(rows.count) rows") }
    try Misfit.check(id, is: rows[index].id)
    if isLeaving.isEmpty { isLeaving = [Bool](repeating: false, count: rows.count) }
    guard !isLeaving[index] else { throw Misfit("the row leaves twice") }
    isLeaving[index] = true
    leaving += 1
    return rows[index]
  }

  /// Brings a row to its new index.
  mutating func put(_ row: Row, at index: Int) { arriving.append((index, row)) }

  /// Puts what arrives in its places, and what stays in those that are left.
  mutating func settle() throws(Unsettled) {
    guard leaving > 0 || !arriving.isEmpty else { return }
    let count = rows.count - leaving + arriving.count
    var places = [Row?](repeating: nil, count: count)
    for (index, row) in arriving {
      guard places.indices.contains(index) else {
        throw Unsettled(row: index, misfit: Misfit("the section has \(count) rows then"))
      }
      guard places[index] == nil else {
        throw Unsettled(row: index, misfit: Misfit("another row arrives there"))
      }
      places[index] = row
    }
    // Each arrival has a place of its own, so as many are left as rows stay.
    var next = 0
    var settled: [Row] = []
    settled.reserveCapacity(count)
    for place in places {
      if let place {
        settled.append(place)
      } else {
        while !isLeaving.isEmpty, isLeaving[next] { next += 1 }
        settled.append(rows[next])
        next += 1
      }
    }
    rows = RowList(settled, sharing: rows)
    isChanged = true
  }

  /// An arrival that has no place of its own.
  struct Unsettled: Error {
    let row: Int
    let misfit: Misfit
  }

  mutating func update(_ update: Changeset.RowUpdate) throws(Misfit) {
    let index = update.at.row
    guard rows.indices.contains(index) else { throw Misfit("the section has \(rows.count) rows") }
    try Misfit.check(update.row.id, is: rows[index].id)
    guard update.reload == (rows[index].cellIdentifier != update.row.cellIdentifier) else {
      throw Misfit("reload must tell whether the cell identifier changes")
    }
    if updated.isEmpty { updated = [Row?](repeating: nil, count: rows.count) }
    guard updated[index] == nil else { throw Misfit("the row is updated twice") }
    updated[index] = update.row
    isChanged = true
  }

  mutating func update(_ update: Changeset.SectionUpdate) throws(Misfit) {
    try Misfit.check(update.id, is: original.id)
    guard !isFrameUpdated else { throw Misfit("the section is updated twice") }
    isFrameUpdated = true
    (header, footer) = (update.header, update.footer)
    if let skipped = update.skipped { self.skipped = skipped }
    isChanged = true
  }
}
