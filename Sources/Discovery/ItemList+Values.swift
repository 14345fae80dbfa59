internal import JSON

extension ItemList {
  /// Arrays of texts or numbers that may be items themselves, in an answer that has nothing else.
  ///
  /// - Complexity: O(values) down to four members.
  static func values(in body: JSONValue) -> [ItemList] {
    func collect(_ value: JSONValue, _ path: MemberPath) -> [ItemList] {
      if let elements = value.elements {
        guard elements.count > 1, elements.allSatisfy(\.isOfPlainList),
          Set(elements.compactMap(\.identityText)).count == elements.count
        else { return [] }
        let expression = path.names.isEmpty ? nil : path.expression
        let list = ItemList(expression: expression, path: path, kind: .values, items: elements)
        return list.valuesMayBeItems(in: body) ? [list] : []
      }
      guard path.names.count < maximumDepth else { return [] }
      return (value.members ?? []).prefix(200).flatMap { collect($0.value, path.appending($0.name)) }
    }
    return collect(body, MemberPath([]))
  }

  /// Returns whether values of an array may be the items: they are not what an object with an identity has, such as its
  /// tags, and no column beside others.
  func valuesMayBeItems(in body: JSONValue) -> Bool {
    guard let last = path.names.last else { return true }
    guard !path.names.contains(where: { Self.unlikely.contains($0.lowercased()) }) else { return false }
    let members = body[MemberPath(Array(path.names.dropLast()))]?.members ?? []
    return !members.contains { $0.name == "id" || $0.name != last && $0.value.elements != nil }
  }
}

extension JSONValue {
  /// A text or an integer that a row can be called by.
  fileprivate var isOfPlainList: Bool {
    switch self {
    case .integer, .unsigned: true
    case .string(let text): !text.isEmpty && text.utf8.count <= 200
    case .null, .bool, .double, .array, .object: false
    }
  }
}
