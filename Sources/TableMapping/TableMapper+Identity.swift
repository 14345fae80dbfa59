internal import Expressions
internal import JSON

extension TableMapper {
  /// The identity that an object has as an item of a source, where it says so itself: each value that stands in `row.id` is
  /// there. So an upstream's answer to an edit is told from what stands around the item: of `row-${id}`, `{"ok":true}` would
  /// make `row-`.
  ///
  /// - Returns: nil where it doesn't, or no section shows the source.
  public func identity(of object: [UInt8], from source: String, variables: MappingVariables) -> String? {
    let templates = plan.sectionPlans.filter { $0.source == source }.compactMap(\.rowID)
    guard let document = try? Document(object) else { return nil }
    return try? document.withRoot { root in
      guard root.kind == .object else { return nil }
      var scope = variables.scope
      scope.item = Value(root)
      return try templates.lazy.compactMap { template -> String? in
        let values = try template.interpolations().map { try $0.evaluate(in: scope) }
        guard values.allSatisfy({ $0.kind == .string || $0.kind == .number }) else { return nil }
        return try template.evaluate(in: scope).text
      }.first
    }
  }
}
