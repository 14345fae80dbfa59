internal import Expressions
internal import JSON
internal import TableModel

/// Makes the headers and footers of sections.
struct SectionModels {
  private var mapping: ItemMapping

  init(plan: MappingPlan) { mapping = ItemMapping(plan: plan) }

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
    // The items are JSON, each, so that the list of them is.
    let items = plan.readsItems ? try? Document(list()) : nil
    if let root = try? items?.unmanagedRoot() { scope.items = Value(root) }
    return withExtendedLifetime(items) {
      (model(plan.header, of: section, scope, &report), model(plan.footer, of: section, scope, &report))
    }
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
