internal import Expressions

/// Why an item's row stands in a section, in the configuration's own words.
public struct SectionRule: Sendable, Equatable {
  public enum Kind: String, Sendable {
    /// The table has no other section.
    case only
    /// The first section that takes the item.
    case first
    /// Every section that takes the item has a row of it.
    case every
    /// The section of its group.
    case group
  }

  /// A section of the same source that was asked before, and did not take the item.
  public struct Passed: Sendable, Equatable {
    public var section: String
    public var predicate: String
  }

  public var kind: Kind
  /// The section's `where`, or `groupBy`, whose value the section is named by. Nil: it takes every item.
  public var expression: String?
  public var passed: [Passed] = []
}

extension TableDefinition {
  /// The rule by which items are put into a section; nil where there is no such section. O(sections).
  public func rule(ofSection id: String) -> SectionRule? {
    switch sections {
    case .single(let section): return SectionRule(kind: .only, expression: section.predicate?.text)
    case .groups(let groups): return SectionRule(kind: .group, expression: groups.key.text)
    case .list(let list, let firstMatch):
      guard let place = list.firstIndex(where: { $0.id == id }) else { return nil }
      let expression = list[place].predicate?.text
      guard firstMatch else { return SectionRule(kind: .every, expression: expression) }
      let passed = list[..<place].compactMap { other -> SectionRule.Passed? in
        guard (other.source ?? source) == (list[place].source ?? source) else { return nil }
        return other.predicate.map { SectionRule.Passed(section: other.id, predicate: $0.text) }
      }
      return SectionRule(kind: .first, expression: expression, passed: passed)
    }
  }
}
