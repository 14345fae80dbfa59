internal import Expressions

/// The lookups of one mapping: what they find, and what has changed since the last one.
struct Lookups {
  let plans: [LookupPlan]
  /// By lookup; nil where its source has not answered.
  private(set) var indexes: [LookupIndex?] = []
  private(set) var problems: [SourceProblem] = []
  private var found: [LookedUpItems?] = []
  private var changed: [Set<LookupKey>] = []

  /// - Parameter previous: The last mapping's.
  init(
    _ plans: [LookupPlan],
    _ contents: [String: SourceContent],
    previous: [LookupIndex?],
    variables: MappingVariables,
    workPerItem: Int
  ) {
    self.plans = plans
    for (position, plan) in plans.enumerated() {
      let before = position < previous.count ? previous[position] : nil
      var index: LookupIndex?
      if let content = contents[plan.source.name] {
        do throws(SourceFailure) {
          index =
            if let before, before.isMade(of: content) { before } else {
              try LookupIndex(plan, content, variables: variables, workPerItem: workPerItem)
            }
        } catch {
          problems.append(SourceProblem(source: plan.source.name, kind: error.kind, detail: error.detail))
        }
      }
      indexes.append(index)
      found.append(index.map { LookedUpItems($0) })
      changed.append(Self.changedKeys(from: before, to: index))
    }
  }

  /// Finds what a mapping has found.
  init(_ plans: [LookupPlan], _ indexes: [LookupIndex?]) {
    (self.plans, self.indexes) = (plans, indexes)
    found = indexes.map { index in index.map { LookedUpItems($0) } }
  }

  private static func changedKeys(from before: LookupIndex?, to index: LookupIndex?) -> Set<LookupKey> {
    if let index { return index === before ? [] : index.changedKeys(since: before) }
    return before?.changedKeys(since: nil) ?? []
  }

  /// The same, to be used by another thread.
  var separate: Lookups {
    var copy = self
    copy.found = indexes.map { index in index.map { LookedUpItems($0) } }
    return copy
  }

  var warnings: [String] { indexes.compactMap { $0?.warning } }

  /// The places of the items of a source that were mapped with what is not found any more.
  func stale(in source: CachedSource) -> Set<Int> {
    var stale: Set<Int> = []
    for (lookup, keys) in changed.enumerated() where !keys.isEmpty {
      stale.formUnion(source.references.places(of: keys, lookup: lookup, among: source.items))
    }
    return stale
  }

  /// Returns whether something that an item was mapped with is not found any more, or is another one.
  func haveChanged(for item: MappedItem) -> Bool {
    guard let keys = item.details?.lookupKeys, !keys.isEmpty else { return false }
    return zip(changed, keys).contains { changed, keys in keys.contains(where: changed.contains) }
  }

  /// Returns whether these lookups find exactly what the others found.
  func areThose(_ others: [LookupIndex?]) -> Bool {
    problems.isEmpty && indexes.count == others.count && zip(indexes, others).allSatisfy { $0 === $1 }
  }

  /// Adds what belongs to the item in scope; and tells by which keys it was looked for.
  func look(into scope: inout Scope, warn: (String) -> Void) -> [SoughtKeys] {
    var keys: [SoughtKeys] = []
    keys.reserveCapacity(plans.count)
    for (position, plan) in plans.enumerated() {
      var sought = SoughtKeys.none
      do throws(EvaluationError) {
        let value = try plan.on.evaluate(in: scope)
        try scope.work?.charge(value.byteCount * 4)
        // A list of short keys finds as many items.
        try scope.work?.charge((value.elements?.count ?? 0) * 40)
        sought = SoughtKeys(value)
      } catch {
        warn("`lookups.\(plan.name).on`: “\(plan.on)”: \(error); nothing is found")
      }
      scope.lookups[plan.name] = found(sought, by: position)
      keys.append(sought)
    }
    return keys
  }

  /// Null where there is none; of a list, those that there are.
  private func found(_ keys: SoughtKeys, by lookup: Int) -> Value {
    switch keys {
    case .none: .null
    case .one(let key): found[lookup]?.value(of: key) ?? .null
    case .many(let keys): .array(keys.compactMap { key in found[lookup]?.value(ifThere: key) })
    }
  }
}
