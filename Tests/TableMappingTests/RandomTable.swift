import Definitions
import Expressions
import JSON
import TableMapping
import TableModel
import TestSupport
import Testing

/// Tables as people configure them, by chance.
struct RandomTable {
  /// What its items look up.
  static let users = SourceContent.pages([Array(#"[{"id":1,"name":"Ann"},{"id":2,"name":"Bo"}]"#.utf8)])
  static let variables = MappingVariables(parameters: ["limit": "4"], locale: "sv-SE")

  /// A response that is a list of items.
  static func page(_ items: [[UInt8]]) -> SourceContent {
    .pages([Array("[".utf8) + items.joined(separator: Array(",".utf8)) + Array("]".utf8)])
  }

  /// The same contents as the tables have them that share the rows of an answer.
  static func sharing(_ shared: SharedMappings, _ contents: [String: SourceContent]) -> [String: SourceContent] {
    contents.mapValues { content in
      var content = content
      content.shared = shared
      return content
    }
  }

  /// An item with another title; nil where it is no object.
  static func retitled(_ item: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
    let title = ["a", "b 9", "c \(Int.random(in: 0..<100, using: &random))"].randomElement(using: &random) ?? ""
    guard case .object(let members)? = try? JSONValue(parsing: item) else { return nil }
    return JSONValue.object(members.map { $0.name == "title" ? .init(name: "title", value: .string(title)) : $0 }).bytes
  }

  var mapper: TableMapper
  var words: String

  /// - Parameter isLocal: The service owns the items; else an upstream does.
  init(_ random: inout SeededGenerator, isLocal: Bool = true) throws {
    var words: [String] = []
    func chosen<Choice>(_ name: String, _ choices: [(String, Choice)]) -> Choice {
      let (word, choice) = choices.randomElement(using: &random) ?? choices[0]
      words.append("\(name): \(word)")
      return choice
    }
    func sort() -> [SortDefinition] {
      chosen(
        "sort",
        [
          ("none", []), ("n", [SortDefinition(key: expression("n"))]),
          (
            "n, title",
            [
              SortDefinition(key: expression("n"), order: .always(.descending)),
              SortDefinition(key: expression("title")),
            ]
          ),
          ("language", [SortDefinition(key: expression("title"), locale: template("de"), isNatural: true)]),
        ]
      )
    }
    func limit() -> RowLimit? {
      chosen(
        "limit",
        [("none", nil), ("3", .always(3)), ("0", .always(0)), ("by parameter", .chosen(expression("$params.limit")))]
      )
    }
    func model(_ name: String) -> CellMapping? {
      chosen(
        name,
        [
          ("none", nil), ("count", mapping("Title", ["title": "${$key}: ${$count}"])),
          ("items", mapping("Title", ["title": "${$items | map(id) | join('+')} of ${$count}"])),
        ]
      )
    }
    func list(_ id: String, where predicate: String?) -> SectionDefinition {
      var section = section(id, where: predicate)
      (section.sort, section.limit, section.header, section.footer) = (
        sort(), limit(), model("header"), model("footer")
      )
      section.hideEmpty = chosen("hideEmpty", [("yes", true), ("no", false)])
      return section
    }
    let sections: SectionsDefinition =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .single(list("main", where: nil))
      case 1: .single(list("main", where: "done"))
      case 2, 3:
        .list(
          [list("open", where: "!done"), list("large", where: "n > 3"), list("rest", where: nil)],
          firstMatch: chosen("first match", [("yes", true), ("no", false)])
        )
      default:
        groups(by: "g") {
          $0.order = chosen("order", [("none", []), ("x, 1", ["x", "1"])])
          $0.sortGroups = chosen("groups", [("as met", nil), ("up", .ascending), ("down", .descending)])
          ($0.sort, $0.limit, $0.header) = (sort(), limit(), model("header"))
          $0.hideEmpty = chosen("hideEmpty", [("yes", true), ("no", false)])
        }
      }
    let given: Template? = isLocal ? nil : template("${key}")
    let id = chosen("id", [("given", given), ("key", template("${key}")), ("given again", given)])
    let title = chosen("title", [("own", "${title}"), ("looked up", "${title} ${$user.name}")])
    let payload = try Template(["title": .string(title)], lookups: ["user"])
    let upstream = SourceDefinition.Kind.upstream(UpstreamDefinition(url: template("https://a.example/")))
    let fixture = Fixture {
      $0.table.sections = sections
      $0.table.rowID = id
      $0.table.cell = CellMapping(cell: "Title", payload: payload)
      $0.table.lookups = [LookupDefinition(name: "user", source: "users", key: expression("id"), on: expression("n"))]
      $0.table.can.edit = .expression(expression("!done"))
      $0.sources = [
        SourceDefinition(name: "s", kind: isLocal ? .local(LocalDefinition()) : upstream),
        SourceDefinition(name: "users", kind: upstream),
      ]
    }
    mapper = try fixture.mapper()
    self.words = words.joined(separator: ", ")
  }

  /// An item, as good as any.
  static func item(_ random: inout SeededGenerator) -> [UInt8] {
    func one(_ values: [String]) -> String { values.randomElement(using: &random) ?? "null" }
    let titles = [#""a""#, #""b 10""#, #""b 9""#, #""ä""#, #""z""#, "7", "null"]
    let groups = ["1", #""1""#, #""x""#, #""y""#, #""""#, "null", "true", "[]"]
    let key = Int.random(in: 0..<60, using: &random)
    return Array(
      (#"{"title":\#(one(titles)),"g":\#(one(groups)),"n":\#(one(["1", "2", "3", "4.5", "null", #""2""#])),"#
        + #""done":\#(one(["true", "false"])),"id":\#(key % 10),"key":\#(one(["\(key)", "null", "\(key)"]))}"#).utf8
    )
  }
}

extension RandomTable {
  /// Holds what was laid out in parts against what a mapping of all makes.
  func check(
    _ result: MappingResult,
    against fresh: MappingResult,
    _ words: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let definition = mapper.definition
    try #require(result.outline == fresh.outline, words, sourceLocation: sourceLocation)
    #expect(
      Table.same(result.table(definition), fresh.table(definition)),
      words,
      sourceLocation: sourceLocation
    )
    #expect(result.omittedSections == fresh.omittedSections, words, sourceLocation: sourceLocation)
    #expect(
      result.skippedItems == fresh.skippedItems && result.skipped == fresh.skipped,
      words,
      sourceLocation: sourceLocation
    )
    #expect(result.warnings == fresh.warnings, words, sourceLocation: sourceLocation)
  }
}

/// Items that the service owns, as a plain list.
struct OwnedList: OwnedItems {
  var owned: [OwnedItem] = []

  var count: Int { owned.count }

  func place(of number: UInt64) -> Int? { owned.firstIndex { $0.number == number } }

  func changes(since earlier: any OwnedItems, atMost maximum: Int) -> [OwnedItemChange]? {
    let before = Dictionary(uniqueKeysWithValues: earlier.owned.map { ($0.number, $0) })
    let after = Dictionary(uniqueKeysWithValues: owned.map { ($0.number, $0) })
    let changes = Set(before.keys).union(after.keys).compactMap { number -> OwnedItemChange? in
      let (one, other) = (before[number], after[number])
      guard one?.rank != other?.rank || one?.bytes != other?.bytes || one?.name != other?.name else { return nil }
      return OwnedItemChange(number: number, after: other)
    }
    return changes.count > maximum ? nil : changes
  }
}

/// Items as edits leave them.
struct OwnedItemList {
  var list: [OwnedItem] = []
  private var next: UInt64 = 1

  mutating func change(_ random: inout SeededGenerator) {
    guard let position = list.indices.randomElement(using: &random) else { return insert(&random) }
    switch Int.random(in: 0..<11, using: &random) {
    case 0..<3: insert(&random)
    // Where an item was undone another one may have its number, and the same bytes.
    case 10: list[position].name = list[position].name == nil ? "other \(list[position].number)" : nil
    case 3..<6: list[position].bytes = RandomTable.item(&random)
    case 6: list.remove(at: position)
    case 7, 8:
      var item = list.remove(at: position)
      let place = Int.random(in: 0...list.count, using: &random)
      item.rank = rank(at: place)
      if Bool.random(using: &random) { item.bytes = RandomTable.item(&random) }
      list.insert(item, at: place)
    default:
      // As where the room between two is used up.
      for place in list.indices { list[place].rank = Int64(place) << 24 }
    }
  }

  mutating func insert(_ random: inout SeededGenerator) {
    let place = Int.random(in: 0...list.count, using: &random)
    list.insert(OwnedItem(number: next, rank: rank(at: place), bytes: RandomTable.item(&random)), at: place)
    next += 1
  }

  private func rank(at place: Int) -> Int64 {
    let low = place > 0 ? list[place - 1].rank : (list.first?.rank ?? 0) - 2 << 24
    let high = place < list.count ? list[place].rank : low + 2 << 24
    return low + (high - low) / 2
  }
}
