/// An edit as the request that the protocol has for it.
struct EditRequest: Hashable, Sendable {
  var method: String
  /// Behind the service's URL.
  var target: String
  var body: [UInt8]?
  /// The `Idempotency-Key`.
  var key = ""
  /// The `If-Match`, without its quotes.
  var version: TableCursor?
  /// Adds a row under an identity of this client's making, where there is none of it (`If-None-Match: *`).
  var isPut = false

  init(_ status: EditStatus, to table: TableAddress) {
    let address = TableAddress(table.name, parameters: table.parameters, view: status.view)
    self.init(status.edit, to: address, identity: status.isPosted ? nil : status.addedRow)
    (key, version) = (status.key, status.version)
  }

  /// - Parameter identity: under which an item is added; nil leaves that to the service.
  init(_ edit: TableEdit, to address: TableAddress, identity: String? = nil) {
    var query: [String] = []
    let path: String
    func row(_ id: String) -> String { percentEncoded(id) }
    switch edit {
    case .add(let item, let place, _):
      isPut = identity != nil
      (method, path, body) = (
        isPut ? "PUT" : "POST", "/items" + (identity.map { "/" + row($0) } ?? ""), Array(item.bytes)
      )
      switch place {
      case .end: break
      case .section(let section, let index):
        query.append("section=\(percentEncoded(section))")
        if let index { query.append("at=\(index)") }
      case .before(let other): query.append("before=\(percentEncoded(other))")
      case .after(let other): query.append("after=\(percentEncoded(other))")
      }
    case .patch(let id, let patch, _): (method, path, body) = ("PATCH", "/items/\(row(id))", Array(patch.bytes))
    case .delete(let id): (method, path) = ("DELETE", "/items/\(row(id))")
    case .move(let id, let place): (method, path, body) = ("POST", "/items/\(row(id))/move", place.body)
    case .tap(let id): (method, path) = ("POST", "/rows/\(row(id))/tap")
    case .action(let id, let action, let json):
      (method, path) = ("POST", "/rows/\(row(id))/actions/\(percentEncoded(action))")
      body = json.map { Array($0.bytes) }
    case .refresh: (method, path) = ("POST", "/refresh")
    case .batch(let edits): (method, path, body) = ("POST", "/edits", Self.body(of: edits))
    }
    // A refresh is for everybody: the service refuses one of a view.
    if let view = address.view, edit != .refresh { query.append("view=\(percentEncoded(view))") }
    target = address.path + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }
}

extension EditRequest {
  /// `{"edits":[{"op":"patch","id":"2","patch":{…}}]}`. A tap, an action, a refresh or another batch can't stand in a
  /// batch: it is sent as `none`, for the service to refuse the batch and name the edit.
  private static func body(of edits: [TableEdit]) -> [UInt8] {
    var output = JSONOutput()
    output.raw("{")
    output.name("edits")
    output.raw("[")
    for edit in edits {
      output.comma()
      output.raw("{")
      switch edit {
      case .add(let item, let place, _):
        output.member("op", "add")
        output.member("item", item)
        place.write(to: &output)
      case .patch(let row, let patch, _):
        output.member("op", "patch")
        output.member("id", row)
        output.member("patch", patch)
      case .delete(let row):
        output.member("op", "delete")
        output.member("id", row)
      case .move(let row, let place):
        output.member("op", "move")
        output.member("id", row)
        place.write(to: &output)
      case .tap, .action, .refresh, .batch: output.member("op", "none")
      }
      output.raw("}")
    }
    output.raw("]}")
    return output.bytes
  }
}

extension EditPlace {
  fileprivate var body: [UInt8] {
    var output = JSONOutput()
    output.raw("{")
    write(to: &output)
    output.raw("}")
    return output.bytes
  }
}
