internal import JSON
public import TableModel

/// An entry of a row's swipe or context menu: `{"id","title","style"}`, encoded.
public struct RowAction: Sendable {
  public let id: String
  let encoded: [UInt8]

  public init(id: String, title: String, style: String) {
    self.id = id
    encoded =
      JSONValue.object([
        .init(name: "id", value: .string(id)), .init(name: "title", value: .string(title)),
        .init(name: "style", value: .string(style)),
      ]).bytes
  }
}

extension Row {
  /// The actions that the row offers, by their ids, in order; none of most rows. O(bytes).
  public var actions: [String] {
    guard let range = encodedActions, let list = try? JSONValue(parsing: Array(encoded[range])),
      case .array(let actions) = list
    else { return [] }
    return actions.compactMap { if case .string(let id)? = $0["id"] { id } else { nil } }
  }

  /// The place of the list in `encoded`; nil without one. It is looked for when it is asked for, so that rows without
  /// actions, which is most of them, need not remember that they have none. O(bytes).
  var encodedActions: Range<Int>? {
    PayloadMembers(encoded, encoded.indices).first { encoded[$0.name].elementsEqual(Self.actionsName) }?.value
  }

  private static let actionsName = Array("\"actions\"".utf8)
}
