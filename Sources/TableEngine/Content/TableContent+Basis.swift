import TableMapping
import TableStore

extension TableContent {
  /// Takes over the items that another table keeps.
  ///
  /// - Parameter revision: of that table.
  mutating func follow(_ items: LocalItems, at revision: Revision?) {
    local?.items = items
    basis = revision?.number
  }

  /// Takes over all that a table in another language is made of; what is made of it stays this one's own.
  ///
  /// - Parameter own: of the original: what of its own may be shown.
  mutating func follow(_ original: TableContent, own: OwnState) {
    let locale = variables.locale
    (definition, mapper, variables) = (original.definition, original.mapper, original.variables)
    variables.locale = locale
    let base = base
    basis = own.base?.number
    (inputs, local, borrowed, self.own, self.base) = (original.inputs, original.local, original.borrowed, own, base)
    if local == nil, borrowed.isEmpty, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // What was shown before the process started, or what another one shows, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
  }
}

/// Where replicas share items of the service's own, each lays out what it edits in all tables that show it, and so may do
/// another one: which revision of the items' table another one shows stands beside that, so that nobody goes back behind it.
extension TableContent {
  /// What it is kept under, among the objects of the table, which has none.
  private static let row = ""

  /// To be stored with a version that was made here.
  mutating func markBasis() -> [ObjectChange] {
    guard let basis else { return [] }
    storedBasis = basis
    return [ObjectChange(row: Self.row, bytes: Array("\(basis)".utf8))]
  }

  /// Whether what it is made of is not older than what was stored last.
  var isAheadOfStoredBasis: Bool { (basis ?? 0) >= (storedBasis ?? 0) }

  /// Takes over what the store says was laid out last.
  mutating func noteBasis(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.row })?.bytes else { return }
    storedBasis = UInt64(String(decoding: last, as: UTF8.self))
  }

  /// To be stored with a member that replicas share, which is made of no other table.
  mutating func markRefusal(_ refusal: [UInt8]?) -> ObjectChange {
    self.refusal = refusal
    return ObjectChange(row: Self.row, bytes: refusal)
  }

  /// Takes over what the store says of a member's readers, which is no row's object.
  mutating func noteRefusal() { refusal = restoredObjects.removeValue(forKey: Self.row) }

  mutating func noteRefusal(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.row }) else { return }
    (refusal, restoredObjects[Self.row]) = (last.bytes, nil)
  }

  mutating func noteBasis(_ stored: StoredTable) {
    noteBasis(stored.objects[Self.row].map { [ObjectChange(row: Self.row, bytes: $0)] } ?? [])
  }
}
