import Foundation

@testable import TablecastClient

/// Takes the steps of a shared case, on a clock of its own. Delays are as the jitter has them: no longer than a case says.
struct SharedCaseRun {
  private var follower = Follower(seed: 1)
  private var now = 0.0
  private var open: [(id: Int, target: String)] = []
  private var requests = 0
  private var tables: [String: TableAddress] = [:]

  /// What is not as the step says; nil where all is.
  mutating func take(_ step: JSONText) -> String? {
    for (name, value) in step.members {
      switch name {
      case "observe":
        var parameters: [String: String] = [:]
        for (name, value) in step["params"]?.members ?? [] { parameters[name] = value.string ?? value.text }
        let table = value.string ?? ""
        let address = TableAddress(table, parameters: parameters, view: step["view"]?.string)
        tables[table] = address
        handle(.observe(address, Self.window(step["rows"])))
        return nil
      case "leave": return with(value) { $0.handle(.leave($1)) }
      case "pause":
        handle(.pause(value.string ?? "", nil))
        return nil
      case "resume":
        handle(.resume(value.string ?? "", nil))
        return nil
      case "wake":
        handle(.wake)
        return nil
      case "more":
        return with(value) { run, address in
          guard let window = run.follower.tables[address]?.content?.attributes.window else { return }
          run.handle(.widen(address, RowWindow(window).longer(by: step["rows"]?.integer ?? 0)))
        }
      case "advance":
        advance(by: seconds(value))
        return nil
      case "none":
        guard open.isEmpty else { return "open are \(open.map(\.target))" }
        let before = requests
        advance(by: seconds(value))
        return requests == before ? nil : "asked \(open.map(\.target))"
      case "requests": return requests <= value.integer ?? 0 ? nil : "\(requests) requests"
      case "request": return request(value, step)
      case "answerAll":
        answerAll(value, for: step["for"].map(seconds) ?? 0)
        return nil
      case "shown": return shown(value, step)
      default: continue
      }
    }
    return "a step that this runner doesn't know"
  }

  private mutating func with(_ table: JSONText, _ body: (inout SharedCaseRun, TableAddress) -> Void) -> String? {
    guard let address = tables[table.string ?? ""] else { return "no such table" }
    body(&self, address)
    return nil
  }

  private func seconds(_ json: JSONText) -> Double { Double(json.text) ?? 0 }

  private mutating func handle(_ event: Follower.Event) {
    for action in follower.handle(event, now: now) {
      switch action {
      case .send(let id, let target, _):
        requests += 1
        open.append((id, target))
      case .cancel(let id): open.removeAll { $0.id == id }
      case .changed, .confirmed, .stream: continue
      }
    }
  }

  private mutating func advance(by seconds: Double) {
    let end = now + seconds
    while let next = follower.nextDeadline, next <= end {
      now = max(now, next)
      handle(.time)
    }
    now = end
    handle(.time)
  }

  private mutating func request(_ json: JSONText, _ step: JSONText) -> String? {
    let end = now + (step["within"].map(seconds) ?? 0)
    while !open.contains(where: { matches($0.target, json) }) {
      guard let next = follower.nextDeadline, next <= end else {
        return "not asked; open are \(open.map(\.target)), next is due at \(follower.nextDeadline ?? -1), now \(now)"
      }
      now = max(now, next)
      handle(.time)
    }
    guard let index = open.firstIndex(where: { matches($0.target, json) }) else { return "not asked" }
    guard step["reply"] != nil || step["fail"] != nil else { return nil }
    let id = open.remove(at: index).id
    handle(step["reply"].map { .response(id, response($0)) } ?? .failure(id))
    return nil
  }

  private func matches(_ target: String, _ json: JSONText) -> Bool {
    guard let components = URLComponents(string: "http://h\(target)") else { return false }
    let path = target.prefix { $0 != "?" }
    guard json["path"]?.string.map({ $0 == path || $0 == components.path }) ?? true else { return false }
    var asked: [String: [String]] = [:]
    for item in components.queryItems ?? [] { asked[item.name, default: []].append(item.value ?? "") }
    var wanted: [String: [String]] = [:]
    for (name, value) in json["query"]?.members ?? [] {
      wanted[name] = value.string.map { [$0] } ?? value.elements.compactMap(\.string)
    }
    return asked.mapValues { $0.sorted() } == wanted.mapValues { $0.sorted() }
  }

  private func response(_ json: JSONText) -> TransportResponse {
    var headers: [String: String] = [:]
    for (name, value) in json["headers"]?.members ?? [] { headers[name] = value.string ?? value.text }
    let body = json["body"].map { $0.string ?? $0.text } ?? ""
    return TransportResponse(status: json["status"]?.integer ?? 200, headers: headers, json: body)
  }

  private mutating func answerAll(_ reply: JSONText, for seconds: Double) {
    let end = now + seconds
    while now < end, requests < 100_000 {
      if let first = open.first {
        now += 0.05
        open.removeFirst()
        handle(.response(first.id, response(reply)))
      } else {
        guard let next = follower.nextDeadline, next <= end else { break }
        now = max(now, next)
        handle(.time)
      }
    }
    now = max(now, end)
  }

  /// `50` or `"100-149"`
  private static func window(_ rows: JSONText?) -> RowWindow? {
    if let rows = rows?.integer { return RowWindow(rows) }
    let ends = (rows?.string ?? "").split(separator: "-").compactMap { Int($0) }
    return ends.count == 2 ? RowWindow(ends[0]...ends[1]) : nil
  }

  private func shown(_ table: JSONText, _ step: JSONText) -> String? {
    guard let address = tables[table.string ?? ""], let shown = follower.tables[address] else { return "nothing" }
    if let connection = step["connection"]?.string, connection != shown.connection.rawValue {
      return "the connection is \(shown.connection.rawValue)"
    }
    if let cursor = step["cursor"]?.string, cursor != shown.content?.cursor.text {
      return "the cursor is \(shown.content?.cursor.text ?? "none")"
    }
    if let state = step["state"]?.string, state != shown.content?.attributes.state.rawValue { return "another state" }
    if let problem = step["problem"]?.string, problem != shown.refusal?.title {
      return "the problem is \(shown.refusal?.title ?? "none")"
    }
    for (section, skipped) in step["skipped"]?.members.map({ ($0.name, $0.value.integer) }) ?? [] {
      let found = shown.content?.sections.first { $0.id == section }?.skipped
      guard found == skipped else {
        return "\(section) skips \(found.map(String.init) ?? "nothing, as it isn't there")"
      }
    }
    if let window = step["window"].map({ TableWindow($0) }), window != shown.content?.attributes.window {
      return "the window is \(shown.content?.attributes.window?.json ?? "none")"
    }
    guard let rows = step["rows"] else { return nil }
    let wanted = rows.members.map { [$0.name] + $0.value.elements.compactMap(\.string) }
    let have = (shown.content?.sections ?? []).map { [$0.id] + $0.rows.map(\.id) }
    return wanted == have ? nil : "rows are \(have)"
  }
}
