import TableDiff
import TableModel
import Testing

/// Two spellings of “é” are equal for Swift, and two texts for clients: other bytes are another version.
@Suite struct SpellingTests {
  private static let (composed, decomposed) = ("Caf\u{e9}", "Cafe\u{301}")

  private static func find(_ text: String, _ change: (inout FindMenu, String) -> Void) -> FindMenu {
    var menu = FindMenu(
      sorts: [.init(id: "s", title: "S")],
      filters: [
        .init(id: "f", title: "F", values: [.init(value: [], title: "V", count: 1, isSelected: false)], hasMore: false)
      ]
    )
    change(&menu, text)
    return menu
  }

  private static func saying(_ text: String, as place: String) -> Table {
    var made = table("A: a")
    switch place {
    case "title": made.title = text
    case "problem's title": made.problem = Problem(title: text, detail: "", since: "")
    case "problem's detail": made.problem = Problem(title: "", detail: text, since: "")
    case "prompt": made.find = find(text) { $0.prompt = $1 }
    case "chosen sort": made.find = find(text) { $0.sort = $1 }
    case "sort's title": made.find = find(text) { $0.sorts[0].title = $1 }
    case "filter's title": made.find = find(text) { $0.filters[0].title = $1 }
    default: made.find = find(text) { $0.filters[0].values[0].title = $1 }
    }
    return made
  }

  @Test(arguments: [
    "title", "problem's title", "problem's detail", "prompt", "chosen sort", "sort's title", "filter's title",
    "value's title",
  ])
  func anotherSpellingIsAChange(_ place: String) throws {
    let (old, new) = (Self.saying(Self.composed, as: place), Self.saying(Self.decomposed, as: place))
    #expect(!Table.same(old, new))
    let stages = Changeset(from: old, to: new).stages
    #expect(stages.count == 1 && stages.first?.attributes.isEmpty == false)
    #expect(Changeset(from: new, to: new).stages.isEmpty)
  }

  @Test(arguments: ["title", "problem's title", "problem's detail"]) func everyWindowShowsIt(_ place: String) throws {
    let (old, new) = (Self.saying(Self.composed, as: place), Self.saying(Self.decomposed, as: place))
    #expect(Table.firstAffectedRow(from: old, to: new) == 0)
    #expect(Table.isAffected(try #require(WindowRange(1)), from: old, to: new))
  }
}
