internal import FieldValues

extension JSONValue {
  /// This value with a JSON merge patch applied (RFC 7396). Of members with one name in the patch, the last counts.
  ///
  /// Complexity: O(members of this value and of the patch).
  public func merging(patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var object = MemberIndex(self)
    for change in changes {
      if change.value == .null {
        object.remove(change.name)
      } else {
        object.update(change.name) { ($0 ?? .null).merging(patch: change.value) }
      }
    }
    return object.value
  }
}

/// The members of an object by their names' bytes, in their order.
private struct MemberIndex {
  /// Nil where one was removed.
  private var members: [JSONValue.Member?]
  private var positions: [ByteText: Int]

  /// The first of several members with one name counts. A value that is no object has no members.
  init(_ value: JSONValue) {
    members = []
    positions = [:]
    guard case .object(let given) = value else { return }
    positions.reserveCapacity(given.count)
    for member in given where positions.setValue(members.count, ifNew: ByteText(member.name)) {
      members.append(member)
    }
  }

  mutating func remove(_ name: String) {
    if let position = positions.removeValue(forKey: ByteText(name)) { members[position] = nil }
  }

  mutating func update(_ name: String, _ change: (JSONValue?) -> JSONValue) {
    if let position = positions[ByteText(name)] {
      let changed = change(members[position]?.value)
      members[position]?.value = changed
    } else {
      positions[ByteText(name)] = members.count
      members.append(JSONValue.Member(name: name, value: change(nil)))
    }
  }

  var value: JSONValue { .object(members.compactMap(\.self)) }
}

extension Dictionary {
  /// Sets a value where there is none yet. False where there is one.
  fileprivate mutating func setValue(_ value: Value, ifNew key: Key) -> Bool {
    if self[key] != nil { return false }
    self[key] = value
    return true
  }
}
