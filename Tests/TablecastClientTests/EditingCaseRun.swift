import Foundation
import TablecastTesting

@testable import TablecastClient

/// Takes the steps of a case of `Tests/ClientCases/editing.json` with a whole client, on a clock of its own; the README
/// beside it says what they mean.
final class EditingCaseRun {
  private struct Difference: Error { var text: String }

  private let scheduler = ManualScheduler()
  /// Not a folder: a weekend offline writes some ten thousand times.
  private let disk = LifeStore.Disk()
  private var transport = ScriptedTransport()
  private var client: TablecastClient<AnyCell>?
  private var observation: TableObservation?
  private var cursor = ""
  private var rows: [String] = []
  private var isOffline = false
  private var edits: [String: EditID] = [:]
  private var outcomes: [String: EditOutcome] = [:]
  private var keys: [String: String] = [:]
  private var held: [String: Int] = [:]
  /// Edits whose outcome was a bad one first.
  private var retried: Set<String> = []
  /// When polls that wait are to be answered.
  private var due: [Int: Double] = [:]

  init() throws { try start() }

  private func start() throws {
    guard let url = URL(string: "http://service") else { throw Difference(text: "no URL") }
    transport = ScriptedTransport()
    var options = ClientOptions()
    (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
    options.editStore = LifeStore(disk)
    client = TablecastClient(url: url, options: options)
  }

  private var table: LiveTable<AnyCell>? { client?.table("t") }

  /// What is not as the step says; nil where all is.
  func take(_ step: JSONText) -> String? {
    do {
      for (name, value) in step.members where try take(name, value, step) { return nil }
      return "a step that this runner doesn't know"
    } catch let difference as Difference { return difference.text } catch { return "\(error)" }
  }

  private func take(_ name: String, _ value: JSONText, _ step: JSONText) throws -> Bool {
    switch name {
    case "service":
      guard step["sent"] == nil else { return false }
      serve(value)
      advance(by: 2)
    case "observe": observation = table?.observe { _ in }
    case "edit": edit(value.string ?? "", step)
    case "sent": try sent(value, step)
    case "answer":
      guard let number = held[value.string ?? ""], let reply = step["reply"] else { return false }
      transport.answer(number, .success(response(reply)))
    case "none":
      try expectNone()
      advance(by: seconds(value), until: { !self.open.isEmpty })
      try expectNone()
    case "advance": advance(by: seconds(value))
    case "offline": isOffline = value.boolean ?? false
    case "wake":
      scheduler.advance(by: 1)
      client?.wake()
    case "resume": client?.resume()
    case "token": client?.useToken(nil)
    case "retry":
      retried.insert(value.string ?? "")
      try table?.retry(id(value))
    case "discard": try table?.discard(id(value))
    case "kill":
      observation = nil
      client = nil
      due = [:]
      try start()
    case "state": try state(value.string ?? "", step)
    case "listed":
      settle()
      let listed = (table?.snapshot?.edits ?? []).map(\.id)
      let wanted = try value.elements.map(id)
      guard listed == wanted else { throw Difference(text: "listed are \(table?.snapshot?.edits ?? [])") }
    case "trouble":
      settle()
      let trouble: String? =
        switch table?.snapshot?.trouble {
        case .signInNeeded?: "signInNeeded"
        case .unreachable?: "unreachable"
        case .noToken?: "noToken"
        case nil: nil
        }
      guard trouble == value.string else { throw Difference(text: "the trouble is \(trouble ?? "none")") }
    case "shows":
      settle()
      let shown = table?.snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? []
      guard shown == value.elements.compactMap({ $0.string.map(named) }) else {
        throw Difference(text: "rows are \(shown)")
      }
    default: return false
    }
    settle()
    return true
  }

  private func serve(_ state: JSONText) {
    cursor = state["cursor"]?.string ?? ""
    rows = (state["rows"]?.elements ?? []).compactMap { $0.string.map(named) }
  }

  private func edit(_ op: String, _ step: JSONText) {
    guard let table, let name = step["as"]?.string else { return }
    let row = named(step["row"]?.string ?? "")
    let body = step["body"]?.detached ?? .null
    let preview = try? JSONText("{\"cellIdentifier\":\"C\",\"payload\":{}}")
    let edit: PendingEdit? =
      switch op {
      case "add": table.add(body, at: place(step["place"]), preview: step["show"] == nil ? nil : preview)
      case "patch": table.patch(row, body)
      case "delete": table.delete(row)
      case "move": table.move(row, to: place(step["place"]))
      case "tap": table.tap(row)
      case "refresh": table.refresh()
      default: nil
      }
    edits[name] = edit?.id
    outcomes[name] = edit?.end
  }

  private func place(_ json: JSONText?) -> EditPlace {
    if let row = json?["before"]?.string { return .before(named(row)) }
    if let row = json?["after"]?.string { return .after(named(row)) }
    if let section = json?["section"]?.string { return .section(section, at: json?["at"]?.integer) }
    return .end
  }

  /// The request of an edit, which is there within some seconds, and how it is answered.
  private func sent(_ json: JSONText, _ step: JSONText) throws {
    let former = step["after"]?.string.flatMap { held[$0] }
    let isWanted = { (call: ScriptedTransport.Call) in call.number != former && self.matches(call.request, json) }
    settle()
    advance(by: step["within"].map(seconds) ?? 0, until: { self.open.contains(where: isWanted) })
    guard let call = open.first(where: isWanted) else {
      throw Difference(text: "not sent; open are \(open.map { "\($0.request.method) \($0.request.url)" })")
    }
    guard open.count == 1 else { throw Difference(text: "several at once: \(open.map(\.request.url))") }
    let key = call.request.headers["Idempotency-Key"] ?? ""
    if let name = step["key"]?.string {
      guard !key.isEmpty, keys[name] ?? key == key, !keys.contains(where: { $0.key != name && $0.value == key }) else {
        throw Difference(text: "the key is \(key), of \(keys)")
      }
      keys[name] = key
    }
    if let reply = step["reply"] {
      // By the time of the answer the service has the edit.
      if let state = step["service"] { serve(state) }
      transport.answer(call.number, .success(response(reply)))
      if step["service"] != nil { advance(by: 2) }
    } else if step["fail"] != nil {
      transport.answer(call.number, .failure(TransportFailure("the connection broke")))
    } else if let name = step["held"]?.string {
      held[name] = call.number
    }
  }

  private func matches(_ request: TransportRequest, _ json: JSONText) -> Bool {
    guard let components = URLComponents(string: request.url), request.method == json["method"]?.string,
      components.path == json["path"]?.string.map(named)
    else { return false }
    for (name, value) in json["headers"]?.members ?? [] where request.headers[name] != value.string { return false }
    let query = Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    let wanted = (json["query"]?.members ?? []).map { ($0.name, named($0.value.string ?? $0.value.text)) }
    guard query == Dictionary(wanted, uniquingKeysWith: { first, _ in first }) else { return false }
    guard let body = json["body"] else { return true }
    guard let mine = try? JSONText(request.body ?? []) else { return false }
    return canonical(mine) == canonical(JSONText(checked: ArraySlice(Array(named(body.text).utf8))))
  }

  private func canonical(_ json: JSONText) -> String {
    let members = json.members.map { "\($0.name)=\($0.value.text)" }.sorted()
    return members.isEmpty ? json.text : members.joined(separator: "&")
  }

  private func state(_ name: String, _ step: JSONText) throws {
    settle()
    guard let id = edits[name] else { throw Difference(text: "no edit `\(name)`") }
    let status = table?.snapshot?.edits.first { $0.id == id }
    let state: String =
      switch status?.state {
      case .local?: "local"
      case .sent?: "sent"
      case .acknowledged?: "acknowledged"
      case .confirmed?: "confirmed"
      case .refused?: "refused"
      case .unknown?: "unknown"
      // Gone from the list: by its outcome, which agrees with what is shown.
      case nil:
        if retried.contains(name) {
          "confirmed"
        } else if case .confirmed? = outcomes[name]?.current {
          "confirmed"
        } else {
          "gone"
        }
      }
    guard state == step["is"]?.string else { throw Difference(text: "`\(name)` is \(state), \(status as Any)") }
    if let title = step["title"]?.string, status?.problem?.title != title {
      throw Difference(text: "the problem is \(status?.problem as Any)")
    }
    if let fields = step["fields"] {
      let wanted = fields.members.map { ($0.name, $0.value.elements.compactMap(\.string)) }
      guard status?.problem?.fields == Dictionary(wanted, uniquingKeysWith: { first, _ in first }) else {
        throw Difference(text: "the fields are \(status?.problem?.fields ?? [:])")
      }
    }
  }

  // MARK: Time and the service

  /// Requests of edits that are under way.
  private var open: [ScriptedTransport.Call] { transport.waiting.filter { $0.request.method != "GET" } }

  private func expectNone() throws {
    settle()
    guard open.isEmpty else { throw Difference(text: "open are \(open.map(\.request.url))") }
  }

  private func advance(by seconds: Double, until isReached: () -> Bool = { false }) {
    let end = scheduler.now + seconds
    settle()
    while !isReached(), let next = scheduler.nextDue, next <= end {
      scheduler.advance(by: max(0, next - scheduler.now))
      settle()
    }
    if !isReached(), end > scheduler.now { scheduler.advance(by: end - scheduler.now) }
    settle()
  }

  /// Lets the client do all that it can, and answers its polls as the service would.
  private func settle() {
    for _ in 0..<1000 {
      client?.engine.settle()
      let calls = transport.waiting.filter { isOffline || $0.request.method == "GET" && answer(to: $0) != nil }
      if calls.isEmpty { return }
      for call in calls {
        let result: Result<TransportResponse, TransportFailure> =
          isOffline
          ? .failure(TransportFailure("no network", kind: .unsent))
          : .success(TransportResponse(json: answer(to: call) ?? ""))
        transport.answer(call.number, result)
      }
    }
  }

  private func answer(to call: ScriptedTransport.Call) -> String? {
    let number = call.number
    let items = URLComponents(string: call.request.url)?.queryItems ?? []
    let after = items.first { $0.name == "after" }?.value
    let from = after.map { "\"\($0)\"" } ?? "null"
    if after == cursor {
      // A poll waits; the runner answers it when that is over.
      let wait = items.first { $0.name == "wait" }?.value.flatMap { Double($0) } ?? 0
      guard wait == 0 || (due[number] ?? .infinity) <= scheduler.now else {
        if due[number] == nil {
          due[number] = scheduler.now + wait
          _ = scheduler.schedule(at: scheduler.now + wait) {}
        }
        return nil
      }
      return "{\"table\":\"t\",\"from\":\(from),\"to\":\"\(cursor)\",\"stages\":[]}"
    }
    let rows = rows.map { "{\"id\":\"\($0)\",\"cellIdentifier\":\"C\",\"payload\":{}}" }.joined(separator: ",")
    return """
      {"table":"t","from":\(from),"to":"\(cursor)","reset":"start","snapshot":{"table":"t","cursor":"\(cursor)",
       "state":"ready","sections":[{"id":"s","rows":[\(rows)]}]}}
      """
  }

  private func response(_ json: JSONText) -> TransportResponse {
    var headers: [String: String] = [:]
    for (name, value) in json["headers"]?.members ?? [] { headers[name] = value.string ?? value.text }
    let body = json["body"].map { $0.string ?? $0.text } ?? ""
    return TransportResponse(status: json["status"]?.integer ?? 200, headers: headers, json: named(body))
  }

  private func id(_ name: JSONText) throws -> EditID {
    guard let id = edits[name.string ?? ""] else { throw Difference(text: "no edit `\(name.text)`") }
    return id
  }

  /// `$a` is the row that the edit `a` adds.
  private func named(_ text: String) -> String {
    edits.reduce(text) { $0.replacingOccurrences(of: "$\($1.key)", with: $1.value.localRow) }
  }

  private func seconds(_ json: JSONText) -> Double { Double(json.text) ?? 0 }
}
