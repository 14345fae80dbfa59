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

  private static func result(_ sections: [SectionDefinition], for caller: String, shared: Bool) throws -> MappingResult
  {
    let mapper = try Fixture {
      $0.table.sections = .list(sections, firstMatch: true)
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
