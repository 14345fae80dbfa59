internal import Dispatch
internal import Expressions
internal import JSON
internal import Synchronization
internal import TableModel

/// Maps the items of a large list on all cores: each takes piece after piece of it, and what becomes of them is put
/// together in order.
struct ParallelMapping: Sendable {
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let list: ListedText
  /// The index of the first element among the source's items.
  let start: Int

  /// Below it, threads cost more than they give.
  private static let fewestBytes = 1 << 20
  private static let pieceBytes = 512 << 10

  static func isWorthwhile(for list: ListedText) -> Bool { list.bytes.count >= fewestBytes }

  /// O(bytes), divided among the cores. Ends early where the budget is exceeded.
  ///
  /// - Parameters:
  ///   - scope: with views on documents, which nobody writes while they are read here.
  ///   - take: called with what became of each piece, in order, and the budget as it is then.
  func run(scope: Scope, lookups: Lookups, budget: MappingBudget, take: ([MappedItem], MappingBudget) -> Void) {
    let parts = parts
    nonisolated(unsafe) let (scope, lookups) = (scope, lookups)
    let state = Mutex((pieces: [[MappedItem]](repeating: [], count: parts.count), budget: budget))
    DispatchQueue.concurrentPerform(iterations: parts.count) { number in
      guard !state.withLock({ $0.budget.isExceeded }) else { return }
      var mapper = ItemMapper(source: source, plan: plan, lookups: lookups.separate, scope: scope)
      let piece = piece(parts[number], &mapper)
      state.withLock { state in
        for item in piece { state.budget.charge(item) }
        state.pieces[number] = piece
      }
    }
    let (pieces, left) = state.withLock { ($0.pieces, $0.budget) }
    for piece in pieces { take(piece, left) }
  }

  private var parts: [Range<Int>] {
    let elements = list.elements
    var parts: [Range<Int>] = []
    var first = 0
    for position in elements.indices
    where elements[position].range.upperBound - elements[first].range.lowerBound >= Self.pieceBytes {
      parts.append(first..<position + 1)
      first = position + 1
    }
    if first < elements.count { parts.append(first..<elements.count) }
    return parts
  }

  private func piece(_ part: Range<Int>, _ mapper: inout ItemMapper) -> [MappedItem] {
    let reader = ListReader(list)
    return part.map { mapper.item(at: start + $0, $0, of: reader) }
  }
}
