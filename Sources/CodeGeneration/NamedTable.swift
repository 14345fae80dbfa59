import Definitions

/// A table with names that fit the language.
struct NamedTable {
  /// A name on the wire, and in the language.
  struct Name: Equatable {
    var key: String
    var name: String
  }

  struct Parameter {
    var key: String
    var name: String
    /// The name of a type that belongs to the parameter, where it takes only some words.
    var typeName: String
    var words: [Name]
    var defaultValue: String?
    /// Without a value the service has a default that is made of the caller.
    var isOptional: Bool
  }

  var name: String
  var typeName: String
  var parameters: [Parameter]
  /// The sections that the configuration names; none where any may come.
  var sections: [Name]
  /// Groups may have sections that the configuration doesn't name.
  var hasOtherSections: Bool
  var actions: [Name]
  var filters: [Name]
  var sorts: [Name]
  /// The type of its items, as edits write them.
  var item: String?
  /// Cells of headers and footers, each once.
  var headers: [String]
  var footers: [String]

  /// - Parameters:
  ///   - items: the types of local sources' items, by source.
  ///   - cells: the types of cells, by identifier.
  ///   - typeNames: that tables can't have.
  ///   - memberNames: that nothing within a table can have.
  static func all(
    _ tables: [TableDefinition],
    items: [NamedItem],
    cells: [NamedCell],
    typeNames: Set<String>,
    memberNames: Set<String>
  ) -> [NamedTable] {
    let itemTypes = Dictionary(items.filter { $0.member == nil }.map { ($0.source, $0.typeName) }) { first, _ in first }
    let cellTypes = Dictionary(cells.map { ($0.identifier, $0.typeName) }) { first, _ in first }
    var types = Names(taken: typeNames)
    return tables.map { table in
      var members = Names(taken: memberNames)
      var parameterTypes = Names(taken: typeNames.union(Self.partNames))
      let (headers, footers) = table.frames
      return NamedTable(
        name: table.name,
        typeName: types.unique(Names.upperCamel(table.name)),
        parameters: table.parameters.map { parameter in
          Parameter(
            key: parameter.name,
            name: members.unique(Names.lowerCamel(parameter.name)),
            typeName: parameterTypes.unique(Names.upperCamel(parameter.name)),
            words: names(parameter.words, memberNames),
            defaultValue: parameter.defaultValue,
            isOptional: parameter.defaultTemplate != nil
          )
        },
        sections: names(table.sectionNames, memberNames),
        hasOtherSections: table.isGrouped,
        actions: names(table.actions.map(\.id), memberNames),
        filters: names(table.find?.filters.map(\.id) ?? [], memberNames),
        sorts: names(table.find?.sorts.map(\.id) ?? [], memberNames),
        item: itemTypes[table.source],
        headers: unique(headers.compactMap { cellTypes[$0] }),
        footers: unique(footers.compactMap { cellTypes[$0] })
      )
    }
  }

  /// Names in a table's type beside its parameters' types.
  static let partNames: Set<String> = ["Action", "Filter", "Footer", "Header", "Item", "Section", "Sort"]

  /// The cells that a table's type names: where all its headers, or all its footers, are of one kind.
  static func frameCells(of tables: [TableDefinition]) -> Set<String> {
    let frames = tables.flatMap { [unique($0.frames.headers), unique($0.frames.footers)] }
    return Set(frames.filter { $0.count == 1 }.joined())
  }

  private static func names(_ keys: [String], _ taken: Set<String>) -> [Name] {
    var names = Names(taken: taken)
    return unique(keys).map { Name(key: $0, name: names.unique(Names.lowerCamel($0))) }
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  /// For a comment.
  var title: String { "The table `\(commentText(name))`." }
}

extension TableDefinition {
  /// Sections that are known by name: groups may have others.
  fileprivate var sectionNames: [String] {
    switch sections {
    case .single(let section): [section.id]
    case .list(let sections, _): sections.map(\.id)
    case .groups(let groups): groups.order
    }
  }

  fileprivate var isGrouped: Bool { if case .groups = sections { true } else { false } }

  fileprivate var frames: (headers: [String], footers: [String]) {
    switch sections {
    case .single(let section): ([section.header?.cell].compactMap(\.self), [section.footer?.cell].compactMap(\.self))
    case .list(let sections, _): (sections.compactMap { $0.header?.cell }, sections.compactMap { $0.footer?.cell })
    case .groups(let groups): ([groups.header?.cell].compactMap(\.self), [groups.footer?.cell].compactMap(\.self))
    }
  }
}

extension ParameterDefinition {
  /// The words that it takes, where its pattern is a list of plain ones: `ascending|descending`.
  fileprivate var words: [String] {
    let words = pattern.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let isPlain = words.allSatisfy { word in
      !word.isEmpty
        && word.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }
    return words.count > 1 && isPlain ? words : []
  }
}
