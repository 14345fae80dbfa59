import Definitions
import FieldValues
import TableMapping
import TableModel
import TableStore
import Upstream

/// Taking over a table's inputs: answers of upstreams, and the service's own items.
extension TableContent {
  /// Takes in what a source has said, also while it is not known whether the table goes on: it is not said again. False
  /// where it changes nothing.
  ///
  /// - Parameters:
  ///   - showingItsWords: readers are told why a fetch failed in the upstream's own words.
  ///   - revealing: what was concealed may be shown, where the upstream agrees. Not while nobody reads; what is said then is concealed.
  mutating func take(_ news: SourceNews, from source: String, showingItsWords: Bool, revealing: Bool = true) -> Bool {
    guard !gate.isClosedForGood, var input = inputs[source] else { return false }
    switch news {
    case .content(let answer, let number, let error):
      let since = input.problem?.since ?? Timestamp.now
      (input.content, input.error, input.unmappable) = (answer, error, nil)
      isResultOld = true
      input.problem = error.map {
        Problem(of: $0, at: input.definition, showingItsWords: showingItsWords, since: since)
      }
      (input.answer, input.showsAll, input.showsItsWords) = (number, nil, showingItsWords)
      input.isConcealed = !revealing
    case .unchanged:
      let isConfirmed = input.content == nil && !input.isConfirmed
      // An answer that could not be mapped is still the upstream's last word, whatever failed meanwhile.
      guard input.problem != input.unmappable || isBehind || input.isConcealed || isConfirmed else { return false }
      input.isConfirmed = input.content == nil
      (input.problem, input.error) = (input.unmappable, nil)
      if revealing { input.isConcealed = false }
    case .failure(let error):
      // Another process may have been told first.
      let since = input.problem?.since ?? restored?.problem?.since ?? Timestamp.now
      input.problem = Problem(of: error, at: input.definition, showingItsWords: showingItsWords, since: since)
      input.error = error
    }
    inputs[source] = input
    isBehind = false
    return true
  }

  /// Nobody is shown what the sources have said before each of them has agreed again.
  mutating func conceal() {
    inputs = inputs.mapValues { input in
      var input = input
      (input.isConcealed, input.problem, input.error) = (true, nil, nil)
      return input
    }
    result = nil
  }

  // MARK: The service's own items

  /// Takes over the items of one of the service's own sources: the table's own, or others that it shows or looks up. Not where
  /// edits from here are on their way, which are ahead of these.
  ///
  /// - Returns: whether that changes anything.
  /// - Complexity: O(1).
  mutating func take(_ snapshot: ItemSnapshot, of log: ItemLog) -> Bool {
    guard log.source == local?.source else {
      guard otherItems[log.source] == nil || otherRevisions[log.source] != snapshot.revision else { return false }
      takeOther(snapshot, of: log)
      return true
    }
    guard editsUnderWay == 0, local?.revision != snapshot.revision else { return false }
    show(snapshot, of: log)
    return true
  }

  /// Shows the items of the table's own source so.
  mutating func show(_ snapshot: ItemSnapshot, of log: ItemLog) {
    local?.items = snapshot.items
    local?.revision = snapshot.revision
    inputRevisions.own = log.storedName
    inputRevisions[log.storedName] = snapshot.revision.number
  }

  /// The items of the table's own source, which can be edited through it.
  mutating func own(_ snapshot: ItemSnapshot, of log: ItemLog, _ definition: LocalDefinition) {
    local = LocalContent(
      source: log.source,
      items: snapshot.items,
      revision: snapshot.revision,
      definition: definition
    )
    show(snapshot, of: log)
  }

  /// These are all other sources of the service's own that there are.
  mutating func takeOthers(_ logs: [ItemLog]) {
    (otherItems, otherRevisions) = ([:], [:])
    inputRevisions.keepOwn()
    for log in logs { takeOther(log.committed, of: log) }
  }

  private mutating func takeOther(_ snapshot: ItemSnapshot, of log: ItemLog) {
    otherItems[log.source] =
      sharesItems ? log.sharedContent(of: snapshot) : .owned(MappedItems(items: snapshot.items))
    otherRevisions[log.source] = snapshot.revision
    // Items that only the configuration has are the same on every replica.
    inputRevisions[log.storedName] = log.isStored ? snapshot.revision.number : nil
  }
}

extension TableContent {
  /// Begins as a table in another language: with what the original has been told. The items of its own source it has already.
  mutating func begin(beside original: TableContent) {
    var revisions = original.inputRevisions
    if let own = inputRevisions.own { revisions[own] = inputRevisions[own] }
    inputRevisions = revisions
    (inputs, otherItems, otherRevisions) = (original.inputs, original.otherItems, original.otherRevisions)
    term = original.term
    _ = follow(original, own: original.own, showing: nil)
  }

  /// Takes over what is the table's in all languages, and stored with the original: taps for everyone, the upstream's refusal, the
  /// objects of rows. Returns whether there is anything else to be shown.
  ///
  /// - Parameters:
  ///   - own: of the original: what of its own may be shown.
  ///   - table: this one, as it is shown; nil: it is not yet.
  mutating func follow(_ original: TableContent, own: OwnState, showing table: Table?) -> Bool {
    let isOther = self.own != own
    self.own = own
    restoredObjects = original.restoredObjects
    // Others have written the objects since items were mapped here, and perhaps no version in this language.
    if let table, original.result == nil, original.restored != nil, result != nil, local == nil, isKnownToStore {
      drop(showing: table)
      restored = table
    }
    // A table from before the process started, or of another replica, is better than nothing, whatever its language. But not after
    // versions of its own, which may show something newer.
    guard result == nil, restored == nil, !isKnownToStore, original.restored != nil else { return isOther }
    restored = original.restored
    return true
  }
}

/// Replicas that share items of the service's own may each lay out a table that shows them. At which revisions of its inputs a version
/// was made is stored with it, so that none is stored that is made of older ones.
extension TableContent {
  /// Returns the inputs that the store is to be told without a version, too; nil where it has them. Where nobody else
  /// writes the table it is enough that the records are known that it shows.
  ///
  /// - Parameter isShared: others may write the table.
  func untoldInputs(isShared: Bool) -> InputRevisions? {
    let isTold =
      isShared ? inputRevisions == storedInputRevisions : inputRevisions.haveSameRecords(as: storedInputRevisions)
    return isTold ? nil : toldInputs
  }

  /// The inputs that the store is told with a version; nil where that is made of no items of the service's own.
  var toldInputs: InputRevisions? { inputRevisions.isEmpty ? nil : inputRevisions }

  /// The same where others read it: rows that were restored are of what they were made of when they were stored.
  var sharedInputs: InputRevisions? {
    if laysOutInputs { toldInputs } else { storedInputRevisions.isEmpty ? nil : storedInputRevisions }
  }

  /// The rows are laid out from the present inputs: each upstream has answered with its items, or has failed.
  var laysOutInputs: Bool { isSettled && !(restored != nil && inputs.values.contains(where: \.isMerelyConfirmed)) }

  /// Returns the sources that have to say what they have, as the service's own items beside that are other ones by now than when the rows
  /// were stored. Once.
  mutating func sourcesToAskForAll() -> Set<String> {
    guard restored != nil, !hasAskedForAll, inputRevisions != storedInputRevisions else { return [] }
    let sources = Set(inputs.filter(\.value.isMerelyConfirmed).keys)
    hasAskedForAll = !sources.isEmpty
    return sources
  }

  /// Returns whether none of its inputs is older than those of the stored version.
  ///
  /// - Parameter log: one that need not be looked at, as the store compares it with what an edit is planned on.
  func isAheadOfStoredInputs(but log: ItemLog? = nil) -> Bool {
    !areInputsInDoubt && !inputRevisions.setBack(storedInputRevisions, but: log?.storedName)
  }

  /// The inputs that another replica's version was made of, whose configuration may call them otherwise.
  mutating func follow(_ inputs: InputRevisions) {
    storedInputRevisions = inputs
    if !inputs.isEmpty, !inputs.haveRecords(of: inputRevisions) { doubtInputs() }
  }

  /// Nothing is stored before its inputs have been looked for.
  mutating func doubtInputs() { inputDoubts += 1 }

  /// True if its inputs are to be looked for before anything is stored.
  var areInputsInDoubt: Bool { inputDoubts > settledDoubts }

  /// Returns whether the stored version is made of all committed revisions of its inputs, as far as this process knows,
  /// or of newer ones.
  ///
  /// - Parameter log: the table's own, of which there may be edits under way here.
  func storedShowsInputs(_ log: ItemLog?) -> Bool { storedInputRevisions.reach(committedInputs(log)) }

  /// The revisions of its inputs, without edits under way here.
  func committedInputs(_ log: ItemLog?) -> InputRevisions {
    var revisions = inputRevisions
    if let log { revisions[log.storedName] = log.committed.revision.number }
    return revisions
  }

  /// Returns whether a version is made of older items than those that a read barrier has passed with.
  ///
  /// - Parameter inputs: what it is made of; nil: of what the stored one is.
  mutating func isSetBack(to inputs: InputRevisions?) -> Bool {
    guard let passedInputs else { return false }
    let isReached = (inputs ?? storedInputRevisions).reach(passedInputs)
    if isReached { self.passedInputs = nil }
    return !isReached
  }
}

/// The refusal that the upstream of a member gives its readers is kept with the member.
extension TableContent {
  /// The key of the refusal among the objects of the table: no row's identity.
  private static let refusalRow = ""

  /// To be stored with a member that replicas share, which is made of no other table.
  mutating func markRefusal(_ refusal: [UInt8]?) -> ObjectChange {
    self.refusal = refusal
    return ObjectChange(row: Self.refusalRow, bytes: refusal)
  }

  /// Takes over what the store says of a member's readers, which is no row's object.
  mutating func noteRefusal() { refusal = restoredObjects.removeValue(forKey: ByteText(Self.refusalRow)) }

  mutating func noteRefusal(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.refusalRow }) else { return }
    (refusal, restoredObjects[ByteText(Self.refusalRow)]) = (last.bytes, nil)
  }
}
