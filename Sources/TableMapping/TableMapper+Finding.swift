internal import Definitions
internal import Expressions
internal import FieldValues
internal import JSON
public import TableFinding
internal import TableModel

extension TableMapper {
  /// Returns the searches, filters and sorts that the table offers; nil: none. A title that can't be evaluated is the
  /// name.
  public func finding(for variables: MappingVariables) -> FindOffer? {
    guard let find = plan.find else { return nil }
    let (definition, scope) = (find.definition, variables.scope)
    return FindOffer(
      find.schema,
      prompt: definition.search.isEmpty ? nil : definition.prompt.flatMap { try? $0.text(in: scope) },
      filters: definition.filters.map { filter in
        FindOffer.Filter(
          id: filter.id,
          title: (try? filter.title.text(in: scope)) ?? filter.id,
          titles: filter.titles.map { (Array($0.value.utf8), (try? $0.title.text(in: scope)) ?? $0.value) }
        )
      },
      sorts: definition.sorts.map { .init(id: $0.id, title: (try? $0.title.text(in: scope)) ?? $0.id) }
    )
  }

  /// Names what the table offers to be found by, and how that is shown; nil: nothing.
  public var offer: UInt64? { plan.find.map { $0.schema.mark ^ ($0.schema.presentation &* 0x9e37_79b9_7f4a_7c15) } }

  /// Makes headers and footers of what is found, of the rows alone: where nothing is mapped, too.
  public func framing(for variables: MappingVariables) -> Framing {
    guard let find = plan.find else { return .plain }
    let plan = plan
    let ordered: Set<ExactText> =
      if case .groups(let groups, _) = plan.sections { Set(groups.order.map(ExactText.init)) } else { [] }
    return Framing(
      readsItems: { section in plan.sectionPlan(of: section)?.readsItems == true },
      models: { found in
        guard let section = plan.sectionPlan(of: found.section) else {
          return (found.section.header, found.section.footer)
        }
        var scope = variables.scope
        scope.count = found.count
        let key = FindRecord(found.first.findable, of: find.schema)?.group ?? []
        scope.key = .string(found.section.id)
        // The key of a group that `order` names is that name.
        let id = found.section.id
        if plan.isGrouped, !ordered.contains(ExactText(id)), !key.isEmpty || id.isExactly("none") {
          // The parsed bytes live as long as the key.
          scope.key = (try? JSONValue(parsing: key)).map { Value($0) } ?? .null
        }
        var models = SectionModels(plan: plan)
        models.begin(rows: found.count)
        var report = MappingReport([])
        let made = models.models(
          of: found.section.id,
          section,
          in: scope,
          list: { Self.list(found.rows(), find.schema) },
          &report
        )
        // A header that neither counts nor reads items is as the table has it: it may have seen more.
        return (
          section.header?.readsRows == true ? made.header : found.section.header,
          section.footer?.readsRows == true ? made.footer : found.section.footer
        )
      }
    )
  }

  private static func list(_ rows: [Row], _ schema: FindSchema) -> [UInt8] {
    var list: [UInt8] = [UInt8(ascii: "[")]
    for row in rows {
      guard let item = FindRecord(row.findable, of: schema)?.item, !item.isEmpty else { continue }
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      list += item
    }
    return list + [UInt8(ascii: "]")]
  }
}

extension MappingPlan {
  fileprivate func sectionPlan(of section: Section) -> SectionPlan? {
    isGrouped ? sectionPlans.first : sectionPlans.first { $0.id.utf8.elementsEqual(section.id.utf8) }
  }
}

extension CellPlan {
  /// It changes with the rows that there are.
  fileprivate var readsRows: Bool { !dependencies.isDisjoint(with: [.count, .items]) }
}
