internal import Definitions
internal import Expressions

/// A lookup of the table, compiled: where the items are, and what tells which belongs to a row.
struct LookupPlan: Sendable {
  let name: String
  let source: MappingPlan.SourcePlan
  let key: Expression
  let on: Expression

  init(_ definition: LookupDefinition, source: MappingPlan.SourcePlan) {
    (name, key, on) = (definition.name, definition.key, definition.on)
    self.source = source
  }
}

/// The key that an item is looked up by: a number is its decimal text, as in identities. Null, lists and objects are no
/// keys.
struct LookupKey: Hashable, Sendable {
  private let text: ExactText

  init?(_ value: Value) {
    guard let text = value.text else { return nil }
    self.text = ExactText(text)
  }
}
