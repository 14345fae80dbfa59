import Foundation

/// The edits of one table as they are kept: what `EditStore` holds.
///
/// `{"origin","caller","table","parameters","edits":[{"id","view","isUnknown","sentAt","op",…}]}`; `sentAt`, in seconds
/// since 1970, is when an edit was first sent. One that the service has answered has its `answer`, one that it refused its
/// `problem`. Earlier releases had a file for each view, with one `view` for all its edits.
struct KeptEdits: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var id: EditID
    var edit: TableEdit
    var view: String?
    /// It ended so: kept for the user to see, and not sent again by itself.
    var isUnknown = false
    var sentAt: Double?
    var attempt = 0
    var isPosted = false
    /// Why it was refused or, of one that is unknown, why nobody knows its end.
    var problem: Problem?
    var version: TableCursor?
    /// Of one that is done and was not seen yet.
    var answer: JSONText?
  }

  var origin: String
  /// A digest: names are nobody else's business.
  var caller: String
  /// With the view, in a file of an earlier release.
  var address: TableAddress
  var entries: [Entry]
  /// Entries that this release can't read, as they are: a newer one that was here before knows them perhaps, and will again.
  var unreadable: [JSONText] = []

  /// Items as deep as JSON texts may be stand some levels deeper here, in batches most of all.
  private static let maximumDepth = JSONScanner.maximumDepth + 16

  var isEmpty: Bool { entries.isEmpty && unreadable.isEmpty }

  var bytes: [UInt8] {
    var output = JSONOutput()
    output.raw("{")
    output.member("origin", origin)
    output.member("caller", caller)
    output.member("table", address.name)
    output.name("parameters")
    output.raw("{")
    for (name, value) in address.parameters.sorted(by: { $0.key < $1.key }) { output.member(name, value) }
    output.raw("}")
    output.name("edits")
    output.raw("[")
    for entry in entries {
      output.comma()
      entry.write(to: &output)
    }
    for entry in unreadable {
      output.comma()
      output.raw(entry)
    }
    output.raw("]}")
    return output.bytes
  }

  /// - Throws: what is no list of a client's kept edits.
  init(_ bytes: [UInt8]) throws {
    let json = try JSONText(bytes, maximumDepth: Self.maximumDepth)
    guard let origin = json["origin"]?.string, let caller = json["caller"]?.string, let table = json["table"]?.string
    else { throw MalformedReply("no kept edits") }
    var parameters: [String: String] = [:]
    for (name, value) in json["parameters"]?.members ?? [] { parameters[name] = value.string }
    (self.origin, self.caller) = (origin, caller)
    let view = json["view"]?.string
    address = TableAddress(table, parameters: parameters, view: view)
    entries = []
    for element in json["edits"]?.elements ?? [] {
      do { entries.append(try Entry(element, ofView: view)) } catch { unreadable.append(element.detached) }
    }
  }

  init(origin: String, caller: String, address: TableAddress, entries: [Entry]) {
    (self.origin, self.caller, self.address, self.entries) = (origin, caller, address, entries)
  }
}

extension KeptEdits.Entry {
  /// Nil for an edit that is over for everybody.
  init?(_ status: EditStatus) {
    if case .confirmed = status.state { return nil }
    self.init(
      id: status.id,
      edit: status.edit,
      view: status.view,
      isUnknown: status.state == .unknown,
      sentAt: status.firstSent,
      attempt: status.attempt,
      isPosted: status.isPosted,
      problem: status.problem,
      version: status.version
    )
    if case .acknowledged(let answer) = status.state { self.answer = answer }
  }

  /// As it was; what was under way is to be sent again.
  var status: EditStatus {
    var status = EditStatus(id: id, edit: edit, state: .local)
    if isUnknown { status.state = .unknown } else if let problem { status.state = .refused(problem) }
    if let answer { status.state = .acknowledged(answer) }
    (status.firstSent, status.attempt, status.isPosted, status.problem) = (sentAt, attempt, isPosted, problem)
    (status.version, status.view) = (version, view)
    return status
  }

  /// - Parameter view: that of all edits in a file of an earlier release.
  init(_ json: JSONText, ofView view: String?) throws {
    guard let id = json["id"]?.string else { throw MalformedReply("a kept edit has no `id`") }
    self.init(
      id: EditID(id),
      edit: try TableEdit(json),
      view: json["view"]?.string ?? view,
      isUnknown: json["isUnknown"]?.boolean ?? false,
      sentAt: json["sentAt"].flatMap { Double($0.text) },
      attempt: max(0, json["attempt"]?.integer ?? 0),
      isPosted: json["isPosted"]?.boolean ?? false,
      problem: json["problem"].map { Problem($0) },
      version: json["version"]?.string.flatMap { TableCursor($0) },
      answer: json["answer"]?.detached
    )
  }

  func write(to output: inout JSONOutput) {
    output.raw("{")
    output.member("id", id.description)
    if let view { output.member("view", view) }
    output.name("isUnknown")
    output.raw(isUnknown ? "true" : "false")
    if let sentAt {
      output.name("sentAt")
      output.raw(String(sentAt))
    }
    if attempt > 0 {
      output.name("attempt")
      output.raw(String(attempt))
    }
    if isPosted {
      output.name("isPosted")
      output.raw("true")
    }
    if let problem {
      output.name("problem")
      problem.write(to: &output)
    }
    if let version { output.member("version", version.text) }
    if let answer { output.member("answer", answer) }
    edit.write(to: &output)
    output.raw("}")
  }
}

extension TableEdit {
  fileprivate init(_ json: JSONText) throws {
    func row() throws -> String {
      guard let row = json["row"]?.string else { throw MalformedReply("a kept edit has no `row`") }
      return row
    }
    switch json["op"]?.string {
    case "add": self = .add(item: try Self.value(json, "item"), try EditPlace(json), preview: json["preview"]?.detached)
    case "patch": self = .patch(row: try row(), try Self.value(json, "patch"), preview: json["preview"]?.detached)
    case "delete": self = .delete(row: try row())
    case "move": self = .move(row: try row(), try EditPlace(json))
    case "tap": self = .tap(row: try row())
    case "action":
      self = .action(row: try row(), id: json["action"]?.string ?? "", body: json["body"]?.detached)
    case "refresh": self = .refresh
    case "batch": self = .batch(try (json["edits"]?.elements ?? []).map { try TableEdit($0) })
    default: throw MalformedReply("a kept edit of a kind that isn't known")
    }
  }

  /// A member that may be null, and must be there.
  private static func value(_ json: JSONText, _ name: String) throws -> JSONText {
    guard let value = json.members.first(where: { $0.name == name })?.value else {
      throw MalformedReply("a kept edit has no `\(name)`")
    }
    return value.detached
  }

  fileprivate func write(to output: inout JSONOutput) {
    if let row { output.member("row", row) }
    switch self {
    case .add(let item, let place, let preview):
      output.member("op", "add")
      output.member("item", item)
      output.member("preview", preview)
      place.write(to: &output)
    case .patch(_, let patch, let preview):
      output.member("op", "patch")
      output.member("patch", patch)
      output.member("preview", preview)
    case .delete: output.member("op", "delete")
    case .move(_, let place):
      output.member("op", "move")
      place.write(to: &output)
    case .tap: output.member("op", "tap")
    case .action(_, let id, let body):
      output.member("op", "action")
      output.member("action", id)
      output.member("body", body)
    case .refresh: output.member("op", "refresh")
    case .batch(let edits):
      output.member("op", "batch")
      output.name("edits")
      output.raw("[")
      for edit in edits {
        output.comma()
        output.raw("{")
        edit.write(to: &output)
        output.raw("}")
      }
      output.raw("]")
    }
  }
}

extension EditPlace {
  fileprivate init(_ json: JSONText) throws {
    if let section = json["section"]?.string {
      self = .section(section, at: json["at"]?.integer)
    } else if let row = json["before"]?.string {
      self = .before(row)
    } else if let row = json["after"]?.string {
      self = .after(row)
    } else {
      self = .end
    }
  }

  /// As the protocol names it.
  func write(to output: inout JSONOutput) {
    switch self {
    case .end: break
    case .section(let section, let index):
      output.member("section", section)
      if let index {
        output.name("at")
        output.raw(String(index))
      }
    case .before(let row): output.member("before", row)
    case .after(let row): output.member("after", row)
    }
  }
}
