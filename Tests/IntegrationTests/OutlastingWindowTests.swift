import JSON
import TestSupport
import Testing

/// A window that outlasts the versions that are held: what came and went below it is no reason to begin anew.
@Suite struct OutlastingWindowTests {
  private static let configuration = """
    store: memory
    history: 3
    cells: {Label: {fields: {title: string}}}
    tables:
      t: {source: {local: {items: [{title: a}, {title: b}]}}, cell: Label, payload: {title: "${title}"}}
    """

  @Test func aWaiterIsToldByStagesAfterAnyNumberOfChangesBelow() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("t", query: "?rows=2")
    let first = table.cursor
    try waiter.send("GET", "/v1/tables/t/changes?after=\(first)&wait=30")
    try service.awaitPolls(1)
    for number in 0..<20 {
      let item: JSONValue = ["title": .string("item \(number)")]
      #expect(try editor.request("POST", "/v1/tables/t/items", body: item).status == 201)
    }
    // One that has waited, was cut off, and comes back.
    let late = try editor.request("GET", "/v1/tables/t/changes?after=\(first)&wait=1").json
    #expect(late["stages"]?.elements.count == 1 && late["from"]?.text == first && late["to"]?.text != first, "\(late)")
    #expect(late["stages"]?.elements.first == ["window": ["rows": 2, "of": 22]], "\(late)")
    let item: JSONValue = ["title": "B"]
    #expect(try editor.request("PATCH", "/v1/tables/t/items/2", body: item).status == 200)
    let woken = try waiter.receive("what changed inside").json
    #expect(woken["reset"] == nil, "\(woken)")
    try table.apply(woken)
    try table.check(equals: service.snapshot("t", query: "?rows=2"))
    // What a larger window had is not known any more.
    #expect(try service.changes("t", after: first, query: "&rows=3")["reset"] == nil)
    let changed = try service.changes("t", after: first.replacing("~r2", with: "~r3"), query: "&rows=3")
    #expect(changed["reset"]?.text == "expired", "\(changed)")
  }

  /// Where there are searches, versions may change nothing else.
  @Test(arguments: ["", "&view=v"]) func theWholeTableOutlastsVersionsThatChangeSearchesAlone(lens: String) throws {
    let configuration = Self.configuration
      .replacing("payload:", with: "find: {search: [hidden]}, payload:")
    let service = try ServiceProcess(configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("t")
    try waiter.send("GET", "/v1/tables/t/changes?after=\(table.cursor)&wait=50\(lens)")
    try service.awaitPolls(1)
    func patch(_ row: Int, _ item: JSONValue) throws {
      #expect(try editor.request("PATCH", "/v1/tables/t/items/\(row)", body: item).status == 200)
    }
    for number in 0..<20 { try patch(2, ["hidden": .string("word \(number)")]) }
    let late = try editor.request("GET", "/v1/tables/t/changes?after=\(table.cursor)&wait=0\(lens)").json
    #expect(late["stages"]?.elements.isEmpty == true && late["reset"] == nil, "\(late)")
    try patch(1, ["title": "A"])
    let woken = try waiter.receive("what is shown").json
    #expect(woken["reset"] == nil && woken["from"]?.text == table.cursor, "\(woken)")
    try table.apply(woken)
    try table.check(equals: service.snapshot("t"))
  }

  /// A search outlasts them however fast they come.
  @Test func aSearchOutlastsVersionsThatChangeNothingOfIt() throws {
    let configuration = Self.configuration.replacing("history: 3", with: "history: 2")
      .replacing("payload:", with: "find: {search: [title]}, payload:")
    let service = try ServiceProcess(configuration, arguments: ["--insecure"])
    let waiter = try service.client()
    var table = try service.mirror("t", query: "?q=a")
    try waiter.send("GET", "/v1/tables/t/changes?after=\(table.cursor)&wait=50&q=a")
    try service.awaitPolls(1)
    let editors = (0..<4).map { editor in
      Background("editor \(editor)") {
        let client = try service.client()
        for number in 0..<50 {
          let item: JSONValue = ["title": .string("b \(editor) \(number)")]
          guard try client.request("PATCH", "/v1/tables/t/items/2", body: item).status == 200 else { return false }
        }
        return true
      }
    }
    for editor in editors { #expect(try editor.value()) }
    let item: JSONValue = ["title": "another a"]
    #expect(try service.request("PATCH", "/v1/tables/t/items/1", body: item).status == 200)
    let woken = try waiter.receive("what changed of what is found").json
    #expect(woken["reset"] == nil, "\(woken)")
    try table.apply(woken)
    try table.check(equals: service.snapshot("t", query: "?q=a"))
  }

  private static let found = """
    store: memory
    history: 2
    cells: {Label: {fields: {title: string}}}
    tables:
      t:
        source:
          local: {items: [{title: a1, list: x}, {title: a2, list: x}, {title: a3, list: y}, {title: b, list: z}]}
        sections: {groupBy: list}
        find: {search: [title], filters: {list: {title: List, by: list}}}
        cell: Label
        payload: {title: "${title}"}
    """

  /// Menus and sizes are told anew, or taken away, as nobody knows what the client has of them.
  @Test(arguments: ["&rows=all", "&rows=2", "&q=a&rows=all", "&q=a&rows=2"])
  func whoLeavesASearchThatOutlastedItsVersionsKeepsNothingOfIt(next: String) throws {
    let service = try ServiceProcess(Self.found, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("t", query: "?q=a&rows=2")
    let first = table.cursor
    try waiter.send("GET", "/v1/tables/t/changes?after=\(first)&wait=50&q=a&rows=2")
    try service.awaitPolls(1)
    for number in 0..<20 {
      let item: JSONValue = ["title": .string("b\(number)"), "list": "w"]
      #expect(try editor.request("PATCH", "/v1/tables/t/items/4", body: item).status == 200)
    }
    #expect(try editor.request("DELETE", "/v1/tables/t/items/3").status == 200)
    let changes = try editor.request("GET", "/v1/tables/t/changes?after=\(first)&wait=0\(next)").json
    #expect(changes["reset"] == nil, "\(changes)")
    try table.apply(changes)
    try table.check(equals: service.snapshot("t", query: "?" + next.dropFirst()))
  }

  /// A row above comes into the section of the one that is shown, and nobody is woken.
  @Test func theNumberOfRowsBeforeAWindowIsTold() throws {
    let service = try ServiceProcess(Self.found, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    var table = try service.mirror("t", query: "?q=a&rows=2-2")
    #expect(table.rows == ["3"] && table.sections.first?.skipped == 0)
    let first = table.cursor
    try waiter.send("GET", "/v1/tables/t/changes?after=\(first)&wait=50&q=a&rows=2-2")
    try service.awaitPolls(1)
    #expect(try editor.request("PATCH", "/v1/tables/t/items/2", body: ["list": "y"]).status == 200)
    for number in 0..<20 {
      let item: JSONValue = ["title": .string("b\(number)")]
      #expect(try editor.request("PATCH", "/v1/tables/t/items/4", body: item).status == 200)
    }
    try table.apply(editor.request("GET", "/v1/tables/t/changes?after=\(first)&wait=0&q=a&rows=2-2").json)
    #expect(table.sections.first?.skipped == 1)
    try table.check(equals: service.snapshot("t", query: "?q=a&rows=2-2"))
  }

  /// Changes above that move nothing, and those below, are no reason either; one that moves the rows is.
  @Test func aWindowOutOfTheMiddleOutlastsWhatDoesNotReachIt() throws {
    let service = try ServiceProcess(Self.configuration, arguments: ["--insecure"])
    let (editor, waiter) = (try service.client(), try service.client())
    for number in 0..<4 { try add(editor, "item \(number)") }
    var table = try service.mirror("t", query: "?rows=2-3")
    #expect(table.sections.first?.skipped == 2 && table.attributes["window"] == ["from": 2, "rows": 2, "of": 6])
    let first = table.cursor
    try waiter.send("GET", "/v1/tables/t/changes?after=\(first)&wait=30")
    try service.awaitPolls(1)
    for number in 0..<20 {
      let item: JSONValue = ["title": .string("\(number)")]
      let row = number.isMultiple(of: 2) ? 1 : 6
      #expect(try editor.request("PATCH", "/v1/tables/t/items/\(row)", body: item).status == 200)
    }
    try add(editor, "one more")
    let late = try editor.request("GET", "/v1/tables/t/changes?after=\(first)&wait=1").json
    #expect(late["stages"]?.elements == [["window": ["from": 2, "rows": 2, "of": 7]]], "\(late)")
    #expect(try editor.request("DELETE", "/v1/tables/t/items/1").status == 200)
    let woken = try waiter.receive("what moved").json
    #expect(woken["reset"] == nil, "\(woken)")
    try table.apply(woken)
    try table.check(equals: service.snapshot("t", query: "?rows=2-3"))
    for number in 0..<4 { try add(editor, "more \(number)") }
    #expect(try service.changes("t", after: first)["reset"]?.text == "expired")
  }

  private func add(_ editor: HTTPClient, _ title: String) throws {
    #expect(try editor.request("POST", "/v1/tables/t/items", body: ["title": .string(title)]).status == 201)
  }
}
