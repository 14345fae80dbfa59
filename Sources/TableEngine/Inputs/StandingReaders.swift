import TableMapping

/// The readers of a source that are told only of answers that concern them: by the value that the items of each have. A value.
struct StandingReaders {
  /// The number of a table.
  typealias ID = Int

  private struct Group {
    let answer: StandingAnswer
    /// Its number.
    var number: UInt64
    var readers: [PartKey: Set<ID>] = [:]
    var count = 0
  }

  private var groups: [PartGroup: Group] = [:]
  private(set) var count = 0
  /// An answer is being compared with the one before.
  private(set) var isComparing = false

  var isEmpty: Bool { count == 0 }

  /// Returns whether readers have another answer than the last one.
  func isBehind(_ number: UInt64) -> Bool { groups.values.contains { $0.number != number && $0.count > 0 } }

  /// The comparison of a next answer with the one that a group has.
  struct Comparison: Sendable {
    let group: PartGroup
    let answer: StandingAnswer
    let memberCount: Int

    /// Returns which readers the next answer concerns; nil: all of them.
    func keys(ofChangesTo next: SourceContent) -> Set<PartKey>? {
      group.keys(ofChangesFrom: answer.content, to: next, memberCount: memberCount)
    }
  }

  /// Takes a reader in that has an answer; nil where the others have another one.
  mutating func insert(_ id: ID, _ key: PartKey, _ content: SourceContent, _ number: UInt64) -> StandingAnswer? {
    if let known = groups[key.group], known.number != number {
      guard known.count == 0, !isComparing else { return nil }
      groups[key.group] = nil
    }
    if groups[key.group] == nil { groups[key.group] = Group(answer: StandingAnswer(content), number: number) }
    guard groups[key.group]?.readers[key, default: []].insert(id).inserted == true else { return nil }
    groups[key.group]?.count += 1
    count += 1
    return groups[key.group]?.answer
  }

  /// Returns the number of the answer that the reader has; nil where it is none of these.
  mutating func remove(_ id: ID, _ key: PartKey) -> UInt64? {
    guard let number = groups[key.group]?.number, groups[key.group]?.readers[key]?.remove(id) != nil else { return nil }
    if groups[key.group]?.readers[key]?.isEmpty == true { groups[key.group]?.readers[key] = nil }
    groups[key.group]?.count -= 1
    count -= 1
    // Who stands on no answer holds none.
    if groups[key.group]?.count == 0, !isComparing { groups[key.group] = nil }
    return number
  }

  /// The source has another answer. Returns what is to be compared; empty: nothing, or something is already.
  mutating func beginComparing() -> [Comparison] {
    guard !isComparing, !isEmpty else { return [] }
    isComparing = true
    return groups.map { Comparison(group: $0, answer: $1.answer, memberCount: $1.count) }
  }

  /// Has all readers go on to an answer. Returns those that it concerns, which have to be told, and are none of these any more.
  mutating func endComparing(
    _ found: [(comparison: Comparison, keys: Set<PartKey>?)],
    to content: SourceContent,
    _ number: UInt64
  ) -> [ID] {
    isComparing = false
    var concerned: [ID] = []
    for (comparison, keys) in found {
      guard groups[comparison.group]?.answer === comparison.answer,
        var group = groups.removeValue(forKey: comparison.group)
      else { continue }
      let told = keys.map { keys in keys.flatMap { group.readers[$0] ?? [] } } ?? group.readers.values.flatMap(\.self)
      if let keys {
        group.answer.move(to: content)
        group.number = number
        for key in keys { group.readers[key] = nil }
      } else {
        group.readers = [:]
      }
      group.count -= told.count
      count -= told.count
      concerned += told
      if group.count > 0 { groups[comparison.group] = group }
    }
    return concerned
  }

  /// All are told of everything from now on. Returns each with the number of the answer that it has.
  mutating func removeAll() -> [(id: ID, number: UInt64)] {
    defer { (groups, count) = ([:], 0) }
    return groups.values.flatMap { group in group.readers.values.joined().map { ($0, group.number) } }
  }
}
