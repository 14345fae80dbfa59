import Foundation
import JSON
import TestSupport
import Testing

/// A source that asks for what has changed.
@Suite struct SinceTests {
  private static func configuration(
    _ url: String,
    every: String = "50ms",
    whole: String = "1h",
    paging: String = "",
    webhook: String = ""
  ) -> String {
    """
    store: memory
    problems: full
    auth: {tokens: [{name: all, sha256: 9af15b336e6a9619928537df30b2e6a2376569fcf9d7e773eccede65606529a0, allow: [edit, admin]}]}
    cells: {Label: {nib: Label, fields: {title: string}}}
    sources:
      items:
        url: "\(url)/items"
        every: \(every)
        retries: 0
        items: ${data}
        \(paging)
        \(webhook)
        since: {query: {after: "${$since}"}, next: "${now}", deleted: "${gone == true}", whole: \(whole)}
    tables:
      t: {source: items, row: {id: "${id}"}, cell: Label, payload: {title: "${title}"}}
    """
  }

  /// Items with the revision at which they changed last.
  private struct Store: Sendable {
    var items: [(id: Int, title: String, revision: Int, isGone: Bool)] = []
    var revision = 0
    var status = 200
    var whole = 0
    var changes = 0

    mutating func put(_ id: Int, _ title: String, isGone: Bool = false) {
      revision += 1
      items.removeAll { $0.id == id && isGone }
      if let place = items.firstIndex(where: { $0.id == id }) {
        (items[place].title, items[place].revision) = (title, revision)
      } else {
        items.append((id, title, revision, isGone))
      }
    }

    func answer(after: Int?) -> JSONValue {
      let found = items.filter { item in after.map { item.revision > $0 } ?? !item.isGone }
      return [
        "data": .array(
          found.map { ["id": .integer(Int64($0.id)), "title": .string($0.title), "gone": .bool($0.isGone)] }
        ), "now": .integer(Int64(revision)),
      ]
    }

    func page(_ number: Int, after: Int?) -> ScriptedUpstream.Answer {
      let answer = answer(after: after)
      let page = (answer["data"]?.elements ?? []).dropFirst((number - 1) * 10).prefix(10)
      return .reply(200, [:], ["data": .array(Array(page)), "now": answer["now"] ?? .null])
    }
  }

  private static let paging = "paging: {page: {parameter: page, size: 10}}"

  private static func after(_ target: String) -> Int? { number("after", in: target) }

  private static func page(_ target: String) -> Int { number("page", in: target) ?? 1 }

  private static func number(_ name: String, in target: String) -> Int? {
    URLComponents(string: target)?.queryItems?.first { $0.name == name }?.value.flatMap { Int($0) }
  }

  private static func upstream(_ count: Int) throws -> (ScriptedUpstream, Monitor<Store>) {
    let store = Monitor(Store())
    store.change { store in for id in 1...count { store.put(id, "T\(id)") } }
    let upstream = try ScriptedUpstream { request in
      let after = after(request.target)
      return store.change { store in
        if after == nil { store.whole += 1 } else { store.changes += 1 }
        return store.status == 200
          ? .reply(200, [:], store.answer(after: after)) : .reply(store.status, [:], ["error": "no"])
      }
    }
    return (upstream, store)
  }

  @Test func changesAreLaidOverWhatThereIs() throws {
    let (upstream, store) = try Self.upstream(3)
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "is there") { $0.titles == [["T1", "T2", "T3"]] }
    store.change { store in
      store.put(2, "Two")
      store.put(4, "T4")
    }
    let mirror = try service.follow("t", until: "has the changes") { $0.titles == [["T1", "Two", "T3", "T4"]] }
    let poll = try service.poll("t", after: mirror.cursor)
    store.change { $0.put(1, "", isGone: true) }
    let rows = try poll.value().json["stages"]?.elements.first?["rows"]
    #expect(
      rows?["delete"]?.elements.count == 1 && rows?["insert"] == nil && rows?["update"] == nil,
      "\(rows ?? .null)"
    )
    #expect(store.current.whole == 1 && store.current.changes > 0)
    // What the changes don't say, a client's refresh does.
    store.change { $0.items.removeAll { $0.id == 3 } }
    #expect(try service.request("POST", "/v1/tables/t/refresh", ["Authorization": "Bearer 0000"]).status < 300)
    try service.follow("t", until: "has all") { $0.titles == [["Two", "T4"]] }
    #expect(store.current.whole == 2)
  }

  /// Upstreams send many webhooks: each tells that something has changed, and not that what was told is wrong.
  @Test func aWebhookAsksForChanges() throws {
    let (upstream, store) = try Self.upstream(2)
    let webhook = "webhook: {header: X-Gitlab-Token, equals: \"t0ken-of-the-hook\"}"
    let service = try ServiceProcess(Self.configuration(upstream.url, every: "0s", webhook: webhook))
    try service.follow("t", until: "is there") { $0.titles == [["T1", "T2"]] }
    for (count, title) in ["Two", "Zwei"].enumerated() {
      store.change { $0.put(2, title) }
      let token = ["X-Gitlab-Token": "t0ken-of-the-hook"]
      #expect(try service.request("POST", "/v1/hooks/items", token, body: [:]).status == 202)
      try service.follow("t", until: "has the change") { $0.titles == [["T1", title]] }
      #expect(store.current.whole == 1 && store.current.changes == count + 1)
    }
    #expect(try service.request("POST", "/v1/tables/t/refresh", ["Authorization": "Bearer 0000"]).status < 300)
    #expect(store.current.whole == 2)
  }

  /// Members that read other parameters of the same answer share it with nobody.
  @Test func whatIsGoneIsTheMembersOwn() throws {
    let upstream = try ScriptedUpstream { _ in
      .json([
        "data": [["id": 1, "kind": "a", "title": "A"], ["id": 2, "kind": "b", "title": "B"]], "now": 1,
      ])
    }
    let service = try ServiceProcess(
      """
      store: memory
      problems: full
      cells: {Label: {nib: Label, fields: {title: string}}}
      sources:
        items:
          url: "\(upstream.url)/items"
          every: 1m
          items: ${data}
          since: {query: {after: "${$since}"}, next: "${now}", deleted: "${kind != $params.kind}"}
      tables:
        t:
          source: items
          row: {id: "${id}"}
          cell: Label
          payload: {title: "${title}"}
          parameters: {kind: {pattern: "[a-z]"}}
      """
    )
    #expect(try service.mirror("t;kind=a").titles == [["A"]])
    #expect(try service.mirror("t;kind=b").titles == [["B"]])
  }

  /// An error costs no row, and the changes come when it is over; what was asked with is too old at some time.
  @Test func errorsLoseNothing() throws {
    let (upstream, store) = try Self.upstream(3)
    let service = try ServiceProcess(Self.configuration(upstream.url))
    try service.follow("t", until: "is there") { $0.titles == [["T1", "T2", "T3"]] }
    store.change { store in
      store.status = 500
      store.put(2, "Two")
    }
    try service.follow("t", until: "is stale") { $0.state == "stale" && $0.titles == [["T1", "T2", "T3"]] }
    store.change { $0.status = 200 }
    try service.follow("t", until: "is back") { $0.state == "ready" && $0.titles == [["T1", "Two", "T3"]] }
    #expect(store.current.whole == 1)
    let script: @Sendable (ScriptedUpstream.Request) -> ScriptedUpstream.Answer = { request in
      guard Self.after(request.target) == nil else { return .reply(410, [:], ["error": "too old"]) }
      return .reply(200, [:], store.current.answer(after: nil))
    }
    store.change { $0.items.removeAll { $0.id == 1 } }
    upstream.script(script)
    try service.follow("t", until: "has asked for all") { $0.state == "ready" && $0.titles == [["Two", "T3"]] }
  }

  @Test func everythingIsAskedForOnceInAWhile() throws {
    let (upstream, store) = try Self.upstream(2)
    let service = try ServiceProcess(Self.configuration(upstream.url, whole: "1s"))
    try service.follow("t", until: "is there") { $0.titles == [["T1", "T2"]] }
    store.change { $0.items.removeAll { $0.id == 1 } }
    try service.follow("t", until: "has less") { $0.titles == [["T2"]] }
    #expect(store.current.changes > 0)
  }

  /// What goes while pages are fetched moves an item to a page that was read already.
  @Test func whatIsMissedBetweenPagesIsFound() throws {
    let store = Monitor(Store())
    store.change { store in for id in 1...25 { store.put(id, "T\(id)") } }
    let upstream = try ScriptedUpstream { request in
      let (number, after) = (Self.page(request.target), Self.after(request.target))
      return store.change { store in
        if number == 2, after == nil, store.whole == 0 {
          store.put(1, "", isGone: true)
          store.whole = 1
        }
        return store.page(number, after: after)
      }
    }
    let service = try ServiceProcess(Self.configuration(upstream.url, paging: Self.paging))
    try service.follow("t", until: "has all") { Set($0.rows) == Set((2...25).map { "\($0)" }) }
  }

  /// Random changes through pages, against what the upstream has.
  @Test(arguments: 0..<3 as Range<UInt64>)
  func whatIsShownIsWhatThereIs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = Monitor(Store())
    store.change { store in for id in 1...25 { store.put(id, "T\(id)") } }
    let upstream = try ScriptedUpstream { store.current.page(Self.page($0.target), after: Self.after($0.target)) }
    let service = try ServiceProcess(Self.configuration(upstream.url, paging: Self.paging))
    for round in 0..<12 {
      store.change { store in
        for _ in 0..<Int.random(in: 1...15, using: &random) {
          let id = Int.random(in: 1...40, using: &random)
          store.put(id, "R\(round)", isGone: Int.random(in: 0..<4, using: &random) == 0)
        }
      }
      let expected = Set(store.current.items.filter { !$0.isGone }.map { "\($0.id) \($0.title)" })
      try service.follow("t", until: "seed \(seed), round \(round): \(expected.sorted())") { mirror in
        Set(zip(mirror.rows, mirror.titles.joined()).map { "\($0) \($1)" }) == expected
      }
    }
  }
}
