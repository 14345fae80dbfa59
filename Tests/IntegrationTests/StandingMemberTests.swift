import Foundation
import JSON
import TestSupport
import Testing

/// By name, what a family's members show of one list.
private let conditions = [
  ("owned", "owner == $params.of"), ("open", "owner == $params.of && !done"),
  ("lower", "(owner | lower) == $params.of"),
]

/// Each family twice: its members are told of the answers that concern them, and of every one.
private func configuration(_ upstream: ScriptedUpstream, title: String = "") -> String {
  let families = conditions.flatMap { name, condition in
    [(name, condition), ("\(name)-all", "\(condition) || $params.of == 'nobody'")]
  }
  let tables = families.map { name, condition in
    let header = "{cell: Label, payload: {title: \"${$count}\"}}"
    return """
        \(name):
          source: list
          row: {id: "${number}"}
          cell: Label
          payload: {title: "\(title)${title}"}
          parameters: {of: {pattern: "[a-z]*"}}
          sections: [{id: part, where: "\(condition)", header: \(header)}]
      """
  }
  return """
    store: memory
    sources:
      list: {url: "\(upstream.url)/list", every: 1h, timeout: 30s, retries: 0, maxItems: 24, whenMore: truncate}
    cells:
      Label: {fields: {title: string}}
    tables:
      edited:
        source: list
        row: {id: "${number}"}
        cell: Label
        payload: {title: "${title}"}
        edits: {patch: {url: "\(upstream.url)/items/${$id}", body: {title: "${$edit.title}"}}}
    \(tables.joined(separator: "\n"))
    """
}

/// The list of the upstream, and how it answers.
private struct List {
  var items: [JSONValue] = []
  var isFailing = false
  /// The answer is JSON without a list.
  var isOdd = false

  static func item(_ number: Int, _ random: inout SeededGenerator) -> JSONValue {
    let owner = ["ann", "bo", "cy", "di", "Ann"].randomElement(using: &random) ?? ""
    return [
      "number": .integer(Int64(number)), "owner": .string(owner), "done": .bool(Bool.random(using: &random)),
      "title": .string("title \(Int.random(in: 0..<1000, using: &random))"),
    ]
  }

  mutating func change(_ random: inout SeededGenerator, _ next: inout Int) {
    next += 1
    guard let place = items.indices.randomElement(using: &random) else { return items.append(Self.item(next, &random)) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: items.insert(Self.item(next, &random), at: place)
    case 2: items.remove(at: place)
    case 3: items.swapAt(place, Int.random(in: items.indices, using: &random))
    default:
      var item = Self.item(next, &random)
      item["number"] = items[place]["number"]
      items[place] = item
    }
  }
}

@Suite struct StandingMemberTests {
  private static let owners = ["ann", "bo", "cy", "di", "nix"]

  /// Members that are told only of answers that concern them show at any time what others show that are told of all.
  @Test(arguments: 0..<6 as Range<UInt64>) func whoIsNotToldShowsTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let list = Monitor(List())
    var next = 0
    list.change { list in
      for _ in 0..<20 { list.change(&random, &next) }
    }
    let upstream = try ScriptedUpstream { request in
      let current = list.current
      if current.isFailing { return .status(500, "down") }
      guard request.method != "GET" else { return .json(current.isOdd ? ["none": true] : .array(current.items)) }
      let number = request.target.split(separator: "/").last.flatMap { Int($0) }
      let title = (try? JSONValue(parsing: request.body))?["title"] ?? .null
      return list.change { list in
        guard let place = list.items.firstIndex(where: { $0["number"]?.number == number }) else {
          return .status(404, "{}")
        }
        list.items[place]["title"] = title
        return .json(list.items[place])
      }
    }
    let service = try ServiceProcess(configuration(upstream))
    var (mirrors, reloads): ([String: TableMirror], Int) = ([:], 0)
    for step in 0..<40 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: list.change { $0.isFailing.toggle() }
      case 1: list.change { $0.isOdd.toggle() }
      case 2:
        reloads += 1
        try service.folder.write(configuration(upstream, title: "\(reloads) "))
        service.signal(SIGHUP)
        try service.log.wait(for: "another reading") { log in
          log.count { $0.contains("was read again") } >= reloads ? true : nil
        }
      case 3:
        if let number = list.current.items.randomElement(using: &random)?["number"]?.number {
          let edit: JSONValue = ["title": .string("edit \(step)")]
          _ = try service.request("PATCH", "/v1/tables/edited/items/\(number)", body: edit)
        }
      default:
        list.change { list in for _ in 0..<Int.random(in: 0...2, using: &random) { list.change(&random, &next) } }
      }
      #expect(try service.request("POST", "/v1/sources/list/refresh").status == 200)
      for (family, _) in conditions {
        for owner in Self.owners where step > 0 || owner != "nix" {
          let (name, twin) = ("\(family);of=\(owner)", "\(family)-all;of=\(owner)")
          let comment = Comment(rawValue: "seed \(seed), step \(step), \(name)")
          if var mirror = mirrors[name] {
            try mirror.apply(service.changes(name, after: mirror.cursor))
            mirrors[name] = mirror
          }
          let (snapshot, other) = (try service.snapshot(name), try service.snapshot(twin))
          let mirror = try mirrors[name] ?? TableMirror(snapshot)
          try mirror.check(equals: snapshot)
          mirrors[name] = mirror
          for part in ["sections", "state", "counts", "truncated"] {
            #expect(snapshot[part] == other[part], "\(comment) \(part)")
          }
          #expect(snapshot["problem"]?["title"] == other["problem"]?["title"], comment)
          guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
          for row in try TableMirror(snapshot).rows {
            let items = try [name, twin].map { try service.request("GET", "/v1/tables/\($0)/items/\(row)") }
            #expect(items[0].status == 200 && items[0].text == items[1].text, comment)
          }
        }
      }
    }
  }
}
