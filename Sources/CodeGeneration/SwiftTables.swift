import Definitions

/// The tables of a configuration, and what their items are patched by: for `TypedTable`.
struct SwiftTables {
  let tables: [NamedTable]
  let items: [NamedItem]

  var text: String {
    guard !tables.isEmpty else { return "" }
    return """

      #if canImport(TablecastClient)
      /// The tables of the configuration: `client.table(Tables.\(SwiftGenerator.escaped(tables[0].typeName))())`.
      public enum Tables {
      \(tables.map(structure).joined(separator: "\n"))}
      \(items.map(conformance).joined())#endif

      """
  }

  private func structure(_ table: NamedTable) -> String {
    let properties = table.parameters.map { "    public var \(escaped($0.name)): \(type($0))\n" }.joined()
    let arguments = table.parameters.map { parameter in
      let initial = parameter.isOptional ? "nil" : parameter.defaultValue.map { value($0, of: parameter) }
      return "\(escaped(parameter.name)): \(type(parameter))\(initial.map { " = \($0)" } ?? "")"
    }.joined(separator: ", ")
    let assignments = table.parameters.map { "      self.\(escaped($0.name)) = \(escaped($0.name))\n" }.joined()
    return """
        /// \(table.title)
        public struct \(escaped(table.typeName)): TableSchema {
          public static let name = \(swiftLiteral(table.name))
          public typealias Item = \(table.item ?? "AnyItem")
          public typealias Header = \(frame(table.headers))
          public typealias Footer = \(frame(table.footers))
      \(properties)\(properties.isEmpty ? "" : "\n")    public init(\(arguments)) {\(assignments.isEmpty ? "}" : "\n\(assignments)    }")
      \(parameters(table.parameters))\(names("Section", table.sections))\(names("Action", table.actions))\
      \(names("Filter", table.filters))\(names("Sort", table.sorts))\(words(table))  }

      """
  }

  /// The member's parameters by their names; without those that the service has a value for.
  private func parameters(_ parameters: [NamedTable.Parameter]) -> String {
    guard !parameters.isEmpty else { return "" }
    let given = parameters.filter { !$0.isOptional }.map { parameter in
      "\(swiftLiteral(parameter.key)): \(escaped(parameter.name))\(parameter.words.isEmpty ? "" : ".rawValue")"
    }.joined(separator: ", ")
    let optional = parameters.filter(\.isOptional).map { parameter in
      let value = escaped(parameter.name) + (parameter.words.isEmpty ? "" : "?.rawValue")
      return "      parameters[\(swiftLiteral(parameter.key))] = \(value)\n"
    }.joined()
    guard !optional.isEmpty else { return "\n    public var parameters: [String: String] { [\(given)] }\n" }
    return """

          public var parameters: [String: String] {
            var parameters: [String: String] = [\(given.isEmpty ? ":" : given)]
      \(optional)      return parameters
          }

      """
  }

  /// A cell where all are of one kind, else any.
  private func frame(_ cells: [String]) -> String { cells.count == 1 ? cells[0] : "Cell" }

  private func words(_ table: NamedTable) -> String {
    table.parameters.filter { !$0.words.isEmpty }.map { names($0.typeName, $0.words) }.joined()
  }

  private func names(_ type: String, _ names: [NamedTable.Name]) -> String {
    guard !names.isEmpty else { return "\n    public typealias \(type) = AnyName\n" }
    let constants = names.map {
      "      public static let \(escaped($0.name)) = \(type)(rawValue: \(swiftLiteral($0.key)))\n"
    }
    return """

          public struct \(type): RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }

      \(constants.joined())    }

      """
  }

  private func type(_ parameter: NamedTable.Parameter) -> String {
    (parameter.words.isEmpty ? "String" : parameter.typeName) + (parameter.isOptional ? "?" : "")
  }

  private func value(_ text: String, of parameter: NamedTable.Parameter) -> String {
    parameter.words.isEmpty ? swiftLiteral(text) : "\(parameter.typeName)(rawValue: \(swiftLiteral(text)))"
  }

  // MARK: Items

  private func conformance(_ item: NamedItem) -> String {
    guard item.member == nil else { return "" }
    let cases = paths(of: item).map { property, path in
      "    case \\\(item.typeName).\(property): [\(path.map { swiftLiteral($0) }.joined(separator: ", "))]\n"
    }
    return """

      extension \(item.typeName): TableItem {
        public typealias New = \(item.typeName)

        public static func path(of member: PartialKeyPath<\(item.typeName)>) -> [String]? {
          switch member {
      \(cases.joined())    default: nil
          }
        }
      }

      """
  }

  /// Every member, those of objects within it too: as a key path names it, and on the wire.
  private func paths(of item: NamedItem) -> [(property: String, path: [String])] {
    item.fields.flatMap { field in
      let own = (property: escaped(field.name), path: [field.key])
      guard let inner = items.first(where: { $0.typeName == field.reference }) else { return [own] }
      let within = paths(of: inner).map { property, path in
        (property: "\(escaped(field.name))\(field.isOptional ? "?" : "").\(property)", path: [field.key] + path)
      }
      return [own] + within
    }
  }

  private func escaped(_ name: String) -> String { SwiftGenerator.escaped(name) }
}

extension SwiftTables {
  /// Names of the types that tables' types are made of, beside those of cells.
  static let typeNames: Set<String> = SwiftGenerator.typeNames.union([
    "AnyItem", "AnyName", "PartialKeyPath", "RawRepresentable", "TableItem", "TableSchema", "Tables", "TypedTable",
  ])
  /// Names of the types that an item has from `TableItem`.
  static let itemNames: Set<String> = ["New"]
  /// Names that a cell's type can't have beside tables. Within a table's type, the name of one of its parts means that
  /// part: a cell that the type names can't be called so.
  static func namesTaken(by tables: [TableDefinition]) -> (CellDefinition) -> Set<String> {
    guard !tables.isEmpty else { return { _ in [] } }
    let (frames, others) = (NamedTable.frameCells(of: tables), typeNames)
    let besideParts = others.union(NamedTable.partNames)
    return { cell in frames.contains(cell.identifier) ? besideParts : others }
  }
  /// Names that nothing within a table can have.
  static let memberNames: Set<String> = [
    "hash", "hashValue", "init", "name", "none", "parameters", "rawValue", "self", "some",
  ]
}
