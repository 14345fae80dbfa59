/// Why a table's definition can't be mapped with: names that nothing declares, representations that use each other
/// in a circle.
public struct DefinitionError: Error, Equatable, Sendable, CustomStringConvertible {
  public var table: String
  /// The place in the definition, as a reader of the configuration knows it: `representations.pull`.
  public var path: String
  /// For people: what is wrong, and what would be right.
  public var message: String

  public init(table: String, path: String, message: String) {
    (self.table, self.path, self.message) = (table, path, message)
  }

  public var description: String { "table “\(table)”, \(path): \(message)" }
}
