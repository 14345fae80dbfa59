import JSON

/// As much of JSON Schema 2020-12 as our own schema uses; an unknown keyword is a problem.
struct SchemaValidator {
  let root: JSONValue

  init(_ root: JSONValue) { self.root = root }

  func problems(of value: JSONValue) -> [String] { problems(of: value, root, "") }

  private func problems(of value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
    guard case .object(let keywords) = schema else { return ["\(path): a schema is an object"] }
    return keywords.flatMap { problems(of: value, $0.name, $0.value, schema, path) }
  }

  private func problems(
    of value: JSONValue,
    _ keyword: String,
    _ operand: JSONValue,
    _ schema: JSONValue,
    _ path: String
  ) -> [String] {
    switch (keyword, operand, value) {
    case ("$schema", _, _), ("$defs", _, _), ("title", _, _), ("description", _, _), ("examples", _, _): return []
    case ("$ref", .string(let reference), _):
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let target = root["$defs"]?[name] else { return ["\(path): no definition \(name)"] }
      return problems(of: value, target, path)
    case ("type", .string(let type), _): return value.isOf(type) ? [] : ["\(path): no \(type)"]
    case ("type", .array(let types), _):
      return types.contains { if case .string(let type) = $0 { value.isOf(type) } else { false } }
        ? [] : ["\(path): none of \(types)"]
    case ("enum", .array(let values), _): return values.contains(value) ? [] : ["\(path): none of the words"]
    case ("minimum", .integer(let bound), .integer(let number)): return number >= bound ? [] : ["\(path): too small"]
    case ("maximum", .integer(let bound), .integer(let number)): return number <= bound ? [] : ["\(path): too large"]
    case ("pattern", .string(let pattern), .string(let text)):
      guard let expression = try? Regex(pattern) else { return ["\(path): bad pattern"] }
      return text.contains(expression) ? [] : ["\(path): does not match \(pattern)"]
    case ("minItems", .integer(let count), .array(let elements)):
      return elements.count >= count ? [] : ["\(path): short"]
    case ("uniqueItems", .bool(true), .array(let elements)):
      let isSet = elements.indices.allSatisfy { !elements[..<$0].contains(elements[$0]) }
      return isSet ? [] : ["\(path): one stands twice"]
    case ("items", _, .array(let elements)): return elements.flatMap { problems(of: $0, operand, path + "[]") }
    case ("anyOf", .array(let schemas), _):
      return schemas.contains { problems(of: value, $0, path).isEmpty } ? [] : ["\(path): none of anyOf"]
    case ("required", .array(let names), .object):
      return names.compactMap { name in
        guard case .string(let name) = name, value[name] == nil else { return nil }
        return "\(path): \(name) is missing"
      }
    case ("properties", .object(let properties), .object):
      return properties.flatMap { property in
        value[property.name].map { problems(of: $0, property.value, path + "." + property.name) } ?? []
      }
    case ("additionalProperties", .bool(false), .object(let members)):
      return members.filter { schema["properties"]?[$0.name] == nil }.map { "\(path): unknown \($0.name)" }
    case ("additionalProperties", .object, .object(let members)):
      return members.flatMap { problems(of: $0.value, operand, path + "." + $0.name) }
    case ("minimum", _, _), ("maximum", _, _), ("pattern", _, _), ("minItems", _, _), ("uniqueItems", _, _),
      ("items", _, _),
      ("required", _, _), ("properties", _, _), ("additionalProperties", _, _):
      return []
    default: return ["\(path): unknown keyword \(keyword)"]
    }
  }
}

extension JSONValue {
  fileprivate func isOf(_ type: String) -> Bool {
    switch self {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .integer, .unsigned: type == "integer" || type == "number"
    case .double: type == "number"
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
