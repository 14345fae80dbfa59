import JSON

/// An edit that an upstream has accepted from a replica which doesn't ask its sources: what the one that does needs to show
/// it.
struct HandedEdit: Sendable {
  /// The table's name.
  var table: String
  /// To whose upstream it was sent.
  var source: String
  var edit: Edit
  /// The item in the upstream's answer, if there is one.
  var item: [UInt8]?
  /// The item as it was when the edit was sent (``ForwardingPlan/itemDigest``); nil of an insert, and where another release says nothing.
  var before: String?

  /// The most bytes of a notification beside its identity.
  static let maximumText = 3_800

  init(table: String, source: String, edit: Edit, item: [UInt8]?, before: String?) {
    (self.table, self.source, self.edit, self.item, self.before) = (table, source, edit, item, before)
  }

  /// Nil where it is too long to be told.
  var text: String? {
    var members: [JSONValue.Member] = [
      JSONValue.Member(name: "table", value: .string(table)), JSONValue.Member(name: "source", value: .string(source)),
      JSONValue.Member(name: "edit", value: edit.json),
    ]
    if let before { members.append(JSONValue.Member(name: "before", value: .string(before))) }
    if let item, item.count <= Self.maximumText, let value = try? JSONValue(parsing: item) {
      members.append(JSONValue.Member(name: "item", value: value))
    } else if item != nil {
      return nil
    }
    let text = String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    return text.utf8.count <= Self.maximumText ? text : nil
  }

  /// Nil where it is none.
  init?(_ text: some StringProtocol) {
    guard let json = try? JSONValue(parsing: Array(text.utf8)), case .string(let table)? = json["table"],
      case .string(let source)? = json["source"], let edit = json["edit"].flatMap({ Edit(handed: $0) })
    else { return nil }
    let before: String? = if case .string(let digest)? = json["before"] { digest } else { nil }
    self.init(table: table, source: source, edit: edit, item: json["item"]?.bytes, before: before)
  }
}

extension Edit {
  fileprivate var json: JSONValue {
    func object(_ operation: String, _ others: [(String, JSONValue)]) -> JSONValue {
      .object(([("op", .string(operation))] + others).map { JSONValue.Member(name: $0.0, value: $0.1) })
    }
    switch self {
    case .insert(let item, let place): return object("add", [("item", item)] + place.members)
    case .put(let row, let item, let place, _):
      return object("add", [("id", .string(row)), ("item", item)] + place.members)
    case .patch(let row, let patch): return object("patch", [("id", .string(row)), ("patch", patch)])
    case .delete(let row): return object("delete", [("id", .string(row))])
    case .move(let row, let place): return object("move", [("id", .string(row))] + place.members)
    case .action(let row, let id, let body):
      return object("action", [("id", .string(row)), ("action", .string(id)), ("body", body)])
    }
  }

  /// As ``json`` says it.
  fileprivate init?(handed json: JSONValue) {
    if case .string("action")? = json["op"] {
      guard case .string(let row)? = json["id"], case .string(let id)? = json["action"] else { return nil }
      self = .action(row: row, id: id, body: json["body"] ?? .null)
    } else if let edits = try? Edit.batch(.array([json])), let edit = edits.first {
      self = edit
    } else {
      return nil
    }
  }
}

extension EditPlace {
  fileprivate var members: [(String, JSONValue)] {
    switch self {
    case .end: []
    case .section(let id, let at):
      (id.map { [("section", JSONValue.string($0))] } ?? []) + (at.map { [("at", .integer(Int64($0)))] } ?? [])
    case .before(let row): [("before", .string(row))]
    case .after(let row): [("after", .string(row))]
    }
  }
}
