import JSON
import TestSupport

/// Writes down what a follower is sent and what it shows then, a case a line: `Simulation --one N --record`. Clients of other
/// kinds are held to the same by `Tests/ClientCases`.
struct Recorder {
  private var steps: [JSONValue] = []
  private var last: String?
  private let name: String
  private static let length = 8

  init(_ name: String) { self.name = name }

  /// - Parameter before: the cursor of what it showed until then.
  mutating func note(_ sent: JSONValue, _ mirror: TableMirror, after before: String?) {
    // What came in between was no answer to a poll.
    if before != last { finish() }
    last = mirror.cursor
    if steps.count == Self.length || sent["snapshot"] != nil && steps.count > Self.length / 2 { finish() }
    guard !steps.isEmpty || sent["snapshot"] != nil else { return }
    steps.append(["sent": steps.isEmpty ? Self.start(sent) : sent, "shown": Self.shown(mirror)])
  }

  /// A case begins as a client does that has nothing yet.
  private static func start(_ sent: JSONValue) -> JSONValue {
    [
      "table": sent["table"] ?? .null, "from": .null, "to": sent["to"] ?? .null, "reset": "start",
      "snapshot": sent["snapshot"] ?? .null,
    ]
  }

  private mutating func finish() {
    if steps.count > 1 {
      print(
        "case",
        JSONValue.object([.init(name: "name", value: .string(name)), .init(name: "steps", value: .array(steps))]).text
      )
    }
    steps = []
  }

  private static func shown(_ mirror: TableMirror) -> JSONValue {
    let sections = mirror.sections.map { section -> JSONValue in
      let rows = section.rows.map { row -> JSONValue in
        [
          "id": row["id"] ?? .null, "cellIdentifier": row["cellIdentifier"] ?? .null,
          "payload": row["payload"] ?? .null,
        ]
      }
      return ["id": .string(section.id), "header": section.header["payload"] ?? .null, "rows": .array(rows)]
    }
    return [
      "cursor": .string(mirror.cursor), "state": mirror.attributes["state"] ?? .null,
      "title": mirror.attributes["title"] ?? .null, "sections": .array(sections),
    ]
  }
}

extension JSONValue {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
