internal import Definitions
internal import Expressions
internal import TableModel

/// The representation of each type of item: one look-up, however many types there are.
struct TypeRegistry: Sendable {
  private var entries: [(name: [UInt8], plan: RepresentationPlan)] = []
  private var index: IdentityTable

  init(_ plans: [String: RepresentationPlan]) {
    index = IdentityTable(capacity: plans.count)
    for (name, plan) in plans.sorted(by: { $0.key < $1.key }) {
      let bytes = Array(name.utf8)
      index.insert(entries.count, under: Fingerprint(of: bytes))
      entries.append((bytes, plan))
    }
  }

  var plans: [RepresentationPlan] { entries.map(\.plan) }

  /// O(bytes).
  func plan(for type: UnsafeBufferPointer<UInt8>) -> RepresentationPlan? {
    let position = index.first(Fingerprint(of: UnsafeRawBufferPointer(type))) {
      entries[$0].name.elementsEqual(type)
    }
    return position.map { entries[$0].plan }
  }
}

extension TypeRegistry {
  /// A number's name is its decimal text.
  func plan(forType type: Value) -> RepresentationPlan? {
    if let plan = type.withText({ plan(for: $0) }) { return plan }
    guard type.kind != .string, var text = type.text else { return nil }
    return text.withUTF8 { plan(for: $0) }
  }
}
