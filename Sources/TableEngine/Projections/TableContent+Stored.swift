import Definitions
import FieldValues
import TableDiff
import TableMapping
import TableModel
import TableStore

/// The stored state of a table, written by any replica.
extension TableContent {
  /// Goes back to what the store has.
  mutating func goBack(isTranslation: Bool) {
    record.base = record.durable
    // A translation's own is the original's, who has told it.
    if !isTranslation { own = durable }
  }

  /// The represented objects that the store has to learn: those of rows that were made anew. An item whose bytes did not change keeps its
  /// row. O(sections + rows that changed · log rows) after a refresh in place; O(rows) where it is not known which the store has.
  ///
  /// - Parameters:
  ///   - old: the sections whose objects the store has (``toldSections``); those of the version before, where that is not known.
  ///   - new: as they are mapped now.
  mutating func objectChanges(from old: [Section], to new: [Section]) -> [ObjectChange] {
    // A local table's items are stored as such.
    guard local == nil else { return [] }
    guard let result else { return untoldRestoredObjects(among: new) }
    defer { if restored == nil { restoredObjects = [:] } }
    let (changed, gone) = Self.rowsMadeAnew(from: old, to: new)
    let changes = (changed + rowsInDoubt(among: new, without: changed)).compactMap { row -> ObjectChange? in
      guard let bytes = result.item(row.id)?.bytes else { return nil }
      let id = ByteText(row.id)
      let isTold = restoredObjects[id] == bytes && !untoldRows.contains(id)
      return isTold ? nil : ObjectChange(row: row.id, bytes: bytes)
    }
    return changes + gone.map { ObjectChange(row: $0, bytes: nil) }
  }

  /// Where no source has answered yet, or has said that nothing has changed: what this process has heard before.
  private func untoldRestoredObjects(among sections: [Section]) -> [ObjectChange] {
    guard !untoldRows.isEmpty else { return [] }
    return sections.lazy.flatMap(\.rows).compactMap { row in
      let id = ByteText(row.id)
      guard untoldRows.contains(id), let bytes = restoredObjects[id] else { return nil }
      return ObjectChange(row: row.id, bytes: bytes)
    }
  }

  /// The rows that are as they were, and of which the store may have another object all the same.
  private func rowsInDoubt(among sections: [Section], without changed: [Row]) -> [Row] {
    guard toldSections == nil, !(restoredObjects.isEmpty && untoldRows.isEmpty) else { return [] }
    let changed = Set(changed.lazy.map { ByteText($0.id) })
    return sections.lazy.flatMap(\.rows).filter { row in
      let id = ByteText(row.id)
      return !changed.contains(id) && (restoredObjects[id] != nil || untoldRows.contains(id))
    }
  }

  /// Notes what the store was not told after all. Later it can't be seen by the rows, where it is not known which sections the store has:
  /// those of the version before have become these.
  mutating func noteUntold(_ changes: [ObjectChange]) {
    guard toldSections == nil else { return }
    untoldRows.formUnion(changes.lazy.filter { $0.bytes != nil }.map { ByteText($0.row) })
  }

  /// The store has the objects that it was read with (``restoredObjects``).
  mutating func noteRestored() { (toldSections, untoldRows) = (nil, []) }

  /// The store has the objects of these sections.
  mutating func noteTold(_ sections: [Section]) { (toldSections, untoldRows, hasEditToTell) = (sections, [], false) }

  /// Notes the rows whose objects the store may not have yet, before the sources' answers are let go of and the objects are kept.
  mutating func keepUntold() {
    guard local == nil, let result else { return }
    let changed = Self.rowsMadeAnew(from: toldSections ?? [], to: result.sections).changed
    untoldRows.formUnion(changed.lazy.map { ByteText($0.id) })
    toldSections = nil
  }

  private static func rowsMadeAnew(from old: [Section], to new: [Section]) -> (changed: [Row], gone: [String]) {
    let places = Dictionary(old.enumerated().map { (ByteText($1.id), $0) }) { first, _ in first }
    /// Of the old sections, the rows that are no others' in the new ones, as far as no search is needed to tell.
    var (kept, changed): ([Int: [Range<Int>]], [Slice<RowList>]) = ([:], [])
    for section in new {
      guard let place = places[ByteText(section.id)] else {
        changed.append(section.rows[...])
        continue
      }
      let runs = RowList.inStep(old[place].rows, section.rows) { _, _ in false }
      kept[place] = runs.map(\.old)
      changed += section.rows.without(runs.map(\.new))
    }
    var before: [ByteText: Row] = [:]
    for (place, section) in old.enumerated() {
      for row in section.rows.without(kept[place] ?? []).joined() { before[ByteText(row.id)] = row }
    }
    let rows = changed.joined().filter { before.removeValue(forKey: ByteText($0.id)) !== $0 }
    return (rows, before.keys.map(\.text))
  }
}

extension TableContent {
  mutating func follow(_ toggles: [ToggleChange], _ objects: [ObjectChange]) {
    for toggle in toggles {
      let row = ByteText(toggle.row)
      if toggle.isToggled { sharedToggles.insert(row) } else { sharedToggles.remove(row) }
    }
    for object in objects {
      restoredObjects[ByteText(object.row)] = object.bytes
      untoldRows.remove(ByteText(object.row))
    }
  }

  /// The shown version is somebody else's: answers heard or mapped here are older. Where this replica leads, others
  /// have done nothing but toggle rows: its answers still hold.
  mutating func followed(to revision: Revision, shown table: Table, isLeading: Bool) {
    (record.base, record.durable) = (revision, revision)
    durable = own
    (isKnownToStore, isLost) = (true, false)
    guard local == nil, !(isLeading && isMapped) else {
      isResultOld = true
      return
    }
    // Answers that are not mapped yet: the sources would not say them again.
    if isLeading, inputs.values.contains(where: { $0.content != nil }) {
      keepUntold()
      (restored, isResultOld) = (table, true)
      return
    }
    let before = inputs
    drop(showing: table)
    restored = table
    guard isLeading else { return }
    // Rows that were toggled are still those of the answer.
    for (source, input) in before {
      inputs[source]?.answer = input.answer
      inputs[source]?.showsAll = input.showsAll
      inputs[source]?.isConfirmed = input.isConfirmed
    }
  }

  /// The store has nothing of it any more. What is shown stays until a first version is stored.
  mutating func lose(_ nothing: StoredTable) {
    (record.base, record.durable) = (nothing.revision, nothing.revision)
    (isKnownToStore, isLost) = (false, true)
    (own, durable, storedInputRevisions) = (OwnState(), OwnState(), nothing.inputs)
    if result != nil { restoredObjects = [:] }
    (toldSections, untoldRows) = (nil, Set(restoredObjects.keys))
  }

  /// Maps what others have written, before something is built on it.
  mutating func refreshResult(named name: String) {
    guard isResultOld else { return }
    isResultOld = false
    _ = table(named: name)
  }
}

extension TableContent {
  /// Nothing of it is on its way, and the store has all that is shown.
  private var isDurable: Bool { commits.isEmpty && !isBehind && !gate.isClosed }

  /// It is made of one source's answers alone.
  private func isOnly(of source: String) -> Bool {
    local == nil && otherItems.isEmpty && inputs.count == 1 && inputs[source] != nil
  }

  /// Returns the revision at which the store has it, if it shows an answer: every item of it, so that the rows are
  /// enough.
  mutating func standing(on answer: UInt64, of source: String) -> Revision? {
    guard isDurable, isOnly(of: source), inputs[source]?.answer == answer else { return nil }
    if let result, inputs[source]?.showsAll == nil {
      let rows = result.sections.reduce(0) { $0 + $1.rows.count }
      inputs[source]?.showsAll = result.items(of: source).count == rows
    }
    return inputs[source]?.showsAll == true ? record.durable : nil
  }

  /// Stands for an answer from now on, where it is as the store had it then.
  ///
  /// - Parameter isOverdue: the source would have been asked anew since.
  mutating func stand(at revision: Revision?, on answer: UInt64, of source: String, isOverdue: Bool) -> Bool {
    guard isDurable, isOnly(of: source), let revision, record.durable == revision, restored != nil else { return false }
    inputs[source]?.answer = answer
    inputs[source]?.showsAll = true
    inputs[source]?.isOverdue = isOverdue
    return true
  }

  /// From now on this process asks the sources: what they have said to it before may be older than what is shown, which
  /// stays until they have answered.
  mutating func lead(under term: UInt64, showing table: Table) {
    self.term = term
    drop(showing: table)
    restored = table.hasWorked ? table : nil
    inputs = inputs.mapValues { input in
      var input = input
      (input.problem, input.error) = (nil, nil)
      return input
    }
  }

  /// Sources have said what is here under another lease than this one, or may have.
  func isOfAnotherLease(than term: UInt64) -> Bool { !inputs.isEmpty && self.term != term }

  /// Sources are about to say something under a lease: what is here is of that where they have said nothing yet.
  mutating func begin(under term: UInt64) {
    if inputs.values.allSatisfy({ !$0.isSettled && $0.content == nil }) { self.term = term }
  }

  /// Forgets what the sources have said, but not the objects of the rows that are shown.
  mutating func drop(showing table: Table) {
    if let result {
      // It may be what could not be stored.
      keepUntold()
      for row in table.sections.lazy.flatMap(\.rows) where restoredObjects[ByteText(row.id)] == nil {
        restoredObjects[ByteText(row.id)] = result.item(row.id)?.bytes
      }
    }
    (result, toldSections) = (nil, nil)
    inputs = inputs.mapValues { input in
      var input = input
      input.letGo()
      (input.showsAll, input.isConfirmed) = (nil, false)
      return input
    }
  }
}

// MARK: - Standing on an answer

/// A member that shows a part of an answer may be told only of the next answers that change something in that part. Meanwhile it has
/// the last one all the same, as its source keeps that for all such members (``StandingAnswer``), and lets go of what it shares.
extension TableContent {
  /// The part that it shows of its only answer, and that answer; nil where it has to be told of the next one in any case.
  var standing: (key: PartKey, content: SourceContent, answer: UInt64)? {
    guard inputs.count == 1, let input = inputs.values.first, input.problem == nil, input.unmappable == nil,
      !input.isConcealed, let content = input.shown, content.edits == nil, let answer = input.answer,
      let key = result?.partKey, restored == nil, !isBehind, commits.isEmpty, !gate.isClosed, !isStanding
    else { return nil }
    return (key, content, answer)
  }

  /// True while it is told only of answers that concern it.
  var isStanding: Bool { inputs.values.contains(where: \.isStanding) }

  mutating func stand(on answer: StandingAnswer) {
    inputs = inputs.mapValues { input in
      var input = input
      input.stand(on: answer)
      return input
    }
    letGoOfPart()
  }

  /// Lets go of the rows that were mapped for a look into them, where it is told of nothing else: else it would keep each answer that
  /// was the last one when somebody looked.
  mutating func letGoOfPart() {
    guard result?.isPart == true, isStanding else { return }
    result?.letGoOfPart()
    isResultOld = true
  }
}
