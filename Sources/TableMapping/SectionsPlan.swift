internal import Definitions
internal import Expressions
internal import JSON

/// A table's sections, compiled.
enum SectionsPlan: Sendable {
  case list([SectionPlan], firstMatch: Bool)
  case groups(GroupsDefinition, SectionPlan)

  /// - Parameter callersLookups: those that find other items for another caller.
  init(_ table: TableDefinition, callersLookups: Set<String>, compiler: PlanCompiler) throws(DefinitionError) {
    func plan(_ section: SectionDefinition) throws(DefinitionError) -> SectionPlan {
      try SectionPlan(section, table: table, callersLookups: callersLookups, compiler: compiler)
    }
    switch table.sections {
    case .single(let section):
      self = .list([try plan(section)], firstMatch: true)
    case .list(let definitions, let firstMatch):
      var sections: [SectionPlan] = []
      var ids: Set<String> = []
      for definition in definitions {
        guard ids.insert(definition.id).inserted else {
          throw DefinitionError(
            table: table.name,
            path: "sections",
            message: "two sections have the id “\(definition.id)”"
          )
        }
        sections.append(try plan(definition))
      }
      self = .list(sections, firstMatch: firstMatch)
    case .groups(let groups):
      var section = SectionDefinition(id: "")
      section.header = groups.header
      section.footer = groups.footer
      section.hideEmpty = groups.hideEmpty
      section.sort = groups.sort
      section.limit = groups.limit
      self = .groups(groups, try plan(section))
    }
  }

  var plans: [SectionPlan] {
    switch self {
    case .list(let sections, _): sections
    case .groups(_, let section): [section]
    }
  }

  /// Each once, in the order of the sections.
  var sourceNames: [String] {
    plans.reduce(into: []) { names, section in
      if !names.contains(section.source) { names.append(section.source) }
    }
  }

  /// The dependencies of everything that is evaluated for each item.
  var itemDependencies: Dependencies {
    var dependencies: Dependencies = []
    if case .groups(let groups, _) = self { dependencies.formUnion(groups.key.dependencies) }
    for section in plans {
      dependencies.formUnion(section.predicate?.dependencies ?? [])
      for sort in section.sort {
        dependencies.formUnion(sort.key.dependencies)
        dependencies.formUnion(sort.locale?.dependencies ?? [])
      }
    }
    return dependencies
  }

  /// The members that are read of each item, for its identity and its type, too.
  var itemSelection: MemberSelection {
    var selection = MemberSelection()
    if case .groups(let groups, _) = self { selection.formUnion(groups.key.itemSelection) }
    for section in plans {
      for template in [section.rowID, section.rowType] + section.sort.map(\.locale) {
        selection.formUnion(template?.itemSelection ?? MemberSelection())
      }
      for expression in [section.predicate] + section.sort.map(\.key) {
        selection.formUnion(expression?.itemSelection ?? MemberSelection())
      }
    }
    return selection
  }

  /// The dependencies of headers and footers.
  var modelDependencies: Dependencies {
    plans.reduce(into: []) { dependencies, section in
      dependencies.formUnion(section.header?.dependencies ?? [])
      dependencies.formUnion(section.footer?.dependencies ?? [])
    }
  }
}

/// A section, or what all groups have in common.
final class SectionPlan: Sendable {
  let id: String
  let source: String
  let rowID: Template?
  let rowType: Template?
  let predicate: Expression?
  /// The part of the condition that tells whose an item is; nil where none does.
  let callerCondition: Expression?
  let header: CellPlan?
  let footer: CellPlan?
  let hideEmpty: Bool
  let sort: [SortDefinition]
  let limit: RowLimit?
  /// True if a header or footer reads `$items`.
  let readsItems: Bool

  init(
    _ definition: SectionDefinition,
    table: TableDefinition,
    callersLookups: Set<String>,
    compiler: PlanCompiler
  ) throws(DefinitionError) {
    id = definition.id
    source = definition.source ?? table.source
    rowID = definition.rowID ?? table.rowID
    // A type that the table's items have need not be in those of another source.
    rowType = definition.rowType ?? (definition.rowID == nil ? table.rowType : nil)
    predicate = definition.predicate
    callerCondition = definition.predicate?.callerCondition(lookups: callersLookups)
    header = try compiler.optionalPlan(definition.header, path: "sections.\(id).header")
    footer = try compiler.optionalPlan(definition.footer, path: "sections.\(id).footer")
    hideEmpty = definition.hideEmpty
    sort = definition.sort
    limit = definition.limit
    readsItems = [header, footer].contains { $0?.dependencies.contains(.items) == true }
  }
}
