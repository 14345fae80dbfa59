import Testing

@testable import TablecastClient

/// What a follower asks for, event by event, its time given.
@Suite struct FollowerTests {
  private struct Run {
    var follower: Follower
    var now = 0.0
    var open: [(id: Int, target: String)] = []
    var confirmed: [EditID] = []

    init(_ settings: Follower.Settings = Follower.Settings()) { follower = Follower(settings, seed: 1) }

    var targets: [String] { open.map(\.target) }

    mutating func handle(_ event: Follower.Event) {
      for action in follower.handle(event, now: now) {
        switch action {
        case .send(let id, let target, _), .stream(let id, let target, _, _): open.append((id, target))
        case .cancel(let id): open.removeAll { $0.id == id }
        case .confirmed(_, let edit, _): confirmed.append(edit)
        case .changed: continue
        }
      }
    }

    mutating func answer(_ text: String, status: Int = 200, _ json: String) throws {
      guard let index = open.firstIndex(where: { $0.target.contains(text) }) else {
        throw MalformedReply("no request `\(text)`; open are \(targets)")
      }
      let id = open.remove(at: index).id
      let headers = status < 400 ? [:] : ["Content-Type": "application/problem+json"]
      handle(.response(id, TransportResponse(status: status, headers: headers, json: json)))
    }

    mutating func advance(_ seconds: Double) {
      let end = now + seconds
      while let due = follower.nextDeadline, due <= end {
        now = max(now, due)
        handle(.time)
      }
      now = end
    }
  }

  private static let address = TableAddress("t")
  private static let forbidden = #"{"title":"Forbidden","status":403}"#

  private static func snapshot(_ table: String = "t", _ cursor: String = "1", _ members: String = "") -> String {
    let cursor = "00000000000a.\(cursor)"
    let rows = #"[{"id":"1","cellIdentifier":"C","payload":{}}]"#
    let snapshot = #"{"table":"\#(table)","cursor":"\#(cursor)","sections":[{"id":"s","rows":\#(rows)}]\#(members)}"#
    return #"{"table":"\#(table)","from":null,"to":"\#(cursor)","reset":"start","snapshot":\#(snapshot)}"#
  }

  private static func window(_ from: Int) -> String { #","window":{"from":\#(from),"rows":50,"of":100000}"# }

  /// The changeset from one window of 50 rows to another one.
  private static func moved(_ from: Int, _ to: Int) -> String {
    let cursors = #""from":"00000000000a.5~w\#(from)","to":"00000000000a.5~w\#(to)""#
    return #"{"table":"t",\#(cursors),"stages":[{\#(window(to).dropFirst())}]}"#
  }

  /// A table that shows its first 50 rows.
  private func windowed() throws -> Run {
    var run = Run()
    run.handle(.observe(Self.address, RowWindow(50)))
    try run.answer("rows=50&wait=0", Self.snapshot("t", "5~w0", Self.window(0)))
    return run
  }

  @Test func theLastWindowIsAskedFor() throws {
    var run = try windowed()
    run.handle(.widen(Self.address, RowWindow(100...149)))
    run.handle(.widen(Self.address, RowWindow(200...249)))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w0&rows=200-249&wait=0"])
    try run.answer("rows=200-249", Self.moved(0, 200))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w200&wait=20"])
  }

  /// Whoever scrolls sees rows on the way: a request is not called off while some of its rows are wanted.
  @Test func aWindowThatMovesALittleWaitsForTheRowsUnderWay() throws {
    var run = try windowed()
    for from in [10, 20, 30] { run.handle(.widen(Self.address, RowWindow(from...from + 49))) }
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w0&rows=10-59&wait=0"])
    try run.answer("rows=10-59", Self.moved(0, 10))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w10&rows=30-79&wait=0"])
    try run.answer("rows=30-79", Self.moved(10, 30))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w30&wait=20"])
  }

  @Test func aWindowThatMovesBeforeTheFirstSnapshotIsAskedFor() {
    var run = Run()
    run.handle(.observe(Self.address, RowWindow(50)))
    run.handle(.widen(Self.address, RowWindow(1000...1049)))
    #expect(run.targets == ["/v1/tables/t/changes?rows=1000-1049&wait=0"])
  }

  @Test(arguments: [true, false]) func anotherObserverSharesTheWindowAsItWasLeft(_ isLeft: Bool) throws {
    var run = try windowed()
    run.handle(.widen(Self.address, RowWindow(20_000...20_049)))
    try run.answer("rows=20000-20049", Self.moved(0, 20_000))
    if isLeft { run.handle(.leave(Self.address)) }
    run.advance(4)
    run.handle(.observe(Self.address, RowWindow(50)))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.5~w20000&wait=20"])
    #expect(run.follower.tables[Self.address]?.window == RowWindow(20_000...20_049))
  }

  /// It is as new as what is shown, and of another lens: no cache repeats it.
  @Test func aSnapshotOfAnotherWindowAtOneVersionIsTaken() throws {
    var run = try windowed()
    try run.answer("wait=20", #"{"table":"t","from":"00000000000a.8","to":"00000000000a.9","stages":[]}"#)
    run.handle(.widen(Self.address, RowWindow(100...149)))
    run.advance(1.5)
    try run.answer("changes?rows=100-149", Self.snapshot("t", "5~w100", Self.window(100)))
    #expect(run.follower.tables[Self.address]?.connection == .live)
    #expect(run.follower.tables[Self.address]?.content?.cursor.text == "00000000000a.5~w100")
  }

  @Test func whoComesAfterAllOthersAsksForARefusedTable() throws {
    var run = Run()
    run.handle(.observe(Self.address, nil))
    try run.answer("/t/changes", status: 403, Self.forbidden)
    run.handle(.leave(Self.address))
    run.advance(6)
    #expect(run.targets.isEmpty)
    #expect(run.follower.idleTables == [Self.address])
    run.handle(.observe(Self.address, nil))
    #expect(run.targets == ["/v1/tables/t/changes?wait=0"])
    #expect(run.follower.tables[Self.address]?.connection == .connecting)
  }

  @Test func aTableThatWasRefusedToAnEditIsAskedForWithAnotherToken() throws {
    var run = Run()
    let cursor = TableCursor("00000000000a.2")
    run.handle(.answered(Self.address, EditID("a"), cursor))
    try run.answer("/t/changes", status: 403, Self.forbidden)
    #expect(run.confirmed == [EditID("a")])
    run.handle(.retryRefused)
    run.handle(.answered(Self.address, EditID("b"), cursor))
    #expect(run.targets.count == 1 && run.confirmed.count == 1)
  }

  @Test func anEditInATableThatNobodyObservesIsFoundByOneRow() throws {
    var run = Run()
    run.handle(.answered(Self.address, EditID("a"), TableCursor("00000000000a.2")))
    #expect(run.targets == ["/v1/tables/t/changes?rows=1&wait=0"])
    try run.answer("rows=1", Self.snapshot("t", "2~w1", #","window":{"from":0,"rows":1,"of":9}"#))
    #expect(run.confirmed == [EditID("a")] && run.targets.isEmpty)
    #expect(run.follower.tables[Self.address]?.shownContent == nil)
    run.handle(.observe(Self.address, nil))
    #expect(run.targets == ["/v1/tables/t/changes?wait=0"])
    try run.answer("/t/changes", Self.snapshot("t", "2"))
    #expect(run.follower.tables[Self.address]?.shownContent?.sections.count == 1)
  }

  @Test func whoComesWhileOneRowIsOnItsWayIsNotShownThatRow() {
    var run = Run()
    run.handle(.answered(Self.address, EditID("a"), TableCursor("00000000000a.2")))
    run.handle(.observe(Self.address, RowWindow(50)))
    #expect(run.targets == ["/v1/tables/t/changes?rows=50&wait=0"])
  }

  @Test func anEditOfAScreenIsFoundInItsWindow() {
    var (run, screen) = (Run(), Self.address)
    screen.screen = TableAddress.Screen(name: nil, window: RowWindow(50))
    run.handle(.answered(screen, EditID("a"), TableCursor("00000000000a.2")))
    #expect(run.targets == ["/v1/tables/t/changes?rows=50&wait=0"])
  }

  /// It may be about the pair's cursor, or about a token that is over: alone, both are met.
  @Test(arguments: [400, 401]) func aPairThatIsRefusedAmongOthersIsAskedForAlone(_ status: Int) throws {
    var run = Run()
    for name in ["t", "u"] {
      run.handle(.observe(TableAddress(name), nil))
      try run.answer("/\(name)/changes?wait=0", Self.snapshot(name))
    }
    let problem = #"{"title":"No","status":\#(status)}"#
    try run.answer("/v1/changes?", #"{"changes":[{"table":"u","problem":\#(problem)}]}"#)
    #expect(run.follower.tables[TableAddress("u")]?.refusal == nil)
    let alone = ["t", "u"].map { "/v1/tables/\($0)/changes?after=00000000000a.1&wait=20" }
    #expect(run.targets.sorted() == alone)
  }

  @Test func anotherTokenProviderEndsThePollsDelay() {
    var run = Run()
    run.handle(.observe(Self.address, nil))
    for _ in 0..<6 {
      run.advance(40)
      if let id = run.open.popLast()?.id { run.handle(.failure(id)) }
    }
    #expect(run.targets.isEmpty)
    run.handle(.tokenReplaced(usesSlots: true))
    #expect(run.targets == ["/v1/tables/t/changes?wait=0"])
  }

  /// The answer to what is under way would be for the former token.
  @Test func whatIsUnderWayIsAskedForWithAnotherProvider() {
    var run = Run()
    run.handle(.observe(Self.address, nil))
    let former = run.open.map(\.id)
    run.handle(.tokenReplaced(usesSlots: false))
    #expect(run.targets == ["/v1/tables/t/changes?wait=0"])
    #expect(run.open.map(\.id) != former)
  }

  @Test func whoHasATokenDoesNotPollThroughCaches() throws {
    var run = Run()
    run.handle(.observe(Self.address, nil))
    try run.answer("wait=0", Self.snapshot("t", "1", #","edges":true"#))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.1&slot=0"])
    run.handle(.tokenReplaced(usesSlots: false))
    #expect(run.targets == ["/v1/tables/t/changes?after=00000000000a.1&wait=20"])
  }

  @Test func aFewTablesHaveStreamsAndTheOthersShareAPoll() throws {
    var settings = Follower.Settings()
    settings.usesStreams = true
    var run = Run(settings)
    for number in 0..<10 {
      run.handle(.observe(TableAddress("t\(number)"), nil))
      try run.answer("/t\(number)/changes?wait=0", Self.snapshot("t\(number)"))
    }
    func streams() -> [String] { run.targets.filter { $0.hasSuffix("/stream") }.sorted() }
    #expect(streams() == (0..<8).map { "/v1/tables/t\($0)/stream" })
    #expect(run.targets.count == 9 && run.targets.contains { $0.hasPrefix("/v1/changes?after=t8") })
    // The stream of a table that is left goes to another one.
    run.handle(.leave(TableAddress("t0")))
    run.advance(6)
    #expect(streams() == (1..<9).map { "/v1/tables/t\($0)/stream" })
    #expect(run.targets.count == 9)
  }
}
