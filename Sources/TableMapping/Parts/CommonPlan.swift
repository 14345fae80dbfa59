internal import Definitions
internal import Expressions

/// How the members of a family are mapped in common: each shows the part of one list's rows that its sections take, and
/// only what takes them (`where`) differs from member to member. The rows are made once.
struct CommonPlan: Sendable {
  /// Makes the row of each item, whichever section takes it.
  let plan: MappingPlan
  /// By which items are found; nil: each item is asked.
  let equality: Equality?

  /// An equality that every section asks for: `team == $params.team`.
  struct Equality: Sendable {
    let ofItem: Expression
    let ofMember: Expression
  }

  /// The roots that may differ from member to member.
  private static let variables: Dependencies = [.parameters, .caller]

  /// Nil where members have more of their own than what their sections take: rows, edits, more than one source.
  init?(
    _ own: MappingPlan,
    cells: [CellDefinition],
    representations: [String: RepresentationDefinition],
    sources: [SourceDefinition]
  )
    throws(DefinitionError)
  {
    let table = own.definition
    guard table.isFamily, own.isOfOneList, !(own.sources[0].isLocal && table.isEditedByCallers), own.lookups.isEmpty,
      own.actions.isEmpty, !table.edits.isThere, !own.sectionPlans.contains(where: \.readsItems),
      let given = Self.sections(of: table), let first = given.first
    else { return nil }
    // The items are found once for all members.
    guard own.sources[0].items?.dependencies.isDisjoint(with: Self.variables) ?? true else { return nil }
    let predicates = given.compactMap(\.predicate)
    guard predicates.contains(where: { !$0.dependencies.isDisjoint(with: Self.variables) }),
      predicates.allSatisfy({ $0.dependencies.isSubset(of: [.item, .environment, .locale, .parameters, .caller]) }),
      given.allSatisfy({ $0.isSorted(as: first) })
    else { return nil }
    var common = table
    var section = SectionDefinition(id: first.id)
    (section.rowID, section.rowType, section.sort) = (first.rowID, first.rowType, first.sort.map(\.withoutOrder))
    (common.sections, common.titleTemplate) = (.single(section), nil)
    plan = try MappingPlan(
      table: common,
      cells: cells,
      representations: representations,
      sources: sources,
      workPerItem: own.workPerItem,
      // Headers that read items are the members'.
      find: own.find
    )
    guard plan.dependencies.isDisjoint(with: Self.variables) else { return nil }
    equality = Self.equality(of: predicates, among: given.count)
  }

  /// Returns the sections of a table of one source whose items go to one section each.
  private static func sections(of table: TableDefinition) -> [SectionDefinition]? {
    switch table.sections {
    case .single(let section): [section]
    case .list(let sections, let firstMatch):
      firstMatch || sections.count == 1
        ? sections.allSatisfy { $0.rowID == nil && $0.rowType == nil } ? sections : nil : nil
    case .groups: nil
    }
  }

  private static func equality(of predicates: [Expression], among sections: Int) -> Equality? {
    guard predicates.count == sections, let first = predicates.first else { return nil }
    return first.leadingEqualities.lazy.compactMap { Equality($0.left, $0.right) ?? Equality($0.right, $0.left) }
      .first { equality in
        predicates.allSatisfy { predicate in
          predicate.leadingEqualities.contains {
            ($0.left, $0.right) == (equality.ofItem, equality.ofMember)
              || ($0.right, $0.left) == (equality.ofItem, equality.ofMember)
          }
        }
      }
  }
}

extension CommonPlan.Equality {
  fileprivate init?(_ ofItem: Expression, _ ofMember: Expression) {
    guard ofItem.dependencies.isSubset(of: [.item]), ofMember.dependencies.isDisjoint(with: [.item]) else { return nil }
    (self.ofItem, self.ofMember) = (ofItem, ofMember)
  }
}

extension EditsDefinition {
  fileprivate var isThere: Bool { insert != nil || patch != nil || delete != nil || move != nil }
}

extension SortDefinition {
  /// The sort without its direction, which is each member's.
  fileprivate var withoutOrder: SortDefinition { SortDefinition(key: key, locale: locale, isNatural: isNatural) }
}

extension SectionDefinition {
  fileprivate func isSorted(as other: SectionDefinition) -> Bool {
    sort.count == other.sort.count
      && zip(sort, other.sort).allSatisfy {
        $0.key == $1.key && $0.locale == $1.locale && $0.isNatural == $1.isNatural
      }
  }
}
