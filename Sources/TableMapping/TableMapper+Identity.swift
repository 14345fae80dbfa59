internal import Expressions
internal import JSON

extension TableMapper {
  /// Returns whether rows have the identities of a source's items: no `row.id` says otherwise.
  public func keepsIdentities(of source: String) -> Bool {
    plan.sectionPlans.allSatisfy { $0.source != source || $0.rowID == nil }
  }

  /// The identity that an object has as an item of a source, where it says so itself: each value that stands in `row.id` is
  /// there, and a member of the item at least that it is made of. So an upstream's answer to an edit is told from what stands
  /// around the item: of `row-${id}`, or `${'row-' + id}`, `{"ok":true}` would make `row-`.
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
        let expressions = template.interpolations()
        let isThere = expressions.flatMap(\.itemMembers).contains { root[$0].map { $0.kind != .null } ?? false }
        guard isThere else { return nil }
        let values = try expressions.map { try $0.evaluate(in: scope) }
        guard values.allSatisfy({ $0.kind == .string || $0.kind == .number }) else { return nil }
        return try template.evaluate(in: scope).text
      }.first
    }
  }
}
