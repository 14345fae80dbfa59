/// The state that a mapping leaves for the next one. Immutable.
final class MappingCache: Sendable {
  let plan: MappingPlan
  let variables: MappingVariables
  /// None of the service's own, where the layout has the items.
  let sources: [String: CachedSource]
  /// The layout of the only source's items, where changes of them can be laid out without the others.
  let layout: ItemLayout?
  /// The indexes of the table's lookups, in their order.
  let lookups: [LookupIndex?]

  init(
    plan: MappingPlan,
    variables: MappingVariables,
    sources: [String: CachedSource] = [:],
    lookups: [LookupIndex?],
    layout: ItemLayout? = nil
  ) {
    (self.plan, self.variables, self.sources, self.lookups, self.layout) = (plan, variables, sources, lookups, layout)
  }

  /// The same with another layout.
  func with(_ layout: ItemLayout, _ sources: [String: CachedSource]? = nil) -> MappingCache {
    MappingCache(
      plan: plan,
      variables: variables,
      sources: sources ?? self.sources,
      lookups: lookups,
      layout: layout
    )
  }
}
