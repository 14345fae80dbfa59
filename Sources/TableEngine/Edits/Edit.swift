package import JSON

/// One change that a client asks for, read from a request.
package enum Edit: Sendable {
  case insert(item: JSONValue, EditPlace)
  case patch(row: String, JSONValue)
  case delete(row: String)
  case move(row: String, EditPlace)
  /// One of the row's actions; with what the caller sent.
  case action(row: String, id: String, body: JSONValue)

  /// The row that has to be there; nil for an insert.
  var row: String? {
    switch self {
    case .insert: nil
    case .patch(let row, _), .delete(let row), .move(let row, _), .action(let row, _, _): row
    }
  }
}

extension Edit {
  /// Where it puts a row.
  var place: EditPlace? {
    switch self {
    case .insert(_, let place), .move(_, let place): place
    case .patch, .delete, .action: nil
    }
  }

  /// For logs.
  var verb: String {
    switch self {
    case .insert: "insert"
    case .patch: "patch"
    case .delete: "delete"
    case .move: "move"
    case .action(_, let id, _): "action \(id)"
    }
  }
}

/// Where an added or moved row goes, in the table's terms.
package enum EditPlace: Hashable, Sendable {
  case end
  /// At an index of a section; nil: of the table's only one. No index: at the section's end.
  case section(String?, at: Int?)
  case before(String)
  case after(String)
}

extension EditPlace {
  /// From the members of a JSON object: `{"section","at"}`, `{"before"}` or `{"after"}`.
  package init(_ object: JSONValue) throws(TableError) {
    var at: Int?
    switch object["at"] {
    case nil, .null?: break
    case .integer(let index)? where index >= 0 && index <= Int64(Int32.max): at = Int(index)
    default: throw .malformed("`at` is an index in the section, counted from 0.", field: "at")
    }
    func text(_ name: String) throws(TableError) -> String? {
      switch object[name] {
      case nil, .null?: return nil
      case .string(let text)?: return text
      default: throw .malformed("`\(name)` is a text.", field: name)
      }
    }
    try self.init(section: text("section"), at: at, before: text("before"), after: text("after"))
  }

  package init(section: String?, at: Int?, before: String?, after: String?) throws(TableError) {
    let given = [before != nil, after != nil, section != nil || at != nil].filter { $0 }.count
    guard given <= 1 else {
      throw .malformed(
        "A place is `section` and `at`, or `before`, or `after`: one of them.",
        field: before != nil ? "before" : "after"
      )
    }
    if let before {
      self = .before(before)
    } else if let after {
      self = .after(after)
    } else if section != nil || at != nil {
      self = .section(section, at: at)
    } else {
      self = .end
    }
  }
}

extension Edit {
  /// How many edits one batch may have.
  package static let maximumBatch = 1000

  /// Reads the body of `POST …/edits`: `{"edits":[{"op":"add","item":{…},…}, …]}`, or the list alone.
  package static func batch(_ body: JSONValue) throws(TableError) -> [Edit] {
    let list: JSONValue = body["edits"] ?? body
    guard case .array(let elements) = list, !elements.isEmpty else {
      throw .malformed(
        "The body is `{\"edits\": [{\"op\": \"patch\", \"id\": …, \"patch\": {…}}, …]}`.",
        field: "edits"
      )
    }
    guard elements.count <= maximumBatch else {
      throw .unprocessable(
        "\(elements.count) edits are too many for one batch: \(maximumBatch) are the most.",
        field: "edits"
      )
    }
    var edits: [Edit] = []
    for (index, element) in elements.enumerated() { edits.append(try Edit(element, at: index)) }
    return edits
  }

  private init(_ object: JSONValue, at index: Int) throws(TableError) {
    guard case .string(let operation)? = object["op"] else {
      throw .malformed("Edit \(index) has no `op`: one of add, patch, delete, move.", field: "edits[\(index)].op")
    }
    func row() throws(TableError) -> String {
      guard case .string(let id)? = object["id"] else {
        throw .malformed("Edit \(index) names no row: `id` is its identity, a text.", field: "edits[\(index)].id")
      }
      return id
    }
    func member(_ name: String) throws(TableError) -> JSONValue {
      guard let value = object[name], case .object = value else {
        throw .malformed("Edit \(index) needs `\(name)`, an object.", field: "edits[\(index)].\(name)")
      }
      return value
    }
    switch operation {
    case "add", "insert":
      self = .insert(item: object["item"] == nil ? .object([]) : try member("item"), try EditPlace(object))
    case "patch": self = .patch(row: try row(), try member("patch"))
    case "delete": self = .delete(row: try row())
    case "move":
      let place = try EditPlace(object)
      guard place != .end else {
        throw .malformed(
          "Edit \(index) says not where to: `section` and `at`, `after` or `before`.",
          field: "edits[\(index)]"
        )
      }
      self = .move(row: try row(), place)
    default:
      throw .malformed("`\(operation)` is no edit: add, patch, delete and move are.", field: "edits[\(index)].op")
    }
  }
}
