internal import Expressions
internal import JSON

/// The sections of a table that shows callers their own rows: a `where` tells whose an item is, by the parts that read the caller.
extension [SectionPlan] {
  /// The consequence of a condition that can't be evaluated for an item.
  enum Doubt {
    /// It doesn't: the item is not the caller's.
    case isPassedOver
    /// Nothing may be said of the item, as it may be another caller's.
    case isHidden
    /// The item is left out, and it is said why.
    case isReported
  }

  /// Returns whether conditions tell whose a source's items are.
  func askForCallers(of source: String) -> Bool { contains { $0.source == source && $0.callerCondition != nil } }

  /// The lookups that tell whose an item is.
  fileprivate var callersLookups: Set<String> {
    reduce(into: []) { $0.formUnion($1.callerCondition?.lookups ?? []) }
  }

  /// Returns whether it may be said of an item that something can't be evaluated for it.
  func mayTell(of source: String, in scope: Scope) -> Bool {
    guard askForCallers(of: source) else { return true }
    return contains { section in
      guard section.source == source, let condition = section.callerCondition else { return false }
      return (try? condition.isTrue(in: scope)) ?? false
    }
  }

  /// - Parameter scope: with the item, which is charged for this.
  func doubt(about section: SectionPlan, in scope: Scope) -> Doubt {
    guard askForCallers(of: section.source) else { return .isReported }
    // The item may have used up its own work.
    let work = Budget()
    defer { try? scope.work?.charge(work.spent) }
    var scope = scope
    scope.work = work
    if let condition = section.callerCondition {
      guard let isCallers = try? condition.isTrue(in: scope) else { return .isHidden }
      return isCallers ? .isReported : .isPassedOver
    }
    return mayTell(of: section.source, in: scope) ? .isReported : .isHidden
  }
}

extension SectionPlan {
  /// For whoever runs the service, as no caller is told: without a word of the item.
  var warningOfDoubt: String {
    "`where` of the section “\(id)” can't be evaluated for some items, and nobody is told of them, as it is to say whose they are"
  }
}

extension MappingResult {
  /// Returns whether an item of a source is one of the callers' for whom the table was mapped, as far as that depends on them: it may be
  /// out of sight for another reason. One for which that can't be told is not; where no section asks, each is. Nil before the lookups
  /// that tell it have been answered.
  public func isOfCallers(_ item: [UInt8], from source: String) -> Bool? {
    let plan = cache.plan
    guard plan.sectionPlans.askForCallers(of: source) else { return true }
    guard let value = try? JSONValue(parsing: item) else { return false }
    var scope = cache.variables.scope
    scope.item = Value(value)
    scope.work = Budget()
    let names = plan.sectionPlans.callersLookups
    let areAnswered = zip(plan.lookups, cache.lookups).allSatisfy { $1 != nil || !names.contains($0.name) }
    guard areAnswered else { return nil }
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

extension TableMapper {
  /// The sources of the lookups that tell whose an item is.
  public var callersLookupSources: Set<String> {
    let names = plan.sectionPlans.callersLookups
    return Set(plan.lookups.filter { names.contains($0.name) }.map(\.source.name))
  }
}
