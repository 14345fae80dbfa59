import JSON

/// A path whose steps lie in memory without references, so that walking a document counts none.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and freed in `deinit` alone.
final class CompiledPath: @unchecked Sendable {
  let path: Path
  private let start: Start
  private let steps: UnsafeMutableBufferPointer<Step>
  private let names: UnsafeMutableBufferPointer<UInt8>

  private enum Start { case names, item, other }

  private struct Step {
    /// The member's name, in UTF-8; nil for a position.
    var name: UnsafeBufferPointer<UInt8>?
    var index: Int
  }

  init(_ path: Path) {
    self.path = path
    start =
      switch path.root {
      case .names: .names
      case .item: .item
      case .response, .index, .key, .count, .items, .pages, .id, .edit, .status, .cursor, .since, .parent, .locale,
        .caller,
        .parameters,
        .environment, .lookup:
        .other
      }
    let bytes = path.steps.map { step in
      if case .name(let key) = step { Array(key.name.utf8) } else { [UInt8]() }
    }
    names = .allocate(capacity: bytes.reduce(0) { $0 + $1.count })
    _ = names.initialize(from: bytes.joined())
    steps = .allocate(capacity: path.steps.count)
    var offset = 0
    for (position, step) in path.steps.enumerated() {
      let count = bytes[position].count
      let compiled =
        switch step {
        case .name: Step(name: UnsafeBufferPointer(rebasing: names[offset..<(offset + count)]), index: 0)
        case .index(let index): Step(name: nil, index: index)
        }
      steps.initializeElement(at: position, to: compiled)
      offset += count
    }
  }

  deinit {
    steps.deallocate()
    names.deallocate()
  }

  /// Null where the path leads nowhere.
  func value(in scope: Scope) throws(EvaluationError) -> Value {
    if let value = freeValue(in: scope) { return value }
    return try find(in: scope) ?? .null
  }

  /// Nil where the path leads nowhere.
  ///
  /// A walk from the item itself is not charged: it costs no more than to parse that, and what it passes is no measure, as
  /// members that no expression reads may have been left out. For a list of plain values it would be done again for each
  /// element: it is remembered. All else that expressions see was parsed as a whole, and charges what is passed.
  func find(in scope: Scope) throws(EvaluationError) -> Value? {
    guard start == .names, scope.isInList, !scope.namesAreElements, case .json(let view) = scope.names,
      let budget = scope.budget
    else { return try path.charged(in: scope) }
    return budget.remembered(self, from: view) { self.view(from: view).map { Value($0) } }
  }

  /// Returns the value that the path leads to from the item itself; nil if there is none, or inside a list.
  @inline(__always)
  func freeValue(in scope: Scope) -> Value? {
    guard !scope.isInList else { return nil }
    switch start {
    case .names: if case .json(let view) = scope.names { return value(from: view) }
    case .item: if case .json(let view) = scope.item { return value(from: view) }
    case .other: break
    }
    return nil
  }

  /// True if the path begins at the item.
  var isOfItem: Bool { start == .names || start == .item }

  private func value(from view: JSONView) -> Value { self.view(from: view).map { Value($0) } ?? .null }

  /// Nil where the path leads nowhere from here.
  @inline(__always)
  func view(from view: JSONView) -> JSONView? {
    var view = view
    for step in steps {
      let next = if let name = step.name { view[name] } else { view[step.index] }
      guard let next else { return nil }
      view = next
    }
    return view
  }
}
