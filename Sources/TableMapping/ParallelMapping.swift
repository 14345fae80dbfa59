internal import Expressions
internal import JSON
internal import LongWork
internal import Synchronization
internal import TableModel

/// Maps the items of a large list on all cores: each takes part after part of it, and puts what becomes of an item in its
/// place.
struct ParallelMapping: Sendable {
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let elements: Elements
  /// The index of the first element among the source's items.
  let start: Int

  /// Below it, threads cost more than they give.
  private static let fewestBytes = 1 << 20
  private static let partBytes = 512 << 10

  static func isWorthwhile(for list: ListedText) -> Bool { list.bytes.count >= fewestBytes }

  /// O(items), for the first of them.
  static func isWorthwhile(for items: [SourceItem]) -> Bool {
    var bytes = 0
    return items.contains { item in
      bytes += item.bytes.count
      return bytes >= fewestBytes
    }
  }

  /// The elements to map.
  enum Elements: Sendable {
    case list(ListedText)
    case given([SourceItem])
  }

  /// The outcome for the list.
  struct Outcome {
    /// In order; only the first where the budget was exceeded.
    var items: [MappedItem]
    /// The rows of items each of which has one row and nothing else.
    var rows: SoleRows?
    /// The budget that is left.
    var budget: MappingBudget
    /// The first one that is not JSON.
    var malformed: MappedItem?
  }

  /// The state that the threads share.
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
    var items: [MappedItem] = []
    let rows = SoleRows.noting(plan.onlyMakesRows ? elements.count : 0) { rows in
      items = map(parts, progress, notingIn: rows, scope: scope, lookups: lookups)
      return items
    }
    return progress.withLock { Outcome(items: items, rows: rows, budget: $0.budget, malformed: $0.malformed?.item) }
  }

  private func map(
    _ parts: [Range<Int>],
    _ progress: borrowing Mutex<Progress>,
    notingIn rows: SoleRows.Notes,
    scope: Scope,
    lookups: Lookups
  ) -> [MappedItem] {
    guard elements.count > 0 else { return [] }
    return [MappedItem](unsafeUninitializedCapacity: elements.count) { items, count in
      // Each place is written by one thread.
      nonisolated(unsafe) let (items, rows, scope, lookups) = (items, rows, scope, lookups)
      LongWork.onAllCores(upTo: parts.count) {
        guard var part = progress.withLock({ $0.take(of: parts) }) else { return }
        var mapper = ItemMapper(source: source, plan: plan, lookups: lookups.separate, scope: scope)
        let reader = elements.reader(for: mapper)
        while true {
          var (cost, work) = (0, 0)
          for position in part {
            let item = reader.item(at: start + position, position, with: &mapper)
            cost += item.cost
            work += item.work
            if item.isMalformed { progress.withLock { $0.note(malformed: item, at: position) } }
            rows.note(item, at: position)
            items.initializeElement(at: position, to: item)
          }
          let next = progress.withLock { progress in
            progress.budget.charge(cost, work: work)
            return progress.take(of: parts)
          }
          guard let next else { return }
          part = next
        }
      }
      // Parts are taken in order, and whoever takes one maps all of it.
      count = parts.prefix(progress.withLock(\.partsTaken)).last?.upperBound ?? 0
    }
  }

  private var parts: [Range<Int>] {
    var parts: [Range<Int>] = []
    var (first, bytes) = (0, 0)
    for position in 0..<elements.count {
      bytes += elements.byteCount(of: position)
      guard bytes >= Self.partBytes else { continue }
      parts.append(first..<position + 1)
      (first, bytes) = (position + 1, 0)
    }
    if first < elements.count { parts.append(first..<elements.count) }
    return parts
  }
}

extension ParallelMapping.Elements {
  fileprivate var count: Int {
    switch self {
    case .list(let list): list.elements.count
    case .given(let items): items.count
    }
  }

  fileprivate func byteCount(of position: Int) -> Int {
    switch self {
    case .list(let list): list.elements[position].range.count
    case .given(let items): items[position].bytes.count
    }
  }

  /// For one thread.
  fileprivate func reader(for mapper: ItemMapper) -> Reader {
    switch self {
    case .list(let list): .list(mapper.reader(of: list))
    case .given(let items): .given(items)
    }
  }

  fileprivate enum Reader {
    case list(ListReader)
    case given([SourceItem])

    @inline(__always)
    func item(at index: Int, _ position: Int, with mapper: inout ItemMapper) -> MappedItem {
      switch self {
      case .list(let reader): mapper.item(at: index, position, of: reader)
      case .given(let items):
        items[position].bytes.withUnsafeBytes { mapper.item(at: index, $0, givenID: items[position].id) }
      }
    }
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
