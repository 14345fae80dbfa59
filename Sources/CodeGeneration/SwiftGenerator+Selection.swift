/// `select` of rows: an enum over its kinds, a struct each.
struct SwiftSelection {
  private struct Kind {
    var text: String
    var caseName: String
    var typeName: String
    var members: [SelectionShape.Member]
  }

  private let discriminator: String
  private let kinds: [Kind]

  init(_ selections: Selections) {
    discriminator = selections.discriminator
    var cases = Names(taken: ["unknown", "self", "init", "none", "some"])
    var types = Names(taken: SwiftGenerator.typeNames)
    kinds = selections.kinds.map { kind in
      Kind(
        text: kind.text,
        caseName: cases.unique(Names.lowerCamel(kind.text)),
        typeName: types.unique(Names.upperCamel(kind.text)),
        members: kind.members
      )
    }
  }

  /// True if something in it may be any JSON.
  var usesJSON: Bool { kinds.contains { $0.members.contains { Self.isAny($0.shape) } } }

  private static func isAny(_ shape: SelectionShape) -> Bool {
    switch shape {
    case .any: true
    case .object(let members): members.contains { isAny($0.shape) }
    case .text, .boolean, .number: false
    }
  }

  var text: String {
    let name = SwiftGenerator.escaped
    let cases = kinds.map { "  case \(name($0.caseName))(\($0.typeName))\n" }.joined()
    let decoding = kinds.map { kind in
      "    case \(swiftLiteral(kind.text)): self = .\(name(kind.caseName))(try \(kind.typeName)(from: decoder))\n"
    }.joined()
    let encoding = kinds.map { kind in
      """
          case .\(name(kind.caseName))(let selection):
            try container.encode(\(swiftLiteral(kind.text)), forKey: .kind)
            try selection.encode(to: encoder)

      """
    }.joined()
    return """

      /// Where a tap on a row leads: its `select`, by its `\(commentText(discriminator))`.
      public enum Selection: Codable, Hashable, Sendable {
      \(cases)  /// One that this code does not know.
        case unknown(String)

        private enum CodingKeys: String, CodingKey {
          case kind = \(swiftLiteral(discriminator))
        }

        public init(from decoder: any Decoder) throws {
          let kind = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .kind)
          switch kind {
      \(decoding)    default: self = .unknown(kind)
          }
        }

        public func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: CodingKeys.self)
          switch self {
      \(encoding)    case .unknown(let kind): try container.encode(kind, forKey: .kind)
          }
        }
      \(kinds.map { structure($0.typeName, $0.members, indent: "  ") }.joined())}

      #if canImport(TablecastClient)
      extension TableRow {
        /// Where a tap leads; nil where the row has no `select`, or one of another shape.
        public var selection: Selection? { select(as: Selection.self) }
      }
      #endif

      """
  }

  private func structure(_ typeName: String, _ members: [SelectionShape.Member], indent: String) -> String {
    var fields = Names(taken: SwiftGenerator.fieldNames)
    var types = Names(taken: SwiftGenerator.typeNames.union([typeName]))
    var properties = ""
    var keys = ""
    var inner = ""
    for member in members {
      let name = SwiftGenerator.escaped(fields.unique(Names.lowerCamel(member.name)))
      let type: String
      switch member.shape {
      case .text: type = "String"
      case .boolean: type = "Bool"
      case .number: type = "Double"
      case .any: type = "JSONValue"
      case .object(let members):
        type = types.unique(Names.upperCamel(member.name))
        inner += structure(type, members, indent: indent + "  ")
      }
      properties += "\(indent)  public var \(name): \(type)\(member.isOptional ? "?" : "")\n"
      keys += "\(indent)    case \(name) = \(swiftLiteral(member.name))\n"
    }
    let codingKeys =
      keys.isEmpty ? "" : "\n\(indent)  private enum CodingKeys: String, CodingKey {\n\(keys)\(indent)  }\n"
    return
      "\n\(indent)public struct \(typeName): Codable, Hashable, Sendable {\n\(properties)\(codingKeys)\(inner)\(indent)}\n"
  }
}
