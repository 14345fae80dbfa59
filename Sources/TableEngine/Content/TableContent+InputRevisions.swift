import TableMapping
import TableStore

extension TableContent {
  /// Takes over the items that another table keeps.
  ///
  /// - Parameters:
  ///   - revision: of that table.
  ///   - keeper: its stored name.
  mutating func follow(_ items: LocalItems, at revision: Revision?, of keeper: String) {
    local?.items = items
    inputRevisions[keeper] = revision?.number
  }

  /// Takes over all that a table in another language is made of; what is made of it stays this one's own.
  ///
  /// - Parameters:
  ///   - own: of the original: what of its own may be shown.
  ///   - name: the original's stored name.
  mutating func follow(_ original: TableContent, own: OwnState, named name: String) {
    let locale = variables.locale
    (definition, mapper, variables) = (original.definition, original.mapper, original.variables)
    variables.locale = locale
    let base = base
    // A guest has its keeper's items, whatever the revision of its own versions is.
    inputRevisions = original.inputRevisions
    if original.local != nil, !original.isGuest { inputRevisions[name] = own.base?.number }
    (inputs, local, borrowed, self.own, self.base) = (original.inputs, original.local, original.borrowed, own, base)
    if local == nil, borrowed.isEmpty, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // What was shown before the process started, or what another one shows, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
  }
}

/// Replicas that share items of the service's own may each lay out a table that shows them. At which revisions of its inputs a
/// version was made is stored with it, so that no replica stores one that is made of older ones.
extension TableContent {
  /// What it is kept under, among the objects of the table: no row's identity.
  private static let row = "\u{1}"

  /// To be stored with a version that was made here; empty where the store has that.
  mutating func markInputs() -> [ObjectChange] {
    guard !inputRevisions.isEmpty, inputRevisions != storedInputRevisions else { return [] }
    storedInputRevisions = inputRevisions
    let lines = inputRevisions.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return [ObjectChange(row: Self.row, bytes: Array(lines.joined(separator: "\n").utf8))]
  }

  /// Whether none of what it is made of is older than what the stored version is made of.
  var isAheadOfStoredInputs: Bool {
    inputRevisions.allSatisfy { name, revision in revision >= storedInputRevisions[name] ?? 0 }
  }

  /// Whether the stored version is made of all that this process has of its inputs, or of something newer.
  var storedShowsInputs: Bool {
    inputRevisions.allSatisfy { name, revision in storedInputRevisions[name].map { $0 >= revision } ?? false }
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
