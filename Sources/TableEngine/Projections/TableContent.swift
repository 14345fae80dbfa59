import Definitions
import FieldValues
import JSON
import TableEncoding
import TableMapping
import TableModel
import TableStore
import Upstream

/// The parts that a table's versions are made of: its sources' answers, and the mapping of them. Owned by the table's
/// queue.
struct TableContent: Sendable {
  var mapper: TableMapper
  /// The variables that expressions see beside the items.
  var variables: MappingVariables
  /// By source name; the local source is not among them.
  var inputs: [String: SourceInput] = [:]
  var local: LocalContent?
  /// Items of other sources of the service's own, by source name.
  var otherItems: [String: SourceContent] = [:]
  /// Maps these in common with the other members of its family.
  var sharesItems = false
  var otherRevisions: [String: Revision] = [:]
  /// The rows, by identity, that taps without a view have toggled for everyone.
  var sharedToggles: Set<ByteText> = []
  /// The last mapping.
  var result: MappingResult?
  /// The table that is shown for sources that have not answered yet: the store's, or the table as it was before its
  /// definition changed.
  var restored: Table?
  /// The restored rows are a former configuration's, which had other requests or another layout.
  var showsFormerRows = false
  /// Rows may offer edits or moves by its definition (``TableBlueprint/offersEdits``).
  var offersEdits: Bool
  /// The represented objects of those rows.
  var restoredObjects: [ByteText: [UInt8]] = [:]
  /// The sections as they were mapped when the store was told the objects of their rows last; nil: that was another process, or the store
  /// may have lost it.
  var toldSections: [Section]?
  /// The rows whose objects the store may lack, of those that were kept for sources that are asked anew.
  var untoldRows: Set<ByteText> = []
  /// An edit was laid over an answer since then.
  var hasEditToTell = false

  var definition: TableDefinition { mapper.definition }

  // State that changes need of those before them.
  /// The store has had a version of it before.
  var isKnownToStore = false
  /// The store had it, and has nothing of it any more.
  var isLost = false
  /// How far the store's record of the table is known.
  var record = RecordProgress()
  /// How many edits of the items are on their way to the store from here: until they are there the items are ahead of it.
  var editsUnderWay = 0
  /// The records of the items that this table shows, by their names: at which of their revisions it has them, and at which the
  /// stored version was made.
  var inputRevisions = InputRevisions()
  var storedInputRevisions = InputRevisions()
  /// The inputs' revisions at the last read barrier that passed with a stored version of older items, which showed the same; nil once a
  /// version is made of them.
  var passedInputs: InputRevisions?
  /// Sources were asked what they have, that have only said that it is what was stored.
  var hasAskedForAll = false
  /// How often the stored version was found to be made of records that this table knows by other names, or not at all, and how many of
  /// these times its own were looked for since.
  var (inputDoubts, settledDoubts) = (0, 0)
  /// A look for them is under way, or due again.
  var isSettlingInputs = false
  /// The term of the lease under which the sources have said what is here; nil: of none.
  var term: UInt64?
  /// Reads wait for what could not be shown until the sources, which are asked anew, have answered.
  var holdsForSources = false
  /// Others have written since the items were mapped, or they were not mapped yet.
  var isResultOld = false
  /// The layout, equal where the same items make the same table (``TableBlueprint/layout``); nil where they are not its
  /// own.
  var layout: String?
  /// The upstream's refusal of a shared member's readers, as the store has it.
  var refusal: [UInt8]?
  var gate = ChangeGate()
  /// The table's own state as the store has it: what is gone back to where a commit fails.
  var durable = OwnState()
  /// True if the sources' answers could not be stored, so that they are not shown: storing is tried again soon, and
  /// with their next answer.
  var isBehind = false
  var retries = StoringRetries()
  /// Questions to the replica whose configuration counts, where this one's does not: whether a version shows the items as they are.
  var questions = StoreLooks()
  /// Questions to that replica whether it has the table at all.
  var leaderAnswers = LeaderAnswers()
  /// The edits that wait for the leader's answer about rows that are not known here (``UnknownRows``), and whether it has given one.
  var rowAskers: [@Sendable (Bool) -> Void] = []
  var isToldByLeader = false
  /// It was not laid out anew when that was asked for, as others have shown items that are not here yet.
  var isToLayOut = false
  /// Answers that were found to be no JSON when they were mapped.
  var refusedAnswers: [RefusedAnswer] = []
  /// The memory of a family's member.
  var weight = MemberWeight()

  /// State that no source has: it is the table's own.
  struct OwnState: Equatable, Sendable {
    var toggles: Set<ByteText> = []
    var refusal: [UInt8]?
  }

  var own: OwnState {
    get { OwnState(toggles: sharedToggles, refusal: refusal) }
    set { (sharedToggles, refusal) = (newValue.toggles, newValue.refusal) }
  }

  var commits: CommitsUnderWay {
    get { record.commits }
    _modify { yield &record.commits }
  }

  /// The items of the table's own source, as it shows them.
  struct LocalContent: Sendable {
    var source: String
    var items: LocalItems
    var revision: Revision
    var definition: LocalDefinition
  }

  /// - Parameters:
  ///   - parameters: of a family's member.
  ///   - caller: what it reads of those whose member it is.
  ///   - locale: nil where the configuration names none.
  init(
    _ blueprint: TableBlueprint,
    parameters: [String: String] = [:],
    caller: JSONValue = .null,
    locale: String?
  ) {
    (mapper, offersEdits) = (blueprint.mapper, blueprint.offersEdits)
    variables = MappingVariables(
      parameters: parameters,
      environment: blueprint.environment,
      locale: locale,
      caller: caller
    )
    for source in blueprint.upstreams { inputs[source.name] = SourceInput(source) }
  }

  /// True if every source has answered or failed at least once.
  var isSettled: Bool { inputs.values.allSatisfy(\.isSettled) }

  /// Returns whether sources have given their items since this process asks them, and not only the store has: of a row of theirs that is not
  /// here it is known then that there is none.
  func haveAnswered(_ sources: [String]) -> Bool { sources.allSatisfy { inputs[$0]?.hasAnswered ?? true } }

  /// Returns the row that an edit names and that is not known here, where its sources may have it all the same.
  ///
  /// - Parameter isAsking: this process asks the sources.
  func unknownRow(of edit: Edit, in table: Table, isAsking: Bool) -> String? {
    guard isAsking ? !haveAnswered(edit.sources(in: self)) : !isToldByLeader else { return nil }
    return [edit.row, edit.place?.neighbor].compactMap(\.self).first { !knows($0, in: table) }
  }

  /// The represented object of a row: as the source gave it, or as it was while that has not answered.
  func object(_ row: String) -> RepresentedObject? {
    if let item = result?.item(row) { return RepresentedObject(bytes: item.bytes, isHidden: !item.hasRow) }
    guard restored != nil, let bytes = restoredObjects[ByteText(row)] else { return nil }
    return RepresentedObject(bytes: bytes, isHidden: false)
  }

  /// Why a row that a change is of can't be found. Before every source has answered for the first time it is not known whether there
  /// is one, and a refusal would be final: a client that has kept an edit through a restart of the service drops it then.
  func missing(_ row: String, in table: Table) -> TableError {
    // Which rows there are may be told by lookups.
    let isAwaited = isOfCallers && mapper.callersLookupSources.contains { inputs[$0].map { $0.shown == nil } ?? false }
    guard !isAwaited else { return .notKnownYet(row, of: table.name) }
    // Else a lookup's source makes no rows, and a replica that doesn't lead never hears it.
    let areSettled = mapper.sectionSources.allSatisfy { inputs[$0]?.isSettled ?? true }
    guard table.hasWorked && (result == nil || areSettled) else { return .notKnownYet(row, of: table.name) }
    // The objects of a translation's rows come with the original.
    guard table.indexPath(of: row) != nil else { return .noRow(row, of: table.name) }
    return TableError(
      .unavailable,
      detail: "It is not known here yet what the row `\(row)` of `\(table.name)` is made of.",
      retryAfter: .seconds(1)
    )
  }

  /// Returns whether a row is there, whether it is shown or not.
  func knows(_ row: String, in table: Table) -> Bool { table.indexPath(of: row) != nil || object(row) != nil }

  /// The items that the last mapping left out. None where readers may not be shown their origin. O(items).
  var skipped: SkippedItems {
    guard let result, !inputs.values.contains(where: \.isConcealed) else { return SkippedItems() }
    var skipped = SkippedItems(count: result.skippedItems, first: result.skipped.map(SkippedItems.Item.init))
    guard !isOfCallers else {
      // Items that no section takes are others', and their number is not told by a place among all.
      for index in skipped.first.indices { skipped.first[index].index = index }
      return skipped
    }
    let unplaced = result.unplaced()
    (skipped.unplacedCount, skipped.unplaced) = (unplaced.count, unplaced.first.map(SkippedItems.Item.init))
    return skipped
  }

  /// Its rows are those of some callers, and others may have others.
  var isOfCallers: Bool { definition.dependsOnCaller }

  /// Toggles a row for everyone. Returns what the store is to be told.
  mutating func toggle(_ row: String, in table: Table) -> [ToggleChange] {
    var changes: [ToggleChange] = []
    // Rows go, and their toggles with them, before they are more than the rows that there are.
    if sharedToggles.count > table.counts.rows {
      let gone = sharedToggles.filter { table.indexPath(of: $0.text) == nil }
      sharedToggles.subtract(gone)
      changes = gone.map { ToggleChange(row: $0.text, isToggled: false) }
    }
    let isToggled = sharedToggles.remove(ByteText(row)) == nil
    if isToggled { sharedToggles.insert(ByteText(row)) }
    return changes + [ToggleChange(row: row, isToggled: isToggled)]
  }

  /// True if the shown table is made of the sources' answers here, and not taken over.
  var isMapped: Bool { hasContent && restored == nil }

  /// True if there is anything to be mapped. Looked-up items make no rows; but nothing is mapped before their sources
  /// have answered or failed, so that no row is shown without its looked-up items.
  private var hasContent: Bool {
    if local != nil { return true }
    let (inputs, otherItems, hasRestored) = (inputs, otherItems, restored != nil)
    let awaited = mapper.lookupSources.contains { source in
      // Rows that have what belongs to them stay for as long as that can't be had.
      inputs[source].map { $0.shown == nil && ($0.problem == nil || hasRestored) } ?? false
    }
    return !awaited && mapper.sectionSources.contains { inputs[$0]?.shown != nil || otherItems[$0] != nil }
  }

  /// The sources of rows without an answer that could be shown.
  private var silent: Set<String> {
    let inputs = inputs
    return Set(mapper.sectionSources.filter { source in inputs[source].map { $0.shown == nil } ?? false })
  }

  /// The table as the sources have it now. O(bytes) of what changed.
  mutating func table(named name: String) -> Table {
    var table = shownTable(named: name)
    table.offer = offer
    return table
  }

  /// The mark of what the table offers to be found by; nil: nothing.
  var offer: UInt64? { mapper.offer }

  private mutating func shownTable(named name: String) -> Table {
    guard hasContent else { return unmapped(named: name) }
    let result = mapped()
    // No answer may have been one.
    guard hasContent else { return unmapped(named: name) }
    self.result = result
    let silent = silent
    if silent.isEmpty { (restored, showsFormerRows) = (nil, false) }
    let problem = firstProblem ?? restored?.problem
    var table = result.table(definition, state: problem != nil ? .stale : nil, problem: problem)
    table.name = name
    if let restored { table = keeping(restored, of: silent, in: table) }
    let isWaiting = problem == nil && !isSettled
    if isWaiting, table.counts.rows == 0 { table.state = .loading }
    if !sharedToggles.isEmpty { table = toggled(table) }
    return table
  }

  /// The table with as much as can be of what another version's is made of, so that the two are told apart as fast as
  /// they differ little; and so it is with those that are made of it. O(sections) where it was so already.
  mutating func share(_ table: Table, with other: Table) -> Table {
    let table = table.sharing(with: other)
    result?.goOn(from: table)
    return table
  }

  /// The problem of the first source that has one, so that it stays the same one.
  var firstProblem: Problem? {
    let inputs = inputs
    return inputs.isEmpty ? nil : mapper.sources.lazy.compactMap { inputs[$0]?.problem }.first
  }

  /// Maps what the sources have. What has no list of items in it is no answer: the last one that had stays.
  private mutating func mapped() -> MappingResult {
    while true {
      var contents = inputs.compactMapValues(\.shown).merging(otherItems) { answer, _ in answer }
      if let local { contents[local.source] = .owned(MappedItems(items: local.items)) }
      let result = mapper.map(contents, after: self.result, variables: variables)
      for problem in result.problems {
        if let refused = inputs[problem.source]?.refuse(problem) { refusedAnswers.append(refused) }
      }
      // Else another round; each takes an answer away from a source, which has two at most.
      guard result.problems.isEmpty else { continue }
      inputs = inputs.mapValues { $0.accepted }
      return result
    }
  }

  private func toggled(_ table: Table) -> Table {
    var table = table
    // One by one, as long as they are few among the rows.
    guard sharedToggles.count < table.rowCount / 64 else {
      table.sections = table.sections.map(toggled)
      return table
    }
    for row in sharedToggles {
      guard let path = table.indexPath(of: row.text), let plain = table[at: path] else { continue }
      let section = table.sections[path.section]
      table.sections[path.section] = section.with(section.rows.replacing(path.row, with: plain.toggled()))
    }
    table.countRows()
    return table
  }

  private func toggled(_ section: Section) -> Section {
    guard section.rows.contains(where: { sharedToggles.contains(ByteText($0.id)) }) else { return section }
    return section.with(RowList(section.rows.map { sharedToggles.contains(ByteText($0.id)) ? $0.toggled() : $0 }))
  }
}

/// A represented object, as its source gave it.
package struct RepresentedObject: Sendable {
  package var bytes: [UInt8]
  /// True for an item that has no row.
  package var isHidden: Bool
}

extension Section {
  fileprivate func with(_ rows: RowList) -> Section { Section(id: id, header: header, footer: footer, rows: rows) }
}
