/// The name of a member, ready to be looked up.
public struct JSONKey: Hashable, Sendable {
  @usableFromInline let bytes: [UInt8]

  public init(_ name: String) { bytes = Array(name.utf8) }

  /// In bytes.
  public var length: Int { bytes.count }

  public var name: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONView {
  /// The member of an object; nil where there is none, or no object. Of members with one name, the first.
  ///
  /// Complexity: O(members); values are skipped in one step.
  @inlinable public subscript(key: JSONKey) -> JSONView? {
    key.bytes.withUnsafeBufferPointer { self[$0] }
  }

  /// As for a `JSONKey`.
  public subscript(name: String) -> JSONView? { self[JSONKey(name)] }

  /// As for a `JSONKey`; the name in UTF-8.
  @inlinable public subscript(name: UnsafeBufferPointer<UInt8>) -> JSONView? {
    guard tag == TapeTag.object else { return nil }
    let end = next - 1
    var position = index + 1
    while position < end {
      let value = at(position + 1)
      if at(position).stringAtIndex == name { return value }
      position = value.next
    }
    return nil
  }

  /// As for a `JSONKey`, and counts the members that were looked at.
  public func member(_ key: JSONKey, looked: inout Int) -> JSONView? {
    key.bytes.withUnsafeBufferPointer { member($0, looked: &looked) }
  }

  /// As for a `JSONKey`, and counts the members that were looked at; the name in UTF-8.
  public func member(_ name: UnsafeBufferPointer<UInt8>, looked: inout Int) -> JSONView? {
    for (other, value) in members {
      looked += 1
      if other == name { return value }
    }
    return nil
  }

  /// The element of an array; a negative index counts from the end. Nil outside of the array, or for none.
  ///
  /// Complexity: O(index); elements are skipped in one step.
  public subscript(position: Int) -> JSONView? {
    guard tag == TapeTag.array else { return nil }
    var remaining = position
    if position < 0 {
      let (sum, overflow) = position.addingReportingOverflow(count)
      guard !overflow, sum >= 0 else { return nil }
      remaining = sum
    }
    for element in elements {
      if remaining == 0 { return element }
      remaining -= 1
    }
    return nil
  }

  /// How many elements or members; 0 for other kinds.
  ///
  /// Complexity: O(1) below 2^24 − 1, else O(count).
  public var count: Int {
    let saturated: UInt64 = 0xFF_FFFF
    switch tag {
    case TapeTag.array:
      let count = payload >> 32
      return count < saturated ? Int(count) : elements.reduce(0) { sum, _ in sum + 1 }
    case TapeTag.object:
      let count = payload >> 32
      return count < saturated ? Int(count) : members.reduce(0) { sum, _ in sum + 1 }
    default: return 0
    }
  }

  /// The elements of an array; none for other kinds.
  @inlinable public var elements: Elements {
    tag == TapeTag.array
      ? Elements(position: at(index + 1), end: next - 1) : Elements(position: self, end: index)
  }

  /// The members of an object in their order; none for other kinds.
  @inlinable public var members: Members {
    tag == TapeTag.object
      ? Members(position: at(index + 1), end: next - 1) : Members(position: self, end: index)
  }

  public struct Elements: Sequence, IteratorProtocol {
    @usableFromInline var position: JSONView
    @usableFromInline let end: Int

    @inlinable
    init(position: JSONView, end: Int) { (self.position, self.end) = (position, end) }

    @inlinable
    public mutating func next() -> JSONView? {
      guard position.index < end else { return nil }
      defer { position = position.at(position.next) }
      return position
    }
  }

  public struct Members: Sequence, IteratorProtocol {
    @usableFromInline var position: JSONView
    @usableFromInline let end: Int

    @inlinable
    init(position: JSONView, end: Int) { (self.position, self.end) = (position, end) }

    @inlinable
    public mutating func next() -> (name: JSONString, value: JSONView)? {
      guard position.index < end else { return nil }
      let value = position.at(position.index + 1)
      defer { position = position.at(value.next) }
      return (position.stringAtIndex, value)
    }
  }
}
