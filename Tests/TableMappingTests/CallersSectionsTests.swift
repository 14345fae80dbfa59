import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Conditions that can't be evaluated for an item, in tables that show callers their own rows: nobody is told of another's items.
@Suite struct CallersSectionsTests {
  /// An item of each caller, whose `due` is no number.
  private static let items = """
    [{"id":1,"title":"a","owner":"ann","due":"secret"},{"id":2,"title":"b","owner":"bob","due":"none"}]
    """

  private static func result(
    _ sections: [SectionDefinition],
    for caller: String,
    shared: Bool,
    firstMatch: Bool = true
  ) throws -> MappingResult {
    let mapper = try Fixture {
      $0.table.sections = .list(sections, firstMatch: firstMatch)
      $0.table.callerUse = CallerUse(sections.compactMap { $0.predicate?.callerUse })
      $0.sources = [
        SourceDefinition(name: "s", kind: .upstream(UpstreamDefinition(url: template("https://a.example/"))))
      ]
    }.mapper()
    var contents = ["s": SourceContent.pages([Array(items.utf8)])]
    if shared { contents = RandomTable.sharing(SharedMappings(), contents) }
    return mapper.map(contents, variables: MappingVariables(caller: ["name": .string(caller)]))
  }

  @Test(
    arguments: [
      // What fails stands before the part that tells whose it is.
      (["(due | int) > 0 && owner == $caller.name"], "bob", [], ["none"]),
      (["owner == $caller.name && (due | int) > 0"], "bob", [], ["none"]),
      (["(due | int) > 0 && owner == $caller.name"], "cy", [], []),
      // Only what fails would tell whether it is another's.
      (["owner == $caller.name || (due | int) > 0"], "bob", ["2"], []),
      // Of a section for everybody it may not be said, either.
      (["(due | int) > 0", "owner == $caller.name"], "bob", [], ["none"]),
      (["(due | int) > 0", "owner == $caller.name"], "cy", [], []),
      // Another's item is in another section all the same.
      (["(due | int) > 0 && owner == $caller.name", "true"], "bob", ["1"], ["none"]),
      // A table that doesn't ask shows everybody's.
      (["(due | int) > 0"], "bob", [], ["secret", "none"]),
    ] as [([String], String, [String], [String])],
    [false, true]
  )
  func nothingIsSaidOfOthersItems(_ table: ([String], String, [String], [String]), isShared: Bool) throws {
    let (conditions, caller, rows, told) = table
    let sections = conditions.enumerated().map { section("s\($0)", where: $1) }
    let result = try Self.result(sections, for: caller, shared: isShared)
    #expect(result.isPart == (isShared && conditions.contains { $0.contains("$caller") }))
    #expect(result.rows.map(\.id) == rows, "\(conditions) \(caller)")
    #expect(result.skippedItems == told.count && result.skipped.count == told.count, "\(conditions) \(result.skipped)")
    for (skipped, word) in zip(result.skipped, told) { #expect(skipped.reason.contains(word), "\(skipped.reason)") }
  }

  /// An item that one section takes stays there for those who may not be told of another section's doubts.
  @Test(arguments: [["all", "due", "mine"], ["due", "all", "mine"]]) func allMatchesAreShown(order: [String]) throws {
    let conditions = ["due": "(due | int) > 0", "mine": "owner == $caller.name"]
    let result = try Self.result(
      order.map { section($0, where: conditions[$0]) },
      for: "cy",
      shared: false,
      firstMatch: false
    )
    #expect(result.skippedItems == 0 && result.skipped.isEmpty, "\(result.skipped)")
    #expect(result.warnings.count == 1 && !result.warnings[0].contains("secret"), "\(result.warnings)")
    #expect(result.rows.count == (order[0] == "all" ? 2 : 0))
  }

  /// A condition that fails where it would tell whose an item is: whoever runs the service is told, and nobody else.
  @Test(arguments: [false, true]) func aConditionThatTellsNothing(isShared: Bool) throws {
    let sections = [section("s", where: "(due | int) == $caller.name")]
    let result = try Self.result(sections, for: "ann", shared: isShared)
    #expect(result.isPart == isShared && result.rows.isEmpty && result.skippedItems == 0)
    #expect(result.warnings.count == 1 && !result.warnings[0].contains("secret"), "\(result.warnings)")
  }

  /// What was work enough to be shown is enough to be judged.
  @Test func aLongListOfMembers() throws {
    let members = (0..<2500).map { #"{"id":"u\#($0)"}"# }.joined(separator: ",")
    let mapper = try Fixture {
      $0.table.sections = .single(section("s", where: "$caller.name in (members | map(id))"))
      $0.sources = [SourceDefinition(name: "s", kind: .local(LocalDefinition()))]
    }.mapper()
    let item = OwnedItem(number: 1, rank: 1, bytes: Array(#"{"id":1,"title":"a","members":[\#(members)]}"#.utf8))
    let result = mapper.map(
      ["s": .owned(OwnedList(owned: [item]))],
      variables: MappingVariables(caller: ["name": "u2499"])
    )
    #expect(result.rows.count == 1 && result.isOfCallers(item.bytes, from: "s") == true)
  }

  /// The list that an item should have is missing: its caller alone is told.
  @Test(arguments: [("ann", 1, 0), ("bob", 0, 1)]) func anItemWithoutItsList(caller: String, rows: Int, told: Int)
    throws
  {
    let mapper = try Fixture {
      $0.table.items = expression("cards")
      $0.table.sections = .single(section("s", where: "$parent.owner == $caller.name"))
      $0.sources = [
        SourceDefinition(name: "s", kind: .upstream(UpstreamDefinition(url: template("https://a.example/"))))
      ]
    }.mapper()
    let page = #"[{"owner":"ann","cards":[{"id":1,"title":"a"}]},{"owner":"bob","cards":"secret"}]"#
    let result = mapper.map(
      ["s": .pages([Array(page.utf8)])],
      variables: MappingVariables(caller: ["name": .string(caller)])
    )
    #expect(result.rows.count == rows && result.skippedItems == told && result.skipped.count == told)
    #expect(result.warnings.count == 1 - told && result.warnings.allSatisfy { !$0.contains("secret") })
  }

  /// To read what is looked up for the caller is to read the caller.
  @Test(arguments: [("red", true), ("blue", false), ("none", nil)]) func lookedUpForTheCaller(
    team: String,
    isOwn: Bool?
  ) throws {
    var section = section("s", where: nil)
    section.predicate = try Expression("(due | int) > 0 && team == $me.team", lookups: ["me"])
    let mapper = try Fixture {
      $0.table.sections = .single(section)
      $0.table.lookups = [
        LookupDefinition(name: "me", source: "people", key: expression("name"), on: expression("$caller.name"))
      ]
      $0.sources = ["s", "people"].map { SourceDefinition(name: $0, kind: .local(LocalDefinition())) }
    }.mapper()
    #expect(mapper.callersLookupSources == ["people"])
    let item = OwnedItem(number: 1, rank: 1, bytes: Array(#"{"title":"a","team":"\#(team)","due":"secret"}"#.utf8))
    let people = OwnedItem(number: 1, rank: 1, bytes: Array(#"{"name":"ann","team":"red"}"#.utf8))
    var contents = ["s": SourceContent.owned(OwnedList(owned: [item]))]
    if isOwn != nil { contents["people"] = .owned(OwnedList(owned: [people])) }
    let result = mapper.map(contents, variables: MappingVariables(caller: ["name": "ann"]))
    #expect(result.isOfCallers(item.bytes, from: "s") == isOwn)
    #expect(result.skippedItems == (isOwn == true ? 1 : 0), "\(result.skipped)")
  }

  /// Sections of another source ask for the caller, and none of the item's.
  @Test func anotherSourceAsks() throws {
    var led = section("led", where: "lead == $caller.name")
    (led.source, led.rowID) = ("people", template("p${id}"))
    let mapper = try Fixture {
      $0.table.sections = .list([section("notes", where: "!done"), led], firstMatch: true)
      $0.sources = ["s", "people"].map { SourceDefinition(name: $0, kind: .local(LocalDefinition())) }
    }.mapper()
    let result = mapper.map(
      ["s": .owned(OwnedList()), "people": .owned(OwnedList())],
      variables: MappingVariables(caller: ["name": "ann"])
    )
    #expect(result.isOfCallers(Array(#"{"done":true}"#.utf8), from: "s") == true)
    #expect(result.isOfCallers(Array(#"{"lead":"bob"}"#.utf8), from: "people") == false)
  }

  /// An item's owner may stand in another source, and a parameter may be between them.
  @Test(
    arguments: [
      ("$boss.name == $caller.name", #"{"owner":"x","n":1}"#, true),
      ("$boss.name == $caller.name", #"{"owner":"ann","n":2}"#, false),
      ("($boss.name ?? owner) == $caller.name", #"{"owner":"ann","n":2}"#, false),
      ("($boss.name ?? owner) == $caller.name", #"{"owner":"ann","n":7}"#, true),
      ("owner == $caller.name && !done", #"{"owner":"ann","done":true}"#, true),
      ("owner == $params.o && $params.o == $caller.name", #"{"owner":"ann"}"#, true),
      ("owner == $params.o && $params.o == $caller.name", #"{"owner":"bob"}"#, false),
      ("n == $params.o && owner == $caller.name", #"{"owner":"ann","n":1}"#, true),
      ("(due | int) > 0 || owner == $caller.name", #"{"owner":"ann","due":"x"}"#, false),
      ("!done", #"{"done":true}"#, true),
    ]
  )
  func whoseAnItemIs(_ condition: String, _ item: String, _ isOwn: Bool) throws {
    var section = section("s")
    section.predicate = try Expression(condition, lookups: ["boss"])
    let mapper = try Fixture {
      $0.table.sections = .single(section)
      $0.table.lookups = [LookupDefinition(name: "boss", source: "bosses", key: expression("id"), on: expression("n"))]
      $0.sources = [
        SourceDefinition(name: "s", kind: .local(LocalDefinition())),
        SourceDefinition(name: "bosses", kind: .local(LocalDefinition())),
      ]
    }.mapper()
    let bosses = [#"{"id":1,"name":"ann"}"#, #"{"id":2,"name":"bob"}"#].enumerated().map { number, text in
      OwnedItem(number: UInt64(number), rank: Int64(number), bytes: Array(text.utf8))
    }
    let result = mapper.map(
      ["s": .owned(OwnedList()), "bosses": .owned(OwnedList(owned: bosses))],
      variables: MappingVariables(parameters: ["o": "ann"], caller: ["name": "ann"])
    )
    #expect(result.isOfCallers(Array(item.utf8), from: "s") == isOwn)
  }
}
