import TableMapping

extension TableContent {
  /// Takes over all that a table in another language is made of; what is made of it stays this one's own.
  ///
  /// - Parameter own: of the original: what of its own may be shown.
  mutating func follow(_ original: TableContent, own: Own) {
    let locale = variables.locale
    (definition, mapper, variables) = (original.definition, original.mapper, original.variables)
    variables.locale = locale
    let base = base
    (inputs, local, self.own, self.base) = (original.inputs, original.local, own, base)
    if local == nil, inputs.values.allSatisfy({ $0.content == nil }) { result = nil }
    // What was shown before the process started, or what another one shows, is better than nothing, whatever its language.
    if result == nil, restored == nil { restored = original.restored }
    restoredObjects = original.restoredObjects
  }
}
