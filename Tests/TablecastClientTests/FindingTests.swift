import Foundation
import TablecastTesting
import Testing

@testable import TablecastClient

/// Searches of a followed table, against a scripted service on a clock of its own.
@Suite struct FindingTests {
  private struct Stage {
    let transport = ScriptedTransport()
    let scheduler = ManualScheduler()
    let client: TablecastClient<AnyCell>
    let table: LiveTable<AnyCell>
    let recorder = ChangeRecorder()
    let observation: TableObservation

    init() throws {
      var options = ClientOptions()
      (options.transport, options.scheduler, options.seed) = (transport, scheduler, 1)
      client = TablecastClient(url: try #require(URL(string: "http://h")), cells: AnyCell.self, options: options)
      table = client.table("t")
      observation = table.observe(recorder.receive)
      try answer("/changes?wait=0", Self.snapshot)
    }

    static let find = """
      {"prompt":"Search tasks","sorts":[{"id":"new","title":"Newest"}],"filters":[{"id":"state","title":"State",\
      "values":[{"value":"open","title":"Open","count":2,"selected":false}]}]}
      """
    static let snapshot = """
      {"table":"t","from":null,"to":"00000000000a.1","reset":"start","snapshot":{"table":"t","cursor":"00000000000a.1",\
      "state":"ready","sections":[{"id":"s","rows":[\(["swim", "swift", "bread"].map(row).joined(separator: ","))]}]}}
      """

    static func row(_ id: String) -> String { "{\"id\":\"\(id)\",\"cellIdentifier\":\"C\",\"payload\":{}}" }

    static func stages(_ from: String, _ to: String, _ stage: String) -> String {
      "{\"table\":\"t\",\"from\":\"00000000000a.\(from)\",\"to\":\"00000000000a.\(to)\",\"stages\":[{\(stage)}]}"
    }

    /// The queries of the requests that are open.
    var open: [String] {
      client.engine.settle()
      return transport.waiting.map { String($0.request.url.drop { $0 != "?" }.dropFirst()) }
    }

    func answer(_ text: String, status: Int = 200, _ json: String) throws {
      client.engine.settle()
      let call = try #require(transport.waiting.first { $0.request.url.contains(text) }, "open are \(open)")
      let headers = status < 400 ? [:] : ["Content-Type": "application/problem+json"]
      transport.answer(call.number, .success(TransportResponse(status: status, headers: headers, json: json)))
      client.engine.settle()
    }

    func advance(_ seconds: Double) {
      client.engine.settle()
      scheduler.advance(by: seconds)
      client.engine.settle()
    }

    var rows: [String] { table.snapshot?.sections.flatMap { $0.rows.map(\.id) } ?? [] }
  }

  @Test func menusAreAskedForOfTheTableThatIsShown() throws {
    let stage = try Stage()
    stage.table.find()
    #expect(stage.open == ["after=00000000000a.1&wait=0&find=1"])
    try stage.answer("find=1", Stage.stages("1", "1~f", "\"find\":\(Stage.find)"))
    #expect(stage.rows.count == 3)
    let find = try #require(stage.table.snapshot?.find)
    #expect(find.prompt == "Search tasks" && find.sorts.map(\.id) == ["new"])
    #expect(find.filters.first?.values.first?.count == 2)
    #expect(stage.open == ["after=00000000000a.1~f&wait=20&find=1"])
  }

  @Test func whatIsTypedIsAskedForWhenThePersonPauses() throws {
    let stage = try Stage()
    for text in ["s", "sw", "swi"] {
      stage.table.find(q: text)
      stage.advance(0.1)
      #expect(stage.open == ["after=00000000000a.1&wait=20"])
      #expect(stage.table.snapshot?.search?.q == text)
      #expect(stage.table.snapshot?.isSearching == true)
    }
    stage.advance(0.06)
    #expect(stage.open == ["after=00000000000a.1&wait=0&q=swi"])
    try stage.answer(
      "q=swi",
      Stage.stages("1", "1~fswi", "\"rows\":{\"delete\":[{\"at\":[0,2],\"id\":\"bread\"}]},\"find\":\(Stage.find)")
    )
    #expect(stage.rows == ["swim", "swift"])
    #expect(stage.table.snapshot?.isSearching == false)
    guard case .stages = stage.recorder.changes.last?.kind else {
      Issue.record("what is found comes by stages")
      return
    }
  }

  @Test func anOvertakenSearchIsCalledOff() throws {
    let stage = try Stage()
    stage.table.find(q: "swim")
    stage.advance(0.2)
    #expect(stage.open == ["after=00000000000a.1&wait=0&q=swim"])
    let late = try #require(stage.transport.waiting.first)
    stage.table.find(q: "br")
    stage.advance(0.2)
    #expect(stage.open == ["after=00000000000a.1&wait=0&q=br"])
    stage.transport.answer(
      late.number,
      .success(TransportResponse(status: 200, headers: [:], json: Stage.stages("1", "1~fswim", "")))
    )
    stage.client.engine.settle()
    #expect(stage.rows.count == 3)
  }

  @Test func filtersAndSortsAreAskedForAtOnce() throws {
    let stage = try Stage()
    stage.table.find(q: "s")
    stage.table.find(q: "s", filters: ["state": ["open", "a b"], "x": []], sort: "new")
    #expect(stage.open == ["after=00000000000a.1&wait=0&q=s&filter=state%3Aa%20b&filter=state%3Aopen&sort=new"])
    #expect(stage.table.snapshot?.offersMoves == false)
    stage.table.find(sort: "new")
    // What was typed and is typed no more.
    #expect(stage.open == ["after=00000000000a.1&wait=0&sort=new"])
  }

  @Test func aSearchThatTheServiceRefusesLeavesTheOneBefore() throws {
    let stage = try Stage()
    stage.table.find(filters: ["colour": ["red"]])
    let problem = "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"no such filter\",\"field\":\"filter\"}"
    try stage.answer("filter=", status: 400, problem)
    #expect(stage.table.snapshot?.searchProblem?.detail == "no such filter")
    #expect(stage.table.snapshot?.search == nil)
    #expect(stage.table.snapshot?.connection == .live)
    #expect(stage.open == ["after=00000000000a.1&wait=20"])
  }

  /// Whoever searches, or has a window, sees another table than the one that places count in.
  @Test func placesAreToldByTheRowBesideThemWhereTheTableIsSearched() throws {
    let stage = try Stage()
    stage.table.find(q: "sw")
    stage.advance(0.2)
    try stage.answer("q=sw", Stage.stages("1", "1~fsw", "\"rows\":{\"delete\":[{\"at\":[0,2],\"id\":\"bread\"}]}"))
    stage.table.move("swim", to: .section("s", at: 1))
    stage.client.engine.settle()
    let move = try #require(stage.transport.requests.first { $0.url.hasSuffix("/move") })
    #expect(move.body.map { String(decoding: $0, as: UTF8.self) } == "{\"after\":\"swift\"}")
    #expect(stage.rows == ["swift", "swim"])
  }

  /// The rows are the found ones until the plain table has come.
  @Test func placesAreToldByTheRowBesideThemUntilTheEndOfASearchIsAnswered() throws {
    let stage = try Stage()
    stage.table.find(q: "sw")
    stage.advance(0.2)
    try stage.answer("q=sw", Stage.stages("1", "1~fsw", "\"rows\":{\"delete\":[{\"at\":[0,0],\"id\":\"swim\"}]}"))
    stage.table.find(nil)
    stage.client.engine.settle()
    #expect(stage.table.snapshot?.search == nil && stage.rows == ["swift", "bread"])
    stage.table.move("bread", to: .section("s", at: 0))
    stage.client.engine.settle()
    let move = try #require(stage.transport.requests.first { $0.url.hasSuffix("/move") })
    #expect(move.body.map { String(decoding: $0, as: UTF8.self) } == "{\"before\":\"swift\"}")
  }

  @Test func whoComesWhenAllHaveGoneHasNotSearched() throws {
    let stage = try Stage()
    stage.table.find(filters: ["state": ["open"]])
    try stage.answer("filter=", Stage.stages("1", "1~fx", "\"rows\":{\"delete\":[{\"at\":[0,2],\"id\":\"bread\"}]}"))
    stage.observation.cancel()
    stage.advance(6)
    let next = stage.table.observe { _ in }
    #expect(stage.open == ["after=00000000000a.1~fx&wait=0"])
    next.cancel()
  }

  @Test(arguments: [
    ("q=swi&filter=state:open&filter=state:&sort=newest", "q=swi&filter=state%3Anone&filter=state%3Aopen&sort=newest"),
    ("", "find=1"), ("q=a%20b%26c", "q=a%20b%26c"), ("filter=a:b:c", "filter=a%3Ab%3Ac"),
    ("q=a+b%2Bc&filter=f:x+y", "q=a%20b%2Bc&filter=f%3Ax%20y"),
  ]) func aSearchIsWrittenAsAQuery(_ query: String, _ sent: String) throws {
    #expect(try TableSearch(query: query).queryItems.joined(separator: "&") == sent)
  }

  @Test(arguments: ["q", "filter=state", "limit=5"]) func whatIsNoSearchIsSaid(_ query: String) {
    #expect(throws: MalformedReply.self) { try TableSearch(query: query) }
  }

  @Test func whatIsBeyondTheServicesLimitsIsNotSent() {
    let search = TableSearch(q: String(repeating: "é", count: 300), filters: ["f": Set((0..<50).map(String.init))])
    #expect(search.parameters.first?.value.unicodeScalars.count == 200)
    #expect(search.parameters.filter { $0.name == "filter" }.count == 32)
  }
}
