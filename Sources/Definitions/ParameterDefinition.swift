/// A parameter of a family of tables: `tables.NAME.parameters.NAME`.
public struct ParameterDefinition: Sendable {
  public var name: String
  /// A regular expression that a value matches as a whole.
  public var pattern: String
  /// May be empty, and need not match the pattern then.
  public var defaultValue: String?

  /// Where the configuration gives no pattern.
  public static let defaultPattern = "[A-Za-z0-9._~-]{1,64}"

  public init(name: String, pattern: String = defaultPattern, defaultValue: String? = nil) {
    (self.name, self.pattern, self.defaultValue) = (name, pattern, defaultValue)
  }
}
