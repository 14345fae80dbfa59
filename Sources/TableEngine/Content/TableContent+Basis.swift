import TableMapping
import TableStore

extension TableContent {
  /// Takes over all that a table in another language is made of; what is made of it stays this one's own.
  ///
  /// - Parameter own: of the original: what of its own may be shown.
  mutating func follow(_ original: TableContent, own: OwnState) {
    let locale = variables.locale
    (definition, mapper, variables) = (original.definition, original.mapper, original.variables)
    variables.locale = locale
    let base = base
    translates = own.base?.number
    (inputs, local, self.own, self.base) = (original.inputs, original.local, own, base)
    if local == nil, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // What was shown before the process started, or what another one shows, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
  }
}

/// Where replicas share items of the service's own, each translates what it edits, and so may do another one's: which of
/// the original's revisions a translation shows stands beside it, so that nobody goes back behind it.
extension TableContent {
  /// What it is kept under, among the objects of the translation, which has none.
  private static let row = ""

  /// To be stored with a version of the translation.
  mutating func markTranslated() -> [ObjectChange] {
    guard let translates else { return [] }
    translated = translates
    return [ObjectChange(row: Self.row, bytes: Array("\(translates)".utf8))]
  }

  /// Whether what it is made of is not older than what was translated last.
  var isAheadOfTranslated: Bool { (translates ?? 0) >= (translated ?? 0) }

  /// Takes over what the store says was translated last.
  mutating func noteTranslated(_ objects: [ObjectChange]) {
    guard let last = objects.last(where: { $0.row == Self.row })?.bytes else { return }
    translated = UInt64(String(decoding: last, as: UTF8.self))
  }

  mutating func noteTranslated(_ stored: StoredTable) {
    noteTranslated(stored.objects[Self.row].map { [ObjectChange(row: Self.row, bytes: $0)] } ?? [])
  }
}
