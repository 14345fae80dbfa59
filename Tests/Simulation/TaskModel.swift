import TableModel

/// What editors have done to the items of one local source, and what readers may therefore be shown.
///
/// Each edit writes a text that no other one does, so that what a row shows tells which edit it is of. A row has two such texts,
/// as an edit that writes one of them must leave the other one as it is.
final class TaskModel {
  enum Field: CaseIterable { case value, note }

  final class Write {
    enum Kind: Equatable {
      case insert, patch, delete
      /// In the place of the item that is there, or anew where it is gone.
      case put
    }
    enum Outcome { case pending, done, refused }

    let number: Int
    let kind: Kind
    let table: String
    /// What it writes.
    let fields: Set<Field>
    /// Whose the item is that it adds, for good.
    let owner: String?
    /// Nil while nobody knows: of an item that is being added.
    var row: String?
    let begun: Int
    var outcome = Outcome.pending
    /// The store has lost what it may have been among: it may be there, or not, whatever is answered.
    var isUncertain = false
    /// It was sent again, as nobody knew what had become of it: it may have been done, and lost again.
    var isRepeated = false
    /// The step at which it was answered.
    var answered: Int?
    var cursor: Cursor?

    init(
      _ number: Int,
      _ kind: Kind,
      _ fields: Set<Field>,
      owner: String?,
      table: String,
      row: String?,
      begun: Int
    ) {
      (self.number, self.kind, self.fields, self.table) = (number, kind, fields, table)
      (self.owner, self.row, self.begun) = (owner, row, begun)
    }

    /// Whether it is certain that this one came before another.
    func precedes(_ other: Write) -> Bool {
      if let answered, outcome == .done, answered < other.begun { return true }
      guard table == other.table, let mine = cursor, let theirs = other.cursor, mine.epoch == theirs.epoch else {
        return false
      }
      return mine.version < theirs.version
    }
  }

  /// The writes that a row shows.
  typealias Row = [Field: Int]

  /// Which of the items a table shows.
  enum Scope: Equatable {
    case all
    /// Those of one caller.
    case owned(by: String)
    case some
  }

  /// What was shown of the items at one version.
  struct Content {
    var table: String
    var cursor: Cursor
    var rows: [String: Row]
    var scope = Scope.all
  }

  private(set) var writes: [Write] = []
  /// Of each row those that may matter.
  private var byRow: [String: [Write]] = [:]
  /// Of each table the last that were shown.
  private var shown: [String: [Content]] = [:]
  /// Of each table and epoch, what was shown of each row last.
  private var latest: [String: [String: (version: UInt64, row: Row)]] = [:]
  /// More than one where a standby has given a row's number again, and the row was put in its old owner's name.
  private var owners: [String: Set<String>] = [:]
  private var successions = Successions()
  private var readItems = ReadItems()
  private let fail: (String) -> Void

  init(_ fail: @escaping (String) -> Void) { self.fail = fail }

  func begin(
    _ kind: Write.Kind,
    _ fields: Set<Field> = Set(Field.allCases),
    owner: String? = nil,
    table: String,
    row: String?,
    at step: Int
  ) -> Write {
    let write = Write(writes.count, kind, fields, owner: owner, table: table, row: row, begun: step)
    writes.append(write)
    if let row {
      byRow[row, default: []].append(write)
      if let owner { owners[row, default: []].insert(owner) }
    }
    return write
  }

  /// The store is not as it was, but as it was some time ago: what has been written until now may be there, or not.
  func doubt() {
    readItems = ReadItems()
    for write in writes where write.outcome != .refused || write.isRepeated {
      (write.isUncertain, write.outcome, write.answered, write.cursor) = (true, .pending, nil, nil)
    }
  }

  /// A write that was not answered yet.
  func pending(_ number: Int) -> Write? {
    writes.indices.contains(number) && writes[number].outcome == .pending ? writes[number] : nil
  }

  /// Whose an item is, as far as that is known.
  func owner(of row: String) -> String? { owners[row].flatMap { $0.count == 1 ? $0.first : nil } }

  /// A row is shown as somebody's: its number may have been given again.
  func note(owner: String, of row: String) { owners[row, default: []].insert(owner) }

  /// Whether a row may have been deleted, so that it is another one if it is there.
  func mayBeAnother(_ row: String) -> Bool {
    writes.contains { $0.row == row && $0.kind == .delete && $0.outcome != .refused }
  }

  /// Whether the item that a write adds may have been added twice. Where a database is promoted that lacks all items, the replicas store those
  /// again that they know, but not the answers to the edits that made them: a repeat is another edit then.
  func mayBeThereTwice(_ number: Int) -> Bool {
    writes.indices.contains(number) && writes[number].isUncertain && writes[number].isRepeated
  }

  /// The row that a write is of, as far as it is known.
  func row(ofWrite number: Int) -> String? { writes.indices.contains(number) ? writes[number].row : nil }

  static func text(_ write: Int) -> String { "w\(write)" }

  /// Done, and shown by the version of a cursor.
  ///
  /// - Parameter mayBeLater: older versions may show it, too: a repeat, and an edit of a caller's own table, get a present cursor.
  func acknowledge(_ write: Write, row: String?, at cursor: Cursor, mayBeLater: Bool, step: Int) {
    guard !write.isUncertain else { return }
    (write.outcome, write.answered) = (.done, step)
    if !mayBeLater { write.cursor = Cursor(epoch: cursor.epoch, version: cursor.version) }
    if let row { bind(write, to: row) }
    if let row = write.row { for content in shown[write.table] ?? [] { check(content, row: row) } }
    forget(write)
  }

  /// They were asked for under the condition that the table is at a cursor: what is there differs from what was there by them alone.
  func succeed(_ writes: [Write], from before: Cursor, to after: Cursor) {
    if let problem = successions.add(writes, from: before, to: after) { fail(problem) }
  }

  /// Certainly not done.
  func refuse(_ write: Write, step: Int) {
    guard !write.isUncertain else { return }
    (write.outcome, write.answered) = (.refused, step)
    if let row = write.row, readItems.has(write.number, row) {
      fail("write \(write.number) was refused, and was read in the item \(row)")
    }
    for contents in shown.values {
      for content in contents where content.rows.values.contains(where: { $0.values.contains(write.number) }) {
        fail("write \(write.number) was refused, and \(content.table) at \(content.cursor) shows it")
      }
    }
  }

  private func bind(_ write: Write, to row: String) {
    if let known = write.row {
      guard known != row else { return }
      // It was lost, and asked for again.
      guard write.isUncertain else {
        return fail("write \(write.number) is of row \(known), and is shown in row \(row)")
      }
    }
    write.row = row
    if let owner = write.owner { owners[row, default: []].insert(owner) }
    byRow[row, default: []].append(write)
  }

  /// What no reader can be shown any more need not be known.
  private func forget(_ write: Write) {
    guard let row = write.row, let all = byRow[row], all.count > 24 else { return }
    var gone: Set<Int> = []
    for field in Field.allCases {
      let done = all.filter { $0.outcome == .done && $0.fields.contains(field) }.suffix(8)
      guard !done.isEmpty else { continue }
      for one in all where one.fields == [field] && one.kind == .patch && one.outcome != .pending {
        if done.allSatisfy({ one.precedes($0) }) { gone.insert(one.number) }
      }
    }
    byRow[row] = all.filter { !gone.contains($0.number) }
  }

  // MARK: What is shown

  /// - Parameter asked: the step at which the reader began; nil: it goes by its cursor.
  func show(_ content: Content, asked: Int?) {
    for (row, texts) in content.rows {
      for (field, number) in texts {
        guard writes.indices.contains(number), writes[number].fields.contains(field) else {
          return fail("\(content.table) shows a write that nobody made: \(number)")
        }
        bind(writes[number], to: row)
        if writes[number].outcome == .refused {
          fail("\(content.table) at \(content.cursor) shows write \(number), which was refused")
        }
        if writes[number].kind == .delete { fail("\(content.table) shows a deletion") }
      }
    }
    for row in byRow.keys where covers(content, row) {
      check(content, row: row)
      if let asked { check(content, row: row, asked: asked) }
    }
    checkDirection(content)
    guard content.scope == .all else { return }
    if let problem = successions.show(content) { fail(problem) }
    var contents = shown[content.table] ?? []
    contents.append(content)
    if contents.count > 40 { contents.removeFirst() }
    shown[content.table] = contents
  }

  /// Whether a row that is not shown would have to be.
  private func covers(_ content: Content, _ row: String) -> Bool {
    switch content.scope {
    case .all: true
    case .some: content.rows[row] != nil
    case .owned(let owner): content.rows[row] != nil || owners[row] == [owner]
    }
  }

  /// No table runs backwards, whoever is shown its versions: an edit that certainly came before the one that an older version shows
  /// is not shown by a newer one.
  private func checkDirection(_ content: Content) {
    let (key, version) = ("\(content.table) \(content.cursor.epoch)", content.cursor.version)
    var rows = latest[key] ?? [:]
    for (id, row) in content.rows {
      defer { if rows[id].map({ $0.version < version }) ?? true { rows[id] = (version, row) } }
      guard let other = rows[id], other.version != version else { continue }
      let (older, newer) = other.version < version ? (other.row, row) : (row, other.row)
      for field in Field.allCases {
        guard let first = older[field], let second = newer[field], first != second else { continue }
        if writes[second].precedes(writes[first]) {
          fail("\(key), row \(id): versions \(other.version) and \(version) go back from write \(first) to \(second)")
        }
      }
    }
    latest[key] = rows
    if latest.count > 60 { latest = [key: rows] }
  }

  private func check(_ content: Content, row: String) {
    guard let all = byRow[row] else { return }
    for field in Field.allCases { check(content, row, field, all.filter { $0.fields.contains(field) }) }
  }

  /// By versions: what was answered with one is shown by that and those after it, and by none before.
  private func check(_ content: Content, _ row: String, _ field: Field, _ all: [Write]) {
    let (version, epoch) = (content.cursor.version, content.cursor.epoch)
    let known = all.filter { $0.outcome == .done && $0.table == content.table && $0.cursor?.epoch == epoch }
    let last = known.filter { ($0.cursor?.version ?? 0) <= version }.max {
      ($0.cursor?.version ?? 0) < ($1.cursor?.version ?? 0)
    }
    var place: String { "\(content.table) at \(content.cursor), row \(row), its \(field)" }
    if let number = content.rows[row]?[field] {
      let shown = writes[number]
      if shown.table == content.table, let cursor = shown.cursor, cursor.epoch == epoch, cursor.version > version {
        fail("\(place): write \(number) is shown before its version \(cursor)")
      }
      guard let last, last !== shown else { return }
      if shown.precedes(last) {
        fail(
          "\(place): write \(number) is shown, and \(last.number) of version \(last.cursor?.version ?? 0) followed it"
        )
      }
      if last.kind == .delete, !mayBeBack(all, after: last) {
        fail("\(place): is there, and write \(last.number) has deleted it")
      }
    } else if let last, last.kind != .delete, content.scope == .all {
      let mayBeGone = all.contains { write in
        guard write.kind == .delete, write.outcome != .refused else { return false }
        guard write.table == content.table, let cursor = write.cursor, cursor.epoch == epoch else { return true }
        return cursor.version <= version
      }
      if !mayBeGone { fail("\(place): is gone, and nobody has deleted it; write \(last.number) is acknowledged") }
    }
  }

  /// Whether an item that was deleted may have been put there again.
  private func mayBeBack(_ all: [Write], after deletion: Write) -> Bool {
    all.contains { $0.kind == .put && $0.outcome != .refused && !$0.precedes(deletion) }
  }

  /// One item was read by itself.
  ///
  /// - Parameter texts: nil: there is none.
  func showItem(_ row: String, _ texts: Row?, of table: String, asked: Int, step: Int) {
    for (field, number) in texts ?? [:] {
      guard writes.indices.contains(number), writes[number].fields.contains(field), writes[number].outcome != .refused
      else { return fail("item \(row) of \(table) shows a write that nobody made, or that was refused: \(number)") }
      bind(writes[number], to: row)
      let problem = readItems.note(row, "\(field)", number, asked: asked, step: step) { [writes] in
        writes[$0].precedes(writes[$1])
      }
      if let problem { fail(problem) }
    }
    let cursor = Cursor(epoch: Epoch(rawValue: 0), version: 0)
    let content = Content(table: "item of \(table)", cursor: cursor, rows: texts.map { [row: $0] } ?? [:], scope: .some)
    check(content, row: row, asked: asked)
  }

  private func check(_ content: Content, row: String, asked: Int) {
    guard let all = byRow[row] else { return }
    for field in Field.allCases {
      check(content, row, field, all.filter { $0.fields.contains(field) }, asked: asked)
    }
  }

  /// By time: what was answered before the reader asked is shown, whichever table it was done through.
  private func check(_ content: Content, _ row: String, _ field: Field, _ all: [Write], asked: Int) {
    let done = all.filter { $0.outcome == .done && ($0.answered ?? .max) < asked }
    var place: String {
      "\(content.table) at \(content.cursor), row \(row), its \(field), asked for at step \(asked)"
    }
    if let number = content.rows[row]?[field] {
      let shown = writes[number]
      for write in done where write !== shown {
        if write.kind == .delete, !mayBeBack(all, after: write) {
          fail("\(place): is there, and write \(write.number) has deleted it")
        }
        if shown.precedes(write) { fail("\(place): write \(number) is shown, and \(write.number) has followed it") }
      }
    } else if let lost = done.first(where: { $0.kind != .delete }),
      !all.contains(where: { $0.kind == .delete && $0.outcome != .refused })
    {
      fail("\(place): is gone, and nobody has deleted it; write \(lost.number) is acknowledged")
    }
  }

  /// Rows that are there for certain, when nothing is under way.
  var count: (done: Int, all: Int) { (writes.count { $0.outcome == .done }, writes.count) }
}
