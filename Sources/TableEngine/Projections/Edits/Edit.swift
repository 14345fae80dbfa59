import FieldValues
package import JSON
import TableMapping
import TableModel

/// One change that a client asks for, read from a request.
package enum Edit: Sendable {
  case insert(item: JSONValue, EditPlace)
  /// Adds an item under an identity that the client has chosen, or puts it in the place of the one that has it.
  case put(row: String, item: JSONValue, EditPlace, PutCondition)
  case patch(row: String, JSONValue)
  case delete(row: String)
  case move(row: String, EditPlace)
  /// One of the row's actions; with what the caller sent.
  case action(row: String, id: String, body: JSONValue)

  /// The row that it names; nil for an insert.
  package var row: String? {
    switch self {
    case .insert: nil
    case .put(let row, _, _, _), .patch(let row, _), .delete(let row), .move(let row, _), .action(let row, _, _): row
    }
  }
}

/// The condition under which an item with a chosen identity may replace one that is there.
package enum PutCondition: Sendable {
  case none
  /// `If-None-Match: *`: it is only added.
  case absent
}

extension Edit {
  /// The place where the edit puts a row.
  var place: EditPlace? {
    switch self {
    case .insert(_, let place), .put(_, _, let place, _), .move(_, let place): place
    case .patch, .delete, .action: nil
    }
  }

  /// A put adds or replaces, depending on the present rows.
  var isPut: Bool { if case .put = self { true } else { false } }

  /// For logs.
  package var verb: String {
    switch self {
    case .insert: "insert"
    case .put: "put"
    case .patch: "patch"
    case .delete: "delete"
    case .move: "move"
    case .action(_, let id, _): "action \(id)"
    }
  }
}

/// The destination of an added or moved row, in the table's terms.
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
  ///
  /// - Parameter condition: of all that are added with an `id`.
  package static func batch(_ body: JSONValue, _ condition: PutCondition = .none) throws(TableError) -> [Edit] {
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
    for (index, element) in elements.enumerated() {
      do throws(TableError) { edits.append(try Edit(element, condition)) } catch { throw error.ofEdit(index) }
    }
    return edits
  }

  /// One edit of a batch.
  private init(_ object: JSONValue, _ condition: PutCondition) throws(TableError) {
    guard case .string(let operation)? = object["op"] else {
      throw .malformed("`op` is one of add, patch, delete, move.", field: "op")
    }
    func row() throws(TableError) -> String {
      guard case .string(let id)? = object["id"] else {
        throw .malformed("It names no row: `id` is a row's identity, a text.", field: "id")
      }
      return id
    }
    func member(_ name: String) throws(TableError) -> JSONValue {
      guard let value = object[name], case .object = value else {
        throw .malformed("`\(name)` is an object, and needed for `\(operation)`.", field: name)
      }
      return value
    }
    switch operation {
    case "add", "insert":
      let (item, place) = (object["item"] == nil ? .object([]) : try member("item"), try EditPlace(object))
      switch object["id"] {
      case nil, .null?: self = .insert(item: item, place)
      default: self = .put(row: try row(), item: item, place, condition)
      }
    case "patch": self = .patch(row: try row(), try member("patch"))
    case "delete": self = .delete(row: try row())
    case "move":
      let place = try EditPlace(object)
      guard place != .end else {
        throw .malformed("It says not where to: `section` and `at`, `after` or `before`.")
      }
      self = .move(row: try row(), place)
    default: throw .malformed("`\(operation)` is no edit: add, patch, delete and move are.", field: "op")
    }
  }
}

extension EditPlace {
  /// Returns this place in a source's list.
  ///
  /// - Parameter position: of the moving item.
  func neighbor(in result: MappingResult, moving position: Int, of source: String) -> ListEdits.Place {
    func item(_ row: String) -> Int? {
      result.item(row).flatMap { $0.source == source && $0.position != position ? $0.position : nil }
    }
    switch self {
    case .end: return .end
    case .before(let row): return item(row).map { .before($0) } ?? .end
    case .after(let row): return item(row).map { .after($0) } ?? .end
    case .section(let id, let at):
      let named = id.flatMap { result.section(named: $0) }
      guard let at, let section = named ?? result.sections.first else { return .end }
      // Places count without the row that moves.
      let own = result.rows(ofItemAt: position, of: source).lazy
        .compactMap { section.rows.firstIndex(of: $0.id, $0.key.identity) }.first
      let place = own.map { $0 <= at ? at + 1 : at } ?? at
      guard section.rows.indices.contains(place) else { return .end }
      return item(section.rows[place].id).map { .before($0) } ?? .end
    }
  }

  /// The same among all items of the list; the moving one is no longer in it. O(items).
  func index(among rows: [String?], in sections: [Section], naming name: (String) -> String) -> Int {
    func place(of row: String) -> Int? { rows.firstIndex { $0?.isExactly(row) == true } }
    switch self {
    case .end: return rows.count
    case .before(let row): return place(of: row) ?? rows.count
    case .after(let row): return place(of: row).map { $0 + 1 } ?? rows.count
    case .section(let id, let at):
      let section = id.flatMap { id in sections.first { $0.id.isExactly(id) } } ?? sections.first
      let known = Set(rows.lazy.compactMap { $0.map { ByteText($0) } })
      let present = (section?.rows ?? []).map { name($0.id) }.filter { known.contains(ByteText($0)) }
      guard let at, at < present.count else { return rows.count }
      return place(of: present[at]) ?? rows.count
    }
  }
}
