internal import JSON

extension ItemList {
  /// Objects whose members are so much alike that they may be items under their names, in an answer that has no better
  /// list: two that have the same members, or more of them with one member each.
  ///
  /// - Complexity: O(values) down to four members.
  static func maps(in value: JSONValue, _ path: MemberPath) -> [ItemList] {
    guard let members = value.members else { return [] }
    if areAlike(members, mayBeNumbers: path.names.isEmpty) {
      let place = path.names.isEmpty ? "$item" : path.expression
      return [
        ItemList(
          expression: "\(place) | entries",
          path: path,
          kind: .entries,
          items: members.map(entry),
          isGuess: true
        )
      ]
    }
    guard path.names.count < maximumDepth else { return [] }
    return members.prefix(200).flatMap { maps(in: $0.value, path.appending($0.name)) }
  }

  /// - Parameter mayBeNumbers: they need no text, as in prices by currency. Deeper in an answer, such are the sizes of
  ///   an image.
  private static func areAlike(_ members: [JSONValue.Member], mayBeNumbers: Bool) -> Bool {
    let objects = members.compactMap { $0.value.members }
    guard objects.count == members.count, objects.count > 1, let first = objects.first else { return false }
    let names = Set(first.map(\.name))
    return objects.allSatisfy { object in
      let common = object.filter { names.contains($0.name) }
      // Of two objects, a person and a company may have half of their members in common.
      let isOfOneShape =
        objects.count == 2
        ? Set(object.map(\.name)) == names : common.count * 2 >= max(names.count, object.count)
      return isOfOneShape && common.contains { $0.value.isShown(orNumber: mayBeNumbers) }
    }
  }
}

extension JSONValue {
  /// A row could show it: links alone are no items.
  fileprivate func isShown(orNumber: Bool) -> Bool {
    switch self {
    case .string(let text): !text.isEmpty && !["http://", "https://", "/"].contains(where: text.hasPrefix)
    case .integer, .unsigned, .double: orNumber
    case .null, .bool, .array, .object: false
    }
  }
}
