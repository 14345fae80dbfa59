internal import Dispatch
internal import Expressions
internal import JSON
internal import Synchronization
internal import TableModel

/// Maps the items of a large list on all cores: each takes part after part of it, and puts what becomes of an item in its
/// place.
struct ParallelMapping: Sendable {
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let list: ListedText
  /// The index of the first element among the source's items.
  let start: Int

  /// Below it, threads cost more than they give.
  private static let fewestBytes = 1 << 20
  private static let partBytes = 512 << 10

  static func isWorthwhile(for list: ListedText) -> Bool { list.bytes.count >= fewestBytes }

  /// What became of the list.
  struct Outcome {
    /// In order; only the first where the budget was exceeded.
    var items: [MappedItem]
    /// What is left of it.
    var budget: MappingBudget
    /// The first one that is not JSON.
    var malformed: MappedItem?
  }

  /// What the threads share.
  fileprivate struct Progress {
    var budget: MappingBudget
    var partsTaken = 0
    var malformed: (position: Int, item: MappedItem)?
  }

  /// O(bytes), divided among the cores. Ends early where the budget is exceeded.
  ///
  /// - Parameter scope: with views on documents, which nobody writes while they are read here.
  func run(scope: Scope, lookups: Lookups, budget: MappingBudget) -> Outcome {
    let parts = parts
    let progress = Mutex(Progress(budget: budget))
    let items = [MappedItem](unsafeUninitializedCapacity: list.elements.count) { items, count in
      // Each place is written by one thread.
      nonisolated(unsafe) let (items, scope, lookups) = (items, scope, lookups)
      DispatchQueue.concurrentPerform(iterations: parts.count) { _ in
        // Most find that the first ones, as many as there are cores, have taken all.
        guard var part = progress.withLock({ $0.take(of: parts) }) else { return }
        var mapper = ItemMapper(source: source, plan: plan, lookups: lookups.separate, scope: scope)
        let reader = ListReader(list)
        while true {
          var cost = 0
          for position in part {
            let item = mapper.item(at: start + position, position, of: reader)
            cost += item.cost
            if item.isMalformed { progress.withLock { $0.note(malformed: item, at: position) } }
            items.initializeElement(at: position, to: item)
          }
          let next = progress.withLock { progress in
            progress.budget.charge(cost)
            return progress.take(of: parts)
          }
          guard let next else { return }
          part = next
        }
      }
      // Parts are taken in order, and whoever takes one maps all of it.
      count = parts.prefix(progress.withLock(\.partsTaken)).last?.upperBound ?? 0
    }
    return progress.withLock { Outcome(items: items, budget: $0.budget, malformed: $0.malformed?.item) }
  }

  private var parts: [Range<Int>] {
    let elements = list.elements
    var parts: [Range<Int>] = []
    var first = 0
    for position in elements.indices
    where elements[position].range.upperBound - elements[first].range.lowerBound >= Self.partBytes {
      parts.append(first..<position + 1)
      first = position + 1
    }
    if first < elements.count { parts.append(first..<elements.count) }
    return parts
  }
}

extension ParallelMapping.Progress {
  fileprivate mutating func take(of parts: [Range<Int>]) -> Range<Int>? {
    guard partsTaken < parts.count, !budget.isExceeded else { return nil }
    partsTaken += 1
    return parts[partsTaken - 1]
  }

  fileprivate mutating func note(malformed item: MappedItem, at position: Int) {
    if malformed.map({ position < $0.position }) ?? true { malformed = (position, item) }
  }
}
