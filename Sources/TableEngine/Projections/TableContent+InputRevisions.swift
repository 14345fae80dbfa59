import TableMapping
import TableModel
import TableStore

extension TableContent {
  /// Takes over all that a table in another language is made of, but the items of its own source, which each follows by itself;
  /// what is made of it stays this one's own.
  ///
  /// - Parameters:
  ///   - own: of the original: what of its own may be shown.
  ///   - version: of the original, as it is shown with that.
  mutating func translate(_ original: TableContent, own: OwnState, at version: Cursor) {
    self.original = version
    let locale = variables.locale
    (definition, mapper, variables) = (original.definition, original.mapper, original.variables)
    variables.locale = locale
    var revisions = original.inputRevisions
    if let own = inputRevisions.own { revisions[own] = inputRevisions[own] }
    inputRevisions = revisions
    if let definition = original.local?.definition { local?.definition = definition }
    (inputs, otherItems, otherRevisions) = (original.inputs, original.otherItems, original.otherRevisions)
    self.own = own
    if local == nil, otherItems.isEmpty, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // A table from before the process started, or of another replica, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
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

  /// Returns whether none of its inputs is older than those of the stored version.
  ///
  /// - Parameter log: one that need not be looked at, as the store compares it with what an edit is planned on.
  func isAheadOfStoredInputs(but log: ItemLog? = nil) -> Bool {
    !inputRevisions.setBack(storedInputRevisions, but: log?.storedName)
  }

  /// Returns whether the stored version is made of all committed revisions of its inputs, as far as this process knows,
  /// or of newer ones.
  ///
  /// - Parameter log: the table's own, of which there may be edits under way here.
  func storedShowsInputs(_ log: ItemLog?) -> Bool {
    var revisions = inputRevisions
    if let log { revisions[log.storedName] = log.committed.revision.number }
    return storedInputRevisions.reach(revisions)
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
  mutating func noteRefusal() { refusal = restoredObjects.removeValue(forKey: Self.refusalRow) }

  mutating func noteRefusal(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.refusalRow }) else { return }
    (refusal, restoredObjects[Self.refusalRow]) = (last.bytes, nil)
  }
}
