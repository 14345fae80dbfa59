import Definitions
import JSON

/// The member, and its value, by which an item is one of a section.
struct Membership {
  var path: [String]
  var value: JSONValue

  /// A merge patch that sets it: `{"a":{"b":value}}`.
  var patch: JSONValue { path.reversed().reduce(value) { .object([JSONValue.Member(name: $1, value: $0)]) } }
}

extension JSONValue {
  /// The same with one member set; null is a value like others, so that no default takes its place.
  func setting(_ path: some Collection<String>, to value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    var result = self
    if case .object = result {} else { result = .object([]) }
    result[name] = (result[name] ?? .null).setting(path.dropFirst(), to: value)
    return result
  }

  /// Both are numbers, or both booleans.
  func isScalar(like other: JSONValue) -> Bool {
    switch (self, other) {
    case (.bool, .bool): true
    case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double): true
    default: false
    }
  }
}

extension LocalDefinition {
  /// Returns whether an item's member is to be a number, or a boolean, as a value is; nil where neither its type nor the default item tells.
  func hasScalar(like value: JSONValue, at path: [String]) -> Bool? {
    switch fields?.fields.first(where: { ItemFields.path(of: $0.name) == path })?.type {
    case .integer, .number: return value.isScalar(like: 0)
    case .boolean: return value.isScalar(like: true)
    case .string, .url, .date, .oneOf, .object, .list: return false
    case .any, nil: break
    }
    let usual = path.reduce(JSONValue?.some(defaultItem)) { $0?[$1] }
    return usual.flatMap { $0.isScalar(like: $0) ? value.isScalar(like: $0) : nil }
  }
}
