internal import FieldValues

extension JSONValue {
  /// The place of a name that an object in this value has twice, such as `a.b[2].c`; nil if there is none. Readers
  /// differ in which of the two counts.
  ///
  /// Complexity: expected O(members).
  public var doubledMember: String? {
    switch self {
    case .null, .bool, .integer, .unsigned, .double, .string: return nil
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        if let inner = element.doubledMember { return "[\(index)]" + (inner.first == "[" ? "" : ".") + inner }
      }
      return nil
    case .object(let members):
      if let name = Self.doubledName(members) { return name }
      for member in members {
        if let inner = member.value.doubledMember { return member.name + (inner.first == "[" ? "" : ".") + inner }
      }
      return nil
    }
  }

  private static func doubledName(_ members: [Member]) -> String? {
    // Most objects are small: compared with one another they need no memory.
    if members.count <= 8 {
      for (index, member) in members.enumerated()
      where members[..<index].contains(where: { $0.hasName(member.name) }) {
        return member.name
      }
      return nil
    }
    var names: Set<ByteText> = []
    names.reserveCapacity(members.count)
    return members.first { !names.insert(ByteText($0.name)).inserted }?.name
  }
}
