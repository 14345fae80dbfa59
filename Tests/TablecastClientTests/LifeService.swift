import Foundation

@testable import TablecastClient

/// A table in memory with all that edits need: keys for a day, identities, cursors, backups.
final class LifeService {
  struct Answer {
    var status = 200
    var json: String
    var type = "application/json"

    static func problem(_ status: Int, _ title: String) -> Answer {
      Answer(
        status: status,
        json: "{\"title\":\"\(title)\",\"status\":\(status)}",
        type: "application/problem+json"
      )
    }
  }

  /// What a backup has: rows, keys with their answers, and how often each edit was done.
  struct State {
    var rows = ["a", "b", "c"]
    var keys: [String: (date: Double, name: String, answer: Answer)] = [:]
    var done: [String: Int] = [:]
  }

  private(set) var state = State()
  private let takesIdentities: Bool
  private let date: () -> Double
  private var epochs = 1
  private var version = 1
  private var names = 0
  /// Called after each change.
  var onChange: () -> Void = {}

  init(takesIdentities: Bool, date: @escaping () -> Double) {
    (self.takesIdentities, self.date) = (takesIdentities, date)
  }

  var cursor: String {
    let digits = String(epochs)
    return String(repeating: "0", count: 12 - digits.count) + "\(digits).\(version)"
  }

  func setBack(to backup: State) {
    (state, version) = (backup, 0)
    epochs += 1
    changed()
  }

  private func changed() {
    version += 1
    onChange()
  }

  /// What a poll is answered with now.
  func poll(after: String?) -> Answer {
    let from = after.map { "\"\($0)\"" } ?? "null"
    let head = "{\"table\":\"t\",\"from\":\(from),\"to\":\"\(cursor)\""
    if after == cursor { return Answer(json: head + ",\"stages\":[]}") }
    let rows = state.rows.map { "{\"id\":\"\($0)\",\"cellIdentifier\":\"C\",\"payload\":{}}" }.joined(separator: ",")
    let snapshot =
      "{\"table\":\"t\",\"cursor\":\"\(cursor)\",\"state\":\"ready\",\"sections\":[{\"id\":\"s\",\"rows\":[\(rows)]}]}"
    return Answer(json: head + ",\"reset\":\"start\",\"snapshot\":\(snapshot)}")
  }

  func edit(_ method: String, _ path: String, key: String, body: String = "") -> Answer {
    let name = "\(method) \(path)"
    if let known = state.keys[key], date() - known.date < 24 * 3600, known.name == name { return known.answer }
    let answer = perform(method, path, key: key, body)
    if answer.status != 405 { state.keys[key] = (date(), name, answer) }
    return answer
  }

  private func perform(_ method: String, _ path: String, key: String, _ body: String) -> Answer {
    let parts = path.split(separator: "/")
    let id = parts.count > 4 ? String(parts[4]) : ""
    if method == "PUT", !takesIdentities { return .problem(405, "Method Not Allowed") }
    if method == "PUT", state.rows.contains(id) { return .problem(412, "Precondition Failed") }
    if body.contains("bad") { return .problem(422, "Unprocessable") }
    if method == "PATCH" || method == "DELETE", !state.rows.contains(id) { return .problem(404, "Not Found") }
    var own = id
    if method == "POST" {
      names += 1
      own = "n\(names)"
    }
    if method == "DELETE" {
      state.rows.removeAll { $0 == id }
    } else if !state.rows.contains(own) {
      state.rows.append(own)
    }
    state.done[String(key.prefix(36)), default: 0] += 1
    changed()
    return Answer(json: "{\"cursor\":\"\(cursor)\",\"id\":\"\(own)\"}")
  }
}
