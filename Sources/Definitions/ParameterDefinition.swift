public import Expressions
internal import FieldValues
internal import Patterns

/// A parameter of a family of tables: `tables.NAME.parameters.NAME`.
public struct ParameterDefinition: Sendable {
  public var name: String
  /// A regular expression that a value matches as a whole, as it was written.
  public let pattern: String
  /// May be empty, and need not match the pattern then.
  public var defaultValue: String?
  /// In its place, where the default is made of who asks.
  public var defaultTemplate: Template?
  /// Nil where the text is no pattern: then nothing matches it.
  private let compiled: Pattern?

  /// The pattern of a parameter for which the configuration gives none.
  public static let defaultPattern = "[A-Za-z0-9._~-]{1,64}"

  public init(name: String, pattern: String = defaultPattern, defaultValue: String? = nil) {
    (self.name, self.pattern, self.defaultValue) = (name, pattern, defaultValue)
    compiled = try? Pattern(pattern)
  }

  /// Returns whether the parameter may have a value: its default, or a value that matches its pattern. Complexity:
  /// O(length), whatever the pattern.
  public func admits(_ value: String) -> Bool {
    defaultValue?.utf8.elementsEqual(value.utf8) == true || compiled?.matches(value) == true
  }
}

extension TableDefinition {
  /// The value of every parameter, where a member of the family is asked for with some: those that are left out have
  /// their defaults.
  ///
  /// - Throws: where a name is unknown, a value does not match its pattern, or one without a default is missing.
  public func parameterValues(for given: [String: String]) throws(ParameterError) -> [String: String] {
    for name in given.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
      let names = parameters.map(\.name)
      let nearest = Nearest.name(to: name, among: names).map { ": did you mean “\($0)”?" }
      let known = names.isEmpty ? " has no parameters" : " has the parameters \(names.joined(separator: ", "))"
      throw ParameterError(
        name: name,
        message: "there is no parameter “\(name)”" + (nearest ?? ": the table “\(self.name)”" + known)
      )
    }
    var values: [String: String] = [:]
    for parameter in parameters {
      guard let value = given[parameter.name] ?? parameter.defaultValue else {
        let reason = parameter.defaultTemplate == nil ? "it has no default" : "its default is made of the caller"
        throw ParameterError(
          name: parameter.name,
          message: "the parameter “\(parameter.name)” is missing: \(reason)"
        )
      }
      guard parameter.admits(value) else {
        throw ParameterError(
          name: parameter.name,
          message: "the parameter “\(parameter.name)” does not match `\(parameter.pattern)`"
        )
      }
      values[parameter.name] = value
    }
    return values
  }
}

/// A parameter that a family of tables does not have, or does not take.
public struct ParameterError: Error, Equatable, Sendable, CustomStringConvertible {
  public var name: String
  /// The error, and what would be right.
  public var message: String

  public var description: String { message }
}
