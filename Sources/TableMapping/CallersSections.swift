internal import Expressions
internal import JSON

/// The sections of a table that shows callers their own rows: a `where` tells whose an item is, by the parts that read the caller.
extension [SectionPlan] {
  /// What follows if a section can't be asked whether it takes an item.
  enum Doubt {
    /// It doesn't: the item is another caller's.
    case isPassedOver
    /// Nothing may be said of the item, as it may be another caller's.
    case isHidden
    /// The item is left out, and it is said why.
    case isReported
  }

  /// - Parameter scope: with the item.
  func doubt(about section: SectionPlan, in scope: Scope) -> Doubt {
    var scope = scope
    // The item may have used up its own.
    scope.work = Budget(1_000_000)
    let holds = { (condition: Expression) in (try? condition.isTrue(in: scope)) ?? false }
    if let condition = section.callerCondition, !holds(condition) { return .isPassedOver }
    let conditions = lazy.filter { $0.source == section.source }.compactMap(\.callerCondition)
    return conditions.isEmpty || conditions.contains(where: holds) ? .isReported : .isHidden
  }
}

extension MappingResult {
  /// Returns whether an item of a source is one of the callers' for whom the table was mapped, as far as that depends on them: it may be
  /// out of sight for another reason. One for which that can't be told is not; in a table that doesn't ask, each is.
  public func isOfCallers(_ item: [UInt8], from source: String) -> Bool {
    let plan = cache.plan
    guard plan.isOfCallers else { return true }
    guard let value = try? JSONValue(parsing: item) else { return false }
    var scope = cache.variables.scope
    scope.item = Value(value)
    scope.work = Budget(1_000_000)
    let lookups = Lookups(plan.lookups, cache.lookups)
    _ = lookups.look(into: &scope) { _ in }
    return withExtendedLifetime(lookups) {
      plan.sectionPlans.contains { section in
        guard section.source == source else { return false }
        guard let condition = section.callerCondition ?? section.predicate else { return true }
        return (try? condition.isTrue(in: scope)) ?? false
      }
    }
  }
}
