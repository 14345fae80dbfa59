import JSON
import TableModel
import Testing

@testable import TableEngine

/// Places in sections that have an order of their own, or show a part of their rows.
@Suite struct PlacedRowTests {
  private static let limited = """
    source: {local: {items: [{title: A, s: x}, {title: B, s: x}, {title: C, s: y}]}}
    sections: {groupBy: s, limit: 2}
    can: {edit: true, move: true}
    """
  private static let sorted = """
    source: {local: {items: [{title: A}, {title: C}, {title: E}]}}
    sections: [{id: main, sort: title}]
    can: {edit: true, move: true}
    """

  private func outcome(_ table: String, _ edits: [Edit]) throws -> String {
    let session = EditSession(on: try BatchTests.table(table), named: "t")
    do throws(EditSession.Refusal) {
      _ = try session.apply(edits)
      return session.table.sections.map { "\($0.id): " + $0.rows.map(\.id).joined(separator: " ") }.joined(
        separator: ", "
      )
    } catch {
      return error.error.detail
    }
  }

  /// What a limit keeps out of sight is in its section all the same.
  @Test(arguments: [
    (Edit.insert(item: ["title": "D"], .section("x", at: nil)), "x: 1 2, y: 3"),
    (.insert(item: ["title": "D"], .after("2")), "x: 1 2, y: 3"),
    (.insert(item: ["title": "D"], .section("x", at: 0)), "x: 4 1, y: 3"),
    (
      .insert(item: ["title": "D"], .section("x", at: 2)),
      "The limit of section `x` keeps row `4` out of sight: it can't stand at 2."
    ),
    (.put(row: "own", item: ["title": "D"], .section("x", at: nil), .none), "x: 1 2, y: 3"),
    (.move(row: "3", .section("x", at: nil)), "x: 1 2"), (.move(row: "3", .after("2")), "x: 1 2"),
    (.move(row: "3", .before("2")), "x: 1 3"),
  ])
  func aFullSectionTakesMore(edit: Edit, result: String) throws {
    #expect(try outcome(Self.limited, [edit]) == result)
    // In a batch additions to groups are laid out together.
    let first = Edit.insert(item: ["title": "Z"], .section("y", at: nil))
    guard !result.contains("limit") else { return }
    #expect(try !outcome(Self.limited, [first, edit]).contains("no section"))
  }

  /// A row that moves is not said to be where it isn't.
  @Test(arguments: [
    (
      Edit.move(row: "1", .after("3")),
      "Section `main` is sorted: row `1` stands at 0, not after row `3`, which stands at 2."
    ),
    (
      .move(row: "3", .before("2")),
      "Section `main` is sorted: row `3` stands at 2, not before row `2`, which stands at 1."
    ),
    (.move(row: "1", .before("2")), "main: 1 2 3"), (.move(row: "3", .after("2")), "main: 1 2 3"),
    (.insert(item: ["title": "D"], .after("1")), "main: 1 2 4 3"),
    (.put(row: "3", item: ["title": "0"], .after("1"), .none), "main: 3 1 2"),
  ])
  func aSortedSectionKeepsItsOrder(edit: Edit, result: String) throws {
    #expect(try outcome(Self.sorted, [edit]) == result)
  }
}
