import Definitions

extension ValueReader where Value == SectionsDefinition {
  private static let list = ValueReader<[SectionDefinition]>.list(
    of: .object(SectionKeys.self),
    noun: "the list of sections",
    atLeast: 1
  )

  /// A list, a list with `match`, or groups.
  static let sections = ValueReader(
    .anyOf([list.schema, .object(GroupKeys.self), .object(SectionListKeys.self)])
  ) { node, reading in
    let names = Set(node.entries?.map(\.key.value) ?? [])
    let sections: SectionsDefinition?
    if names.contains(GroupKeys.groupBy.name) || node.elements == nil && names.isDisjoint(with: ["list", "match"]) {
      sections = ValueReader<GroupsDefinition>.object(GroupKeys.self).read(node, reading).map(SectionsDefinition.groups)
    } else if node.elements == nil {
      sections = ValueReader.object(SectionListKeys.self).read(node, reading)
    } else {
      sections = list.read(node, reading).map { .list($0, firstMatch: true) }
    }
    reportRepeatedIdentities(in: node, reading)
    return sections
  }

  private static func reportRepeatedIdentities(in node: YAMLNode, _ reading: Reading) {
    let elements = node.elements ?? node.entries?.first { $0.key.value == "list" }?.value.elements ?? []
    var first: [String: TextPosition] = [:]
    for entry in elements.compactMap({ $0.entries?.first { $0.key.value == SectionKeys.id.name } }) {
      guard let text = entry.value.scalar?.text else { continue }
      if let earlier = first[text] {
        reading.error(
          at: entry.value.place,
          "two sections have the id \(excerpt(text)); the first is in line \(earlier.line)",
          "give this one another"
        )
      } else {
        first[text] = entry.value.place
      }
    }
  }
}

extension SectionsDefinition {
  /// The sources that sections name for themselves.
  var sources: [String] { sections.compactMap(\.source) }

  /// The sources whose rows have the table's own identity.
  func sourcesOfTableRows(in table: TableDefinition) -> [String] {
    if case .groups = self { return [table.source] }
    return sections.filter { $0.rowID == nil }.map { $0.source ?? table.source }
  }

  var sections: [SectionDefinition] {
    switch self {
    case .single(let section): [section]
    case .list(let sections, firstMatch: _): sections
    case .groups: []
    }
  }
}

extension TableDefinition {
  /// Its own, those of its sections and those of its lookups.
  var sources: [String] { [source] + sections.sources + lookups.map(\.source) }

  /// True if items have types.
  var hasTypes: Bool { rowType != nil || sections.sections.contains { $0.rowType != nil } }
}
