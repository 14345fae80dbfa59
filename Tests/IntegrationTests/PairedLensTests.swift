import JSON
import TestSupport
import Testing

/// Polls of several tables in which each may be seen through a lens of its own: `after=TABLE;;MEMBERS:CURSOR`.
@Suite struct PairedLensTests {
  private static let configuration = """
    store: memory
    cells:
      Label: {fields: {title: string}}
      Long: {fields: {title: string, isOpen: boolean}, expands: isOpen, fallback: Label}
    representations:
      plain: {cell: Label, payload: {title: "${title}"}}
      long: {cell: Long, payload: {title: "${title}", isOpen: false}}
    tables:
      t:
        source: {local: {items: [{title: a}, {title: b}, {title: c, kind: long}, {title: d}], default: {title: New}}}
        row: {type: "${kind ?? 'plain'}"}
      u:
        source: {local: {items: [{title: x}], default: {title: New}}}
        row: {type: plain}
    """

  private func poll(_ service: ServiceProcess, _ pairs: [String], _ rest: String = "&wait=0") throws -> Reply {
    try service.request("GET", "/v1/changes?" + pairs.map { "after=\($0)" }.joined(separator: "&") + rest)
  }

  @Test func eachPairHasALensOfItsOwn() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let pairs = ["t:", "t%3B%3Brows=1-2:", "t;;view=me;rows=2:", "t;;view=%256De:", "u;;:"]
    let reply = try poll(service, pairs, "&wait=0&rows=1")
    #expect(reply.status == 200, "\(reply.text)")
    let entries = try (reply.json["changes"] ?? .null).elements
    #expect(entries.map { $0["pair"]?.number } == [nil, 1, 2, 3, 4], "\(reply.text)")
    let windows = entries.map { $0["snapshot"]?["window"] }
    #expect(windows == [["rows": 1, "of": 4], ["from": 1, "rows": 2, "of": 4], ["rows": 2, "of": 4], nil, nil])
    let cursors = entries.compactMap { $0["to"]?.text }
    #expect(
      reply["Link"] == "</v1/changes?after=t:\(cursors[0])&after=t;;rows=1-2:\(cursors[1])"
        + "&after=t;;view=me;rows=2:\(cursors[2])&after=t;;view=%256De:\(cursors[3])"
        + "&after=u;;:\(cursors[4])&wait=0>; rel=\"next\""
    )
  }

  @Test func aPairIsWokenThroughItsLens() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var (window, view, other) = (
      try service.mirror("t", query: "?rows=1-2"), try service.mirror("t", query: "?view=me"),
      try service.mirror("u")
    )
    func wait() throws {
      let pairs = ["t;;rows=1-2:\(window.cursor)", "t;;view=me:\(view.cursor)", "u:\(other.cursor)"]
      try waiter.send("GET", "/v1/changes?" + pairs.map { "after=\($0)" }.joined(separator: "&") + "&wait=30")
      try service.awaitPolls(1)
    }
    func take() throws -> [Int?] {
      let entries = try (waiter.receive("what moved").json["changes"] ?? .null).elements
      for entry in entries {
        switch entry["pair"]?.number {
        case 0: try window.apply(entry)
        case 1: try view.apply(entry)
        default: try other.apply(entry)
        }
      }
      return entries.map { $0["pair"]?.number }
    }
    try wait()
    #expect(try editor.request("PATCH", "/v1/tables/u/items/1", body: ["title": "y"]).status == 200)
    #expect(try take() == [nil])
    try wait()
    #expect(try editor.request("POST", "/v1/tables/t/rows/3/tap?view=me").status == 200)
    #expect(try take() == [1])
    try wait()
    #expect(try editor.request("PATCH", "/v1/tables/t/items/4", body: ["title": "D"]).status == 200)
    // Below the window.
    #expect(try take() == [1])
    try wait()
    #expect(try editor.request("DELETE", "/v1/tables/t/items/1").status == 200)
    #expect(Set(try take()) == [0, 1])
    try window.check(equals: service.snapshot("t", query: "?rows=1-2"))
    try view.check(equals: service.snapshot("t", query: "?view=me"))
    try other.check(equals: service.snapshot("u"))
  }

  /// A table that has no cursor yet is still asked for with its window by the link to the next poll.
  @Test func theLinkKeepsAWindowWithoutACursor() throws {
    let upstream = try ScriptedUpstream { _ in .silence }
    let text =
      Self.configuration + """

          slow:
            source: {url: "\(upstream.url)/${$params.q}", every: 1s}
            parameters: {q: {}}
            row: {id: "${id}", type: plain}
        """
    let service = try ServiceProcess(text, arguments: ["--insecure"])
    let reply = try poll(service, ["t:", "slow;q=1:"], "&wait=20&rows=2")
    let entries = try (reply.json["changes"] ?? .null).elements
    #expect(entries.count == 1, "\(reply.text)")
    let cursor = entries.first?["to"]?.text ?? ""
    #expect(reply["Link"] == "</v1/changes?after=t:\(cursor)&after=slow;q=1:&rows=2&wait=20>; rel=\"next\"")
    // Nor does it say a short wait in a way that is none.
    let short = try poll(service, ["t:"], "&wait=0.00001")
    #expect(short["Link"].hasSuffix("&wait=0.001>; rel=\"next\""), "\(short["Link"])")
  }

  /// At the end of the wait each is told what woke nobody, whatever the others have.
  @Test func windowsAreToldHowManyThereAreBesideTablesThatMoved() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (window, whole) = (try service.mirror("t", query: "?rows=1"), try service.mirror("t"))
    #expect(try service.request("POST", "/v1/tables/t/items", body: ["title": "e"]).status == 201)
    let reply = try poll(service, ["t;;rows=1:\(window.cursor)", "t;;:\(whole.cursor)"])
    let entries = try (reply.json["changes"] ?? .null).elements
    #expect(entries.map { $0["pair"]?.number } == [0, 1], "\(reply.text)")
    #expect(entries.first?["stages"] == [["window": ["rows": 1, "of": 5]]], "\(reply.text)")
  }

  /// Beside the small tables one of a thousand bytes a row, whose source is asked once.
  private static func serviceWithLarge(rows: Int) throws -> ServiceProcess {
    let title = JSONValue.string(String(repeating: "x", count: 1_000))
    let items = JSONValue.array((1...rows).map { ["id": .string("r\($0)"), "title": title] })
    let upstream = try ScriptedUpstream { _ in .json(items) }
    let text =
      Self.configuration + """

          large:
            source: {url: "\(upstream.url)", every: 1h}
            row: {id: "${id}", type: plain}
        """
    let service = try ServiceProcess(text, arguments: ["--insecure"])
    _ = try service.follow("large", until: "is ready") { $0.state == "ready" }
    return service
  }

  /// Nobody holds as many bytes as somebody asks for at once: what is left out is told by the poll that `Link` names.
  @Test(arguments: [0, 20])
  func largeWindowsAreToldInSeveralReplies(wait: Int) throws {
    let service = try Self.serviceWithLarge(rows: 3_000)
    let client = try service.client()
    // Each has some 3 MB.
    let windows = Array(2_996...2_999)
    let pairs = windows.map { "after=large;;rows=\($0):" } + ["after=u:"]
    var target = "/v1/changes?" + pairs.joined(separator: "&") + "&wait=\(wait)"
    var told: [[Int]] = []
    var mirrors: [Int: TableMirror] = [:]
    while told.joined().count < pairs.count, told.count < pairs.count {
      let reply = try client.request("GET", target)
      #expect(reply.status == 200)
      let entries = try (reply.json["changes"] ?? .null).elements
      told.append(entries.map { $0["pair"]?.number ?? windows.count })
      for entry in entries {
        if let pair = entry["pair"]?.number { mirrors[pair] = try TableMirror(entry["snapshot"] ?? .null) }
      }
      let link = reply["Link"]
      #expect(link.split(separator: "after=").count == pairs.count + 1, "\(link)")
      target = String(link.dropFirst().prefix { $0 != ">" })
    }
    #expect(told.map { $0.filter { $0 < windows.count } } == [[0, 1, 2], [3]], "\(told)")
    #expect(told.joined().sorted() == Array(0...windows.count), "\(told)")
    for (pair, rows) in windows.enumerated() { #expect(mirrors[pair]?.rows.count == rows) }
    // Then there is nothing left to tell.
    let last = try client.request("GET", target.replacing("&wait=20", with: "&wait=0"))
    #expect(try last.json["changes"] == [], "\(last.text.prefix(200))")
  }

  /// Whichever reply is made first, and though the large one is enough for one response.
  @Test func equalPollsAreToldOfTheSameTables() throws {
    let service = try Self.serviceWithLarge(rows: 9_000)
    let replies = try (0..<8).map { _ in try poll(service, ["large:", "t:", "none:", "u:"]) }
    for reply in replies {
      // With a cursor for each: all of them are told.
      let pairs = reply["Link"].split(separator: "after=").dropFirst()
      #expect(pairs.count == 3 && pairs.allSatisfy { $0.contains(".") }, "\(reply["Link"])")
      #expect(reply.body.count == replies[0].body.count && reply.body.count > 8 << 20)
    }
    let entries = try (replies[0].json["changes"] ?? .null).elements
    #expect(entries.map { $0["table"]?.text } == ["large", "t", "u", "none"])
  }

  @Test(
    "A bad lens is that pair's problem, in words",
    arguments: [
      ("t;;rows=9-3:", "rows=3-9"), ("t;;view=a%2520b:", "1 to 64"), ("t;;row=1:", "`row`"), ("t;;rows:", "NAME=VALUE"),
      ("t;;rows=1;rows=2:", "twice"), ("t;;rows=1;;view=a:", "NAME=VALUE"), ("t;;q=swi:", "no texts are searched"),
      ("t;;filter=a%3Ab:", "has no filter"), ("t;;sort=new:", "has no sort"), ("t;;rows=%25zz:", "NAME=VALUE"),
      ("t;;rows=2:8f2c61d09a4e", "no cursor"), ("none;;rows=2:", "none"), ("t;;view=b:", "twice"),
      ("t;;rows=all;view=b:", "twice"), ("t;;rows=7:8f2c61d09a4e.42~r9", "twice"),
    ]
  )
  func troubles(_ pair: String, _ words: String) throws {
    let service = try Self.shared.get()
    let reply = try poll(service, ["t:", "t;;view=b:", "t;;rows=7:", pair, "u:"])
    let entries = try (reply.json["changes"] ?? .null).elements
    let trouble = entries.first { $0["problem"] != nil }
    #expect(entries.count == 5 && trouble?["pair"]?.number == 3, "\(reply.text)")
    let status = trouble?["problem"]?["status"]?.number
    #expect(status == (pair.hasPrefix("none") ? 404 : 400), "\(reply.text)")
    #expect(trouble?["problem"]?["detail"]?.text?.contains(words) == true, "\(reply.text)")
    #expect(reply["Link"].split(separator: "after=").count == 5 && !reply["Link"].contains("none"), "\(reply["Link"])")
  }

  /// As a table that there isn't: the others are followed.
  @Test(arguments: [("t%3B%3Dx:", "t;=x", false), ("%25zz:", "%zz", false), ("t%3B%3Dx%3B%3Brows=2:", "t;=x", true)])
  func aNameThatCannotBeReadIsItsPairsProblem(_ pair: String, _ name: String, hasLens: Bool) throws {
    let service = try Self.shared.get()
    let reply = try poll(service, [pair, "t:", "u;;:"])
    let entries = try (reply.json["changes"] ?? .null).elements
    let trouble = entries.first { $0["problem"] != nil }
    #expect(reply.status == 200 && entries.count == 3, "\(reply.text)")
    #expect(trouble?["table"]?.text == name && trouble?["pair"]?.number == (hasLens ? 0 : nil), "\(reply.text)")
    #expect(trouble?["problem"]?["status"] == 404, "\(reply.text)")
    #expect(entries.count { $0["snapshot"] != nil } == 2, "\(reply.text)")
    #expect(reply["Link"].split(separator: "after=").count == 3, "\(reply["Link"])")
    #expect(try poll(service, [pair]).status == 200)
  }

  private static let shared = Result { try ServiceProcess(configuration, arguments: ["--insecure"]) }

  /// Without lenses of their own tables stand once, as ever.
  @Test func theOldFormIsAsEver() throws {
    let service = try Self.shared.get()
    #expect(try poll(service, ["t:", "t:"]).status == 400)
    #expect(try poll(service, [";;rows=1:"]).status == 400)
    #expect(try poll(service, ["t;;rows=1"]).status == 400)
    let shown = try poll(service, ["t:", "t;;rows=4:", "t;;:"])
    let entries = try (shown.json["changes"] ?? .null).elements
    #expect(entries.map { $0["problem"] == nil } == [true, true, false], "\(shown.text)")
  }

  @Test func sixtyFourPairsEachInAViewAreWoken() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    let cursor = try service.mirror("t").cursor
    let pairs = (0..<64).map { "after=t;;view=v\($0):\(cursor)" }.joined(separator: "&")
    try waiter.send("GET", "/v1/changes?\(pairs)&wait=30")
    try service.awaitPolls(1)
    #expect(try editor.request("POST", "/v1/tables/t/rows/3/tap?view=v63").status == 200)
    let entries = try (waiter.receive("the last view").json["changes"] ?? .null).elements
    #expect(entries.map { $0["pair"]?.number } == [63])
  }
}
