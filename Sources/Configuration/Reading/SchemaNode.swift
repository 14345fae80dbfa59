/// The form of a value: the part of a ``ValueReader`` that an editor is told about.
indirect enum SchemaNode: Sendable {
  case anything
  case null
  case boolean
  case integer(ClosedRange<Int>)
  case number
  /// `description` says what kind of text; `pattern` is a regular expression (ECMA-262).
  case text(description: String?, pattern: String?, examples: [String])
  /// Text that may look like a number or a boolean: a name, a title.
  case word(String, examples: [String])
  case enumeration([String])
  /// `isSet`: no element stands in it twice.
  case list(SchemaNode, atLeast: Int, isSet: Bool = false)
  /// Names of one's own choice, each with a value.
  case map(SchemaNode)
  case object(any ObjectKeys.Type)
  case anyOf([SchemaNode])
}
