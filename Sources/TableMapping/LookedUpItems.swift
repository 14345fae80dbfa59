internal import Expressions
internal import JSON

/// The items that one mapping's expressions see of a lookup. The values are views: they live as long as this does.
final class LookedUpItems {
  private let index: LookupIndex
  /// The items that were asked for one by one.
  private var found: [Int: (document: Document, value: Value)] = [:]
  /// All of them, once so many were asked for that it is cheaper to parse them at once.
  private var all: (document: Document, values: [Value])?
  /// They were parsed at once, or can't be.
  private var hasTried = false

  private static let fewest = 64

  init(_ index: LookupIndex) { self.index = index }

  /// Null where there is none. Expected O(bytes of the item), once.
  func value(of key: LookupKey) -> Value { value(ifThere: key) ?? .null }

  /// Nil where there is none. As ``value(of:)``.
  func value(ifThere key: LookupKey) -> Value? {
    guard let position = index.position(of: key) else { return nil }
    if let all { return all.values[position] }
    if let item = found[position] { return item.value }
    if found.count >= Self.fewest, !hasTried, parseAll(), let all { return all.values[position] }
    guard let document = try? Document(index.bytes(of: position)), let root = try? document.unmanagedRoot() else {
      return nil
    }
    found[position] = (document, Value(root))
    return Value(root)
  }

  /// The items are JSON, each, so that the list of them is: unless it is too long, or one of them as deep as can be.
  private func parseAll() -> Bool {
    hasTried = true
    guard let document = try? Document(index.list), let root = try? document.unmanagedRoot() else { return false }
    let values = root.elements.map { Value($0) }
    guard values.count == index.count else { return false }
    all = (document, values)
    return true
  }
}
