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
    let items = local.map { ItemRecord.of($0.source) }
    let revision = items.flatMap { inputRevisions[$0] }
    inputRevisions = original.inputRevisions
    if let items { inputRevisions[items] = revision }
    if let definition = original.local?.definition { local?.definition = definition }
    (inputs, borrowed, borrowedRevisions) = (original.inputs, original.borrowed, original.borrowedRevisions)
    self.own = own
    if local == nil, borrowed.isEmpty, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // What was shown before the process started, or what another one shows, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
  }
}

/// Replicas that share items of the service's own may each lay out a table that shows them. At which revisions of its inputs a
/// version was made is stored with it, the table's own source first, so that no replica stores one that is made of older ones.
extension TableContent {
  /// What it is kept under, among the objects of the table: no row's identity.
  private static let row = "\u{1}"

  /// To be stored with a version that was made here; empty where the store has that. Where nobody else writes it is enough that
  /// the records are known that the table shows.
  ///
  /// - Parameter isShared: others may write the table.
  func markedInputs(isShared: Bool) -> [ObjectChange] {
    guard !inputRevisions.isEmpty, inputRevisions != storedInputRevisions,
      isShared || Set(inputRevisions.keys) != Set(storedInputRevisions.keys)
    else { return [] }
    let own = local.map { ItemRecord.of($0.source) }
    let lines =
      [own.flatMap { own in inputRevisions[own].map { "\($0) \(own)" } } ?? "-"]
      + inputRevisions.filter { $0.key != own }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return [ObjectChange(row: Self.row, bytes: Array(lines.joined(separator: "\n").utf8))]
  }

  /// The source whose items a stored table has shown as its own; nil where it had none, or that isn't known.
  static func shownSource(of stored: StoredTable) -> String? {
    guard let line = stored.objects[row]?.split(separator: UInt8(ascii: "\n")).first,
      let words = Optional(line.split(separator: UInt8(ascii: " "), maxSplits: 1)), words.count == 2
    else { return nil }
    return ItemRecord.source(of: String(decoding: words[1], as: UTF8.self))
  }

  /// Whether none of what it is made of is older than what the stored version is made of.
  ///
  /// - Parameter log: one that need not be looked at, as the store compares it with what an edit is planned on.
  func isAheadOfStoredInputs(but log: ItemLog? = nil) -> Bool {
    inputRevisions.allSatisfy { name, revision in
      revision >= storedInputRevisions[name] ?? 0 || name == log?.storedName
    }
  }

  /// Whether the stored version is made of all that is committed of its inputs, as far as this process knows, or of something newer.
  ///
  /// - Parameter log: the table's own, of which there may be edits under way here.
  func storedShowsInputs(_ log: ItemLog?) -> Bool {
    var revisions = inputRevisions
    if let log { revisions[log.storedName] = log.committed.revision.number }
    return revisions.allSatisfy { name, revision in storedInputRevisions[name].map { $0 >= revision } ?? false }
  }

  /// Takes over what the store says the last version is made of.
  mutating func noteInputs(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.row }) else { return }
    restoredObjects[Self.row] = nil
    storedInputRevisions = last.bytes.map(Self.revisions) ?? [:]
  }

  mutating func noteInputs(_ stored: StoredTable) {
    storedInputRevisions = [:]
    noteInputs(stored.objects[Self.row].map { [ObjectChange(row: Self.row, bytes: $0)] } ?? [])
  }

  private static func revisions(_ bytes: [UInt8]) -> [String: UInt64] {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let pairs = lines.compactMap { line -> (String, UInt64)? in
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let revision = UInt64(words[0]) else { return nil }
      return (String(words[1]), revision)
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

/// What the upstream of a member says of those who read it is kept with the member.
extension TableContent {
  /// What it is kept under, among the objects of the table: no row's identity.
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
