internal import Definitions

/// Members of a family that show parts of one answer's rows: all in one language by one definition. Two are equal that share their rows.
public final class PartGroup: Sendable {
  let plan: CommonPlan
  /// The variables that all its members have.
  let variables: MappingVariables
  let maximumBytes: Int

  /// The only source.
  var source: String { plan.plan.sources[0].name }

  init(_ plan: CommonPlan, _ variables: MappingVariables, maximumBytes: Int) {
    self.plan = plan
    self.variables = MappingVariables(environment: variables.environment, locale: variables.locale)
    self.maximumBytes = maximumBytes
  }

  /// Returns the keys of the members that a next answer concerns: the values of all items that are new, were changed, have gone, or
  /// stand in another order among those with the same value, as they were and as they are. A member with another key has the same rows
  /// of both answers. The rows of the next answer are made here, unless they are made already.
  ///
  /// - Parameters:
  ///   - previous: the answer that the members have.
  ///   - memberCount: of those that share the rows of the next one without having asked for them.
  /// - Returns: nil where every member may be concerned, as nothing is known of the change, or where an answer can't be mapped.
  /// - Complexity: as for a mapping, and O(items).
  public func keys(ofChangesFrom previous: SourceContent, to next: SourceContent, memberCount: Int) -> Set<PartKey>? {
    guard let before = previous.shared?.mapping(of: self),
      let after = next.shared?.mapping(of: self, [source: next], after: before, memberCount: memberCount)
    else { return nil }
    guard after !== before else { return [] }
    guard before.isTruncated == after.isTruncated, let turnover = after.turnover(since: before),
      let old = before.index, let new = after.index
    else { return nil }
    return new.keys(of: turnover, after: old).map { keys in Set(keys.map { PartKey(group: self, value: $0) }) }
  }
}

extension PartGroup: Hashable {
  public static func == (one: PartGroup, other: PartGroup) -> Bool {
    one.plan.plan === other.plan.plan && one.variables.locale == other.variables.locale
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(plan.plan))
    hasher.combine(variables.locale)
  }
}

/// The value that the items of a member have, by the equality that all its sections ask for: `owner == $params.owner`.
public struct PartKey: Hashable, Sendable {
  public let group: PartGroup
  let value: PartIndex.Key
}

extension PartIndex {
  /// Returns the keys of what a turnover has changed, as it was and as it is; nil where an item has none, which any member may show.
  fileprivate func keys(of turnover: CommonMapping.Turnover, after previous: PartIndex) -> Set<Key>? {
    guard hasAllKeys, previous.hasAllKeys else { return nil }
    var found = Set(turnover.changed.compactMap { key(at: $0) })
    guard let places = turnover.places else {
      found.formUnion(turnover.changed.compactMap { previous.key(at: $0) })
      return found
    }
    var (last, isInOrder): (Int32, Bool) = (-1, true)
    for (former, place) in places.enumerated() {
      if place < 0 {
        if let key = previous.key(at: Int32(former)) { found.insert(key) }
      } else {
        isInOrder = isInOrder && place > last
        last = place
      }
    }
    guard !isInOrder else { return found }
    var lasts: [Key: Int32] = [:]
    for (former, place) in places.enumerated() where place >= 0 {
      guard let key = previous.key(at: Int32(former)) else { continue }
      if let before = lasts.updateValue(place, forKey: key), before > place { found.insert(key) }
    }
    return found
  }
}
