import Foundation

@testable import TablecastClient

/// Runs a follower on a clock of its own against scripted replies.
struct FollowerRun {
  private(set) var targets: [String] = []
  private(set) var times: [Double] = []
  /// Rows that were shown, state by state.
  private(set) var shown: [[String]] = []
  private(set) var connections: [String] = []
  private(set) var follower: Follower
  private var now = 0.0
  private var due: [(time: Double, event: Follower.Event)] = []
  private var replies: [FollowingCase.Reply]
  private let script: FollowingCase

  init(_ script: FollowingCase, seed: UInt64) {
    self.script = script
    replies = script.replies
    follower = Follower(seed: seed)
  }

  mutating func run() throws {
    for snapshot in script.restored ?? [] {
      let content = try TableContent(snapshot: JSONText(snapshot.text))
      take(.restored(TableAddress(content.name), content))
    }
    for table in script.tables { take(.observe(table.address, table.rows.map { RowWindow($0) })) }
    for deed in script.does ?? [] { due.append((deed.at, event(deed))) }
    while let next = nextEvent() {
      now = next.time
      take(next.event)
      guard targets.count < 2000 else { return }
    }
  }

  private mutating func nextEvent() -> (time: Double, event: Follower.Event)? {
    let index = due.indices.min { due[$0].time < due[$1].time }
    let deadline = follower.nextDeadline ?? .infinity
    if let index, due[index].time <= deadline {
      return due[index].time <= script.seconds ? due.remove(at: index) : nil
    }
    return deadline <= script.seconds ? (max(deadline, now), .time) : nil
  }

  private func event(_ deed: FollowingCase.Deed) -> Follower.Event {
    let address = script.tables[0].address
    return switch deed.kind {
    case .leave: .leave(address)
    case .pause: .pause(deed.reason ?? "", nil)
    case .resume: .resume(deed.reason ?? "", nil)
    case .wake: .wake
    case .widen: .widen(address, RowWindow(deed.rows ?? 0))
    case .reload: .reload(address)
    }
  }

  private mutating func take(_ event: Follower.Event) {
    for action in follower.handle(event, now: now) {
      switch action {
      case .send(let id, let target, _): answer(id, target)
      case .cancel(let id):
        due.removeAll { entry in
          switch entry.event {
          case .response(id, _), .failure(id): true
          default: false
          }
        }
      case .changed(let address, _):
        guard let table = follower.tables[address] else { continue }
        if let content = table.content {
          let rows = content.sections.flatMap { $0.rows.map(\.id) }
          if shown.last != rows { shown.append(rows) }
        }
        let connection = table.connection.rawValue
        if connections.last != connection { connections.append(connection) }
      case .confirmed, .stream: break
      }
    }
  }

  private mutating func answer(_ id: Int, _ target: String) {
    targets.append(target)
    times.append(now)
    guard let reply = nextReply(target) else { return }
    let query = URLComponents(string: "http://h\(target)")?.queryItems ?? []
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
    let wait = value("wait").flatMap(Double.init) ?? 0
    let time = now + (reply.waits == true ? wait : reply.delay ?? 0)
    if reply.hangs == true { return }
    if reply.fails == true { return due.append((time, .failure(id))) }
    let after = value("after").map { $0.split(separator: ":").last.map(String.init) ?? "" }
    let body = (reply.body?.text ?? reply.text ?? "")
      .replacingOccurrences(of: "\"{from}\"", with: after.map { "\"\($0)\"" } ?? "null")
      .replacingOccurrences(of: "{after}", with: after ?? "")
    let response = TransportResponse(status: reply.status ?? 200, headers: reply.headers ?? [:], json: body)
    due.append((time, .response(id, response)))
  }

  private mutating func nextReply(_ target: String) -> FollowingCase.Reply? {
    if let index = replies.firstIndex(where: { $0.only.map { target.contains($0) } ?? false }) {
      let times = replies[index].times ?? 1
      replies[index].times = times - 1
      return times > 1 ? replies[index] : replies.remove(at: index)
    }
    let general = replies.indices.filter { replies[$0].only == nil }
    guard let first = general.first else { return nil }
    return general.count > 1 ? replies.remove(at: first) : replies[first]
  }
}
