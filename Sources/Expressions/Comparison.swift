import FieldValues
import JSON

/// Compares values, and charges what it looks at. Where the budget is exhausted it ends early with any answer: who asks
/// checks the budget afterwards.
struct Comparison {
  private let budget: Budget?

  init(_ budget: Budget?) { self.budget = budget }

  var isOver: Bool { budget?.isExhausted == true }

  /// Equal numbers are equal whatever their form; strings are compared by code points, objects by their members in
  /// any order. Values of different kinds are never equal.
  func areEqual(_ left: Value, _ right: Value) -> Bool {
    budget?.spend(Cost.compared)
    guard !isOver else { return false }
    switch (left, right) {
    case (.null, .null): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.integer(let left), .integer(let right)): return left == right
    case (.text(let left), .text(let right)):
      if left.count == right.count { budget?.spend(left.count / Cost.bytesCompared) }
      return left == right
    default: break
    }
    let kind = left.kind
    guard kind == right.kind else { return false }
    switch kind {
    case .null: return true
    case .boolean: return left.boolValue == right.boolValue
    case .number: return left.orderOfNumbers(to: right) == .same
    case .string: return left.withUTF8 { left in right.withUTF8 { right in areEqual(left, right) } }
    case .array: return areEqualLists(left, right)
    case .object: return haveSameMembers(left, right)
    }
  }

  private func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    budget?.spend(left.count / Cost.bytesCompared)
    return RawBytes.order(left, right) == 0
  }

  private func areEqualLists(_ left: Value, _ right: Value) -> Bool {
    guard left.count == right.count else { return false }
    if case .json(let left) = left, case .json(let right) = right {
      return zip(left.elements, right.elements).allSatisfy { areEqual(Value($0), Value($1)) }
    }
    budget?.spend((left.count + right.count) * Cost.element)
    guard !isOver else { return false }
    return zip(left.elements ?? [], right.elements ?? []).allSatisfy { areEqual($0, $1) }
  }

  /// Returns whether two objects have the same members. Of those with one name the first counts, as everywhere.
  private func haveSameMembers(_ left: Value, _ right: Value) -> Bool {
    budget?.spend((left.namesExtent + right.namesExtent) * Cost.byte)
    guard !isOver, let members = left.distinctMembers, let others = right.members,
      members.count == others.count || members.count == right.distinctMembers?.count
    else { return false }
    let values = Dictionary(others.map { (ByteText($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
    return members.count == values.count
      && members.allSatisfy { member in values[ByteText(member.name)].map { areEqual($0, member.value) } ?? false }
  }

  /// The order of sorting: null, false, true, numbers, strings by code points, arrays, objects. Arrays among each
  /// other go by their elements; objects count as same.
  func order(_ left: Value, _ right: Value) -> Value.Order {
    budget?.spend(Cost.compared)
    guard !isOver else { return .same }
    let (leftRank, rightRank) = (left.rank, right.rank)
    guard leftRank == rightRank else { return leftRank < rightRank ? .before : .after }
    switch left.kind {
    case .null, .object: return .same
    case .boolean: return Value.order(left.boolValue == true ? 1 : 0, right.boolValue == true ? 1 : 0)
    case .number: return left.orderOfNumbers(to: right)
    case .string: return left.withUTF8 { left in right.withUTF8 { right in order(left, right) } }
    case .array:
      budget?.spend((left.count + right.count) * Cost.element)
      guard !isOver else { return .same }
      for (left, right) in zip(left.elements ?? [], right.elements ?? []) {
        let order = order(left, right)
        if order != .same { return order }
      }
      return Value.order(left.count, right.count)
    }
  }

  private func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Value.Order {
    budget?.spend(min(left.count, right.count) / Cost.bytesCompared)
    let order = RawBytes.order(left, right)
    return order < 0 ? .before : order > 0 ? .after : .same
  }
}
