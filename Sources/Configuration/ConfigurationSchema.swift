public import JSON

/// The JSON Schema (2020-12) of a configuration file, for editors: made from the keys that the decoder reads by.
public struct ConfigurationSchema {
  /// The schema. Deterministic.
  public static var json: JSONValue {
    var writer = SchemaWriter()
    let root = writer.reference(to: ServiceKeys.self)
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Tablecast configuration",
      "$ref": root,
      "$defs": .object(
        writer.definitions.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
      ),
    ]
  }
}

private struct SchemaWriter {
  /// By name.
  var definitions: [String: JSONValue] = [:]

  mutating func reference(to keys: any ObjectKeys.Type) -> JSONValue {
    if definitions[keys.name] == nil {
      definitions[keys.name] = .null
      var properties: [JSONValue.Member] = []
      for key in keys.keys {
        var schema = schema(of: key.schema)
        schema["description"] = .string(key.documentation)
        properties.append(.init(name: key.name, value: schema))
      }
      var definition: JSONValue = [
        "type": "object", "properties": .object(properties), "additionalProperties": false,
      ]
      let required = keys.keys.filter(\.isRequired).map { JSONValue.string($0.name) }
      if !required.isEmpty { definition["required"] = .array(required) }
      definitions[keys.name] = definition
    }
    return .string("#/$defs/\(keys.name)")
  }

  mutating func schema(of node: SchemaNode) -> JSONValue {
    switch node {
    case .anything: [:]
    case .null: ["type": "null"]
    case .boolean: ["type": "boolean"]
    case .integer(let range): integer(range)
    case .number: ["type": "number"]
    case .text(let noun, let pattern, let examples): text(noun, pattern, examples)
    case .word(let noun, let examples): word(noun, examples)
    case .enumeration(let words): ["enum": .array(words.map(JSONValue.string))]
    case .list(let element, let minimum, let isSet): list(of: element, minimum, isSet: isSet)
    case .map(let element): ["type": "object", "additionalProperties": schema(of: element)]
    case .object(let keys): ["$ref": reference(to: keys)]
    case .anyOf(let nodes): ["anyOf": .array(nodes.map { schema(of: $0) })]
    }
  }

  private func integer(_ range: ClosedRange<Int>) -> JSONValue {
    ["type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound))]
  }

  private func text(_ noun: String?, _ pattern: String?, _ examples: [String]) -> JSONValue {
    var schema: JSONValue = ["type": "string"]
    if let noun { schema["title"] = .string(noun) }
    if let pattern { schema["pattern"] = .string(pattern) }
    if !examples.isEmpty { schema["examples"] = .array(examples.map(JSONValue.string)) }
    return schema
  }

  /// YAML's `3` and `true` are text where text is meant.
  private func word(_ noun: String, _ examples: [String]) -> JSONValue {
    [
      "type": ["string", "number", "boolean"], "title": .string(noun),
      "examples": .array(examples.map(JSONValue.string)),
    ]
  }

  private mutating func list(of element: SchemaNode, _ minimum: Int, isSet: Bool) -> JSONValue {
    var list: JSONValue = ["type": "array", "items": schema(of: element)]
    if minimum > 0 { list["minItems"] = .integer(Int64(minimum)) }
    if isSet { list["uniqueItems"] = true }
    return list
  }
}
