import Foundation
import JSON
import TestSupport
import Testing

/// `PUT …/items/{row}` in tables of an upstream's items: forwarded by `edits.insert` and `edits.replace`.
@Suite struct ForwardedPutTests {
  /// An upstream that keeps items under the names that it is sent.
  private final class Keeper: Sendable {
    let upstream: ScriptedUpstream
    let items = Monitor<[JSONValue]>([["id": "one", "title": "One"]])
    /// It answers edits with nothing but their status.
    let isSilent = Monitor(false)
    /// It takes the edit, and its answer is lost.
    let losesAnswers = Monitor(false)

    init() throws {
      upstream = try ScriptedUpstream([])
      upstream.answer { [items, isSilent, losesAnswers] request in
        guard request.method != "GET" else { return .json(.array(items.current)) }
        let id = request.target.split(separator: "/").last.map { $0.removingPercentEncoding ?? "" } ?? ""
        var item = (try? JSONValue(parsing: request.body)) ?? .null
        item["id"] = .string(id)
        let isNew = items.change { items -> Bool in
          let place = items.firstIndex { Array(($0["id"]?.text ?? "").utf8) == Array(id.utf8) }
          if request.method == "DELETE" {
            if let place { items.remove(at: place) }
          } else if let place {
            items[place] = item
          } else {
            items.append(item)
          }
          return place == nil
        }
        if losesAnswers.current { return .cutOff }
        if isSilent.current { return .status(isNew ? 201 : 200, "{}") }
        item["stamp"] = 1
        return .reply(isNew ? 201 : 200, [:], item)
      }
    }

    func configuration(_ more: String = "", replaces: Bool = true) -> String {
      """
      store: memory
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources: {items: {url: "\(upstream.url)/items", every: 1h, retries: 0, timeout: 5s}}
      tables:
        t:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          can: {edit: "title != 'fixed'", move: false}
          edits:
            insert: {method: PUT, url: "\(upstream.url)/items/${$id}", body: "${$edit}", headers: {X-Kind: insert}}
            delete: {url: "\(upstream.url)/items/${$id}"}
            \(replaces ? "replace: {url: \"\(upstream.url)/items/${$id}\", body: \"${$edit}\", headers: {X-Kind: replace}}" : "")
      """
    }

    var edits: [ScriptedUpstream.Request] { upstream.requests.current.filter { $0.method != "GET" } }
  }

  private static let path = "/v1/tables/t/items"

  private static func service(_ keeper: Keeper, replaces: Bool = true) throws -> ServiceProcess {
    let service = try ServiceProcess(keeper.configuration(replaces: replaces))
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    return service
  }

  @Test func itemsAreAddedAndReplacedUnderTheClientsNames() throws {
    let keeper = try Keeper()
    let service = try Self.service(keeper)
    var mirror = try service.mirror("t")
    let puts: [(String, [String: String], JSONValue, Int, String?)] = [
      ("two", [:], ["title": "Two"], 201, "insert"), ("two", [:], ["title": "Deux"], 200, "replace"),
      ("two", ["If-None-Match": "*"], ["title": "x"], 412, nil), ("one", [:], ["title": "fixed"], 200, "replace"),
      ("one", [:], ["title": "x"], 403, nil), ("two?section=main&at=0", [:], ["title": "x"], 403, nil),
      ("three", ["If-None-Match": "*"], ["title": "Three"], 201, "insert"), ("7", [:], ["title": "x"], 422, nil),
      ("%2E%2E", [:], ["title": "x"], 400, nil), ("a%C2%85b", [:], ["title": "x"], 422, nil),
      ("four?before=none", [:], ["title": "x"], 422, nil), ("a%2Fb%20%C3%A9", [:], ["title": "x"], 201, "insert"),
    ]
    for (target, headers, body, status, kind) in puts {
      let before = keeper.edits.count
      let reply = try service.request("PUT", "\(Self.path)/\(target)", headers, body: body)
      #expect(reply.status == status, "\(target): \(reply.text)")
      #expect(keeper.edits.dropFirst(before).map { $0.headers["x-kind"] } == (kind.map { [$0] } ?? []), "\(target)")
      guard status < 300 else { continue }
      #expect(keeper.edits.last?.method == "PUT" && keeper.edits.last?.target == "/items/\(target)")
      let id = target.removingPercentEncoding ?? ""
      #expect(try reply.json["id"]?.text == id && reply["Location"] == (status == 201 ? "\(Self.path)/\(target)" : ""))
      // The answer's version shows it.
      try mirror.apply(service.changes("t", after: mirror.cursor))
      #expect(mirror.row(id)?["payload"]?["title"] == body["title"], "\(target)")
    }
    #expect(mirror.rows == ["one", "two", "three", "a/b é"])
    // After a deletion the identity is free.
    #expect(try service.request("DELETE", "\(Self.path)/two").status == 200)
    #expect(try service.request("PUT", "\(Self.path)/two", ["If-None-Match": "*"], body: ["title": "2"]).status == 201)
    // A batch of one.
    let edits: JSONValue = ["edits": [["op": "add", "id": "five", "item": ["title": "5"]]]]
    #expect(try service.request("POST", "/v1/tables/t/edits", body: edits).json["ids"] == ["five"])
    let refused = try service.request("POST", "/v1/tables/t/edits", ["If-None-Match": "*"], body: edits)
    #expect(try refused.status == 412 && refused.json["at"] == 0, "\(refused.text)")
  }

  /// An answer that says nothing is made good by the fetch that follows; one that is lost is asked for again.
  @Test func whatTheUpstreamDoesNotSay() throws {
    let keeper = try Keeper()
    let service = try Self.service(keeper)
    keeper.isSilent.change { $0 = true }
    for (row, status) in [("two", 201), ("two", 200), ("one", 200)] {
      let title = JSONValue.string("\(row) \(keeper.edits.count)")
      let reply = try service.request("PUT", "\(Self.path)/\(row)", body: ["title": title])
      #expect(try reply.status == status && reply.json["id"]?.text == row, "\(reply.text)")
      #expect(try service.mirror("t").row(row)?["payload"]?["title"] == title)
    }
    keeper.losesAnswers.change { $0 = true }
    let put = { try service.request("PUT", "\(Self.path)/lost", ["If-None-Match": "*"], body: ["title": "L"]) }
    #expect(try put().status == 504)
    keeper.losesAnswers.change { $0 = false }
    try service.follow("t", until: "has what was added") { $0.row("lost") != nil }
    // Which a client takes as done.
    #expect(try put().status == 412)
    #expect(keeper.items.current.count { $0["id"] == "lost" } == 1)
  }

  @Test func withoutReplaceARowIsOnlyAdded() throws {
    let keeper = try Keeper()
    let service = try Self.service(keeper, replaces: false)
    let reply = try service.request("PUT", "\(Self.path)/one", body: ["title": "x"])
    #expect(
      reply.status == 405 && reply["Allow"].contains("DELETE") && !reply["Allow"].contains("PUT"),
      "\(reply.text)"
    )
    #expect(try service.request("PUT", "\(Self.path)/one", ["If-None-Match": "*"], body: [:]).status == 412)
    #expect(try service.request("PUT", "\(Self.path)/two", body: ["title": "Two"]).status == 201)
    #expect(keeper.edits.count == 1)
  }

  /// What a limit keeps out of sight is there all the same.
  @Test func anItemOutOfSightIsReplaced() throws {
    let keeper = try Keeper()
    keeper.items.change { $0 += [["id": "two", "title": "Two"], ["id": "last", "title": "fixed"]] }
    let row = "row: {id: \"${id}\"}"
    let limited = keeper.configuration().replacing(row, with: row + "\n    sections: [{id: main, limit: 1}]")
    let service = try ServiceProcess(limited)
    try service.follow("t", until: "is ready") { $0.state == "ready" }
    for (id, status) in [("two", 200), ("last", 403)] {
      let reply = try service.request("PUT", "\(Self.path)/\(id)", body: ["title": "New"])
      #expect(reply.status == status, "\(reply.text)")
    }
    #expect(keeper.edits.map { $0.headers["x-kind"] } == ["replace"])
    #expect(keeper.items.current.map { $0["title"] } == ["One", "New", "fixed"])
    #expect(try service.mirror("t").rows == ["one"])
    #expect(try service.request("PUT", "\(Self.path)/two", ["If-None-Match": "*"], body: [:]).status == 412)
  }

  /// Who leaves the identity open gets a UUID, and with a key the same one again.
  @Test func aPostIsGivenAUUID() throws {
    let keeper = try Keeper()
    let service = try Self.service(keeper)
    let first = try service.request("POST", Self.path, body: ["title": "A"])
    let id = try required(first.json["id"]?.text, "its identity")
    #expect(first.status == 201 && UUID(uuidString: id) != nil, "\(first.text)")
    let key = ["Idempotency-Key": "k"]
    keeper.losesAnswers.change { $0 = true }
    #expect(try service.request("POST", Self.path, key, body: ["title": "B"]).status == 504)
    keeper.losesAnswers.change { $0 = false }
    #expect(try service.request("POST", Self.path, key, body: ["title": "B"]).status == 201)
    #expect(keeper.items.current.count { $0["title"] == "B" } == 1, "the repeat added no second item")
    let ids = keeper.edits.suffix(2).map(\.target)
    #expect(ids.first == ids.last && UUID(uuidString: String(ids.last?.split(separator: "/").last ?? "")) != nil)
  }
}
