internal import Dispatch
internal import Expressions
internal import JSON
internal import Synchronization
internal import TableModel

/// Maps the items of a large response on all cores: the list is cut into pieces, each is a document of its own that
/// stays in a core's cache, and what becomes of it is put together in order.
struct PieceMapping: Sendable {
  let source: MappingPlan.SourcePlan
  let plan: MappingPlan
  let page: [UInt8]
  let elements: [Document.Element]
  /// The index of the first element among the source's items.
  let start: Int

  /// Below it, threads cost more than they give.
  static let fewestBytes = 1 << 20
  private static let pieceBytes = 256 << 10

  /// What became of a piece's elements.
  struct Outcome: Sendable {
    var items: [MappedItem] = []
    var fingerprints: [Fingerprint] = []
  }

  /// Of the elements in their order; nil where they take more than the budget. O(bytes), divided among the cores.
  ///
  /// - Parameter scope: With views on documents, which nobody writes while they are read here.
  func outcomes(scope: Scope, lookups: Lookups, budget: inout MappingBudget) -> [Outcome]? {
    let pieces = pieces
    nonisolated(unsafe) let scope = scope
    nonisolated(unsafe) let lookups = lookups
    let state = Mutex((outcomes: [Outcome](repeating: Outcome(), count: pieces.count), budget: budget))
    DispatchQueue.concurrentPerform(iterations: pieces.count) { number in
      guard !state.withLock({ $0.budget.isExceeded }) else { return }
      var mapper = ItemMapper(source: source, plan: plan, lookups: lookups.separate, scope: scope)
      let outcome = outcome(of: pieces[number], &mapper)
      state.withLock { state in
        for item in outcome.items { state.budget.charge(item) }
        state.outcomes[number] = outcome
      }
    }
    return state.withLock { state in
      budget = state.budget
      return budget.isExceeded ? nil : state.outcomes
    }
  }

  private var pieces: [Range<Int>] {
    var pieces: [Range<Int>] = []
    var first = 0
    for position in elements.indices
    where elements[position].range.upperBound - elements[first].range.lowerBound >= Self.pieceBytes {
      pieces.append(first..<position + 1)
      first = position + 1
    }
    if first < elements.count { pieces.append(first..<elements.count) }
    return pieces
  }

  private func outcome(of piece: Range<Int>, _ mapper: inout ItemMapper) -> Outcome {
    var outcome = Outcome()
    outcome.items.reserveCapacity(piece.count)
    outcome.fingerprints.reserveCapacity(piece.count)
    let bytes = elements[piece.lowerBound].range.lowerBound..<elements[piece.upperBound - 1].range.upperBound
    var list: [UInt8] = []
    list.reserveCapacity(bytes.count + 2)
    list.append(UInt8(ascii: "["))
    list.append(contentsOf: page[bytes])
    list.append(UInt8(ascii: "]"))
    let document = try? Document(list)
    let found = (try? document?.elements()) ?? []
    page.withUnsafeBytes { page in
      for (offset, position) in piece.enumerated() {
        let text = UnsafeRawBufferPointer(rebasing: page[elements[position].range])
        let index = start + position
        let item: MappedItem
        if let document, found.count == piece.count {
          item = mapper.item(at: index, found[offset], of: document)
        } else {
          item = mapper.item(at: index, text)
        }
        outcome.items.append(item)
        outcome.fingerprints.append(CachedSource.fingerprint(of: text, givenID: nil))
      }
    }
    return outcome
  }
}
