internal import Expressions
internal import JSON
internal import TableModel

/// Makes the headers and footers of sections.
struct SectionModels {
  private var mapping: ItemMapping
  /// The budget of one section after the other.
  private let work = Budget()
  /// The steps that the sections to come have left: all together as much as the items.
  private var left: Int
  /// The steps of the last section; nil: there were not enough, and something is missing.
  private(set) var spent: Int? = 0

  private static let stepsOfRow = 4_000

  /// - Parameter rows: of all sections; nil: it is seen later what all take together.
  init(plan: MappingPlan, rows: Int? = nil) {
    mapping = ItemMapping(plan: plan)
    left = rows.map { MappingBudget.maximumWork(ofItems: $0, each: plan.workPerItem) } ?? .max
  }

  /// Begins with those of a section.
  mutating func begin(rows: Int) {
    spent = 0
    work.restart(max(0, min(left, Budget.standard + rows * Self.stepsOfRow)))
  }

  /// - Parameters:
  ///   - scope: All that they see but for the section's items, which are parsed here where they are read.
  ///   - list: The section's items as a JSON list.
  mutating func models(
    of section: String,
    _ plan: SectionPlan,
    in scope: Scope,
    list: () -> [UInt8],
    _ report: inout MappingReport
  ) -> (header: CellModel?, footer: CellModel?) {
    var scope = scope
    scope.work = work
    // The items are JSON, each, so that the list of them is.
    let items = plan.readsItems ? try? Document(list()) : nil
    if let root = try? items?.unmanagedRoot() { scope.items = Value(root) }
    let models = withExtendedLifetime(items) {
      (model(plan.header, of: section, scope, &report), model(plan.footer, of: section, scope, &report))
    }
    left -= work.spent
    spent = work.isExhausted ? nil : work.spent
    return models
  }

  private mutating func model(
    _ cell: CellPlan?,
    of section: String,
    _ scope: Scope,
    _ report: inout MappingReport
  ) -> CellModel? {
    guard let cell else { return nil }
    do throws(Misfit) {
      return try mapping.model(cell, in: scope)
    } catch {
      // A key that is a number or a boolean, where a field asks for a text: the section's identity, which it has.
      if scope.key.kind != .string, let text = scope.key.text {
        var scope = scope
        scope.key = .string(text)
        if let model = try? mapping.model(cell, in: scope) { return model }
      }
      report.warn("header or footer of the section “\(section)”: \(error.reason)")
      return nil
    }
  }
}

extension MappingPlan {
  /// Makes what is shown of sections, with their headers and footers; nil of one that is left out. Notes what each costs.
  ///
  /// - Parameters:
  ///   - last: the last mapping: so that versions share the rows that they have in common.
  ///   - scope: of a section's header and footer, without its items and what it says of itself.
  ///   - list: a section's items as a JSON list.
  func shown(
    _ sections: inout [ArrangedSection],
    after last: MappingResult?,
    in scope: (ArrangedSection) -> Scope,
    list: (ArrangedSection) -> [UInt8],
    _ report: inout MappingReport
  ) -> [Section?] {
    let former = last?.rowLists ?? [:]
    var models = SectionModels(plan: self, rows: sections.reduce(0) { $0 + $1.rows.count })
    return sections.indices.map { place in
      let section = sections[place]
      models.begin(rows: section.rows.count)
      defer { sections[place].modelWork = models.spent }
      guard !section.rows.isEmpty || !section.plan.hideEmpty else { return nil }
      var scope = scope(section)
      (scope.key, scope.count) = (section.key.value, section.rows.count)
      let (header, footer) = models.models(
        of: section.id,
        section.plan,
        in: scope,
        list: { list(section) },
        &report
      )
      let rows = former[ExactText(section.id)].map { RowList(section.rows, sharing: $0) } ?? RowList(section.rows)
      return Section(id: section.id, header: header, footer: footer, rows: rows)
    }
  }
}
