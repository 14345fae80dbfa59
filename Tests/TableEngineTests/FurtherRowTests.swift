import JSON
import TableModel
import Testing

@testable import TableEngine

/// Places of items that stand in several sections, and have a row in each. Whichever row is named, the place is one in
/// the section that was asked for.
@Suite struct FurtherRowTests {
  private func session(can permissions: String = "{move: true}") throws -> EditSession {
    let table = try BatchTests.table(
      """
      source:
        local:
          items:
          - {title: A, starred: true, done: false}
          - {title: B, starred: false, done: false}
          - {title: C, starred: true, done: true}
      can: \(permissions)
      sections:
        match: all
        list: [{id: starred, where: starred}, {id: todo, where: "!done"}, {id: done, where: done}, {id: all}]
      """
    )
    return EditSession(on: table, named: "t")
  }

  /// `all: 1@all 2@all` — the sections and the rows in them.
  private func outline(_ session: EditSession) -> [String] {
    session.table.sections.map { section in "\(section.id): \(section.rows.map(\.id).joined(separator: " "))" }
  }

  private func item(done: Bool) -> JSONValue { ["title": "N", "starred": true, "done": .bool(done)] }

  /// The item has its first row in `starred`, and is to stand in `all`.
  @Test func anItemIsAddedToALaterSection() throws {
    let cases: [(EditPlace, [String])] = [
      (
        .section("all", at: 0),
        ["starred: 4 1 3", "todo: 1@todo 2", "done: 4@done 3@done", "all: 4@all 1@all 2@all 3@all"]
      ),
      (.after("3@all"), ["starred: 1 3 4", "todo: 1@todo 2", "done: 3@done 4@done", "all: 1@all 2@all 3@all 4@all"]),
    ]
    for (place, expected) in cases {
      let session = try session()
      #expect(try session.apply([.insert(item: item(done: true), place)]) == ["4"], "\(place)")
      #expect(outline(session) == expected, "\(place)")
    }
  }

  @Test func anItemIsMovedInEachOfItsSections() throws {
    let behind = ["starred: 3 1", "todo: 2 1@todo", "done: 3@done", "all: 2@all 3@all 1@all"]
    // In another section than before it has other rows, and not the one that was named.
    let undone = ["starred: 1 3", "todo: 1@todo 3@todo 2", "all: 1@all 3@all 2@all"]
    let cases: [(Edit, String, [String])] = [
      (.move(row: "1", .section("all", at: 2)), "1", behind),
      (.move(row: "1", .section("all", at: nil)), "1", behind),
      (.move(row: "1", .after("3@all")), "1", behind),
      (.move(row: "1@all", .section("starred", at: 1)), "1@all", behind),
      (.move(row: "3", .before("2")), "3", undone),
      (.move(row: "3@done", .before("2")), "3", undone),
      (.put(row: "1", item: item(done: false), .section("all", at: 2), .none), "1", behind),
    ]
    for (edit, row, expected) in cases {
      let session = try session()
      #expect(try session.apply([edit]) == [row], "\(edit)")
      #expect(outline(session) == expected, "\(edit)")
    }
  }

  /// Where rows can't be moved, one that stands there already may be put there again.
  @Test func aRepeatedPutMovesNothing() throws {
    let session = try session(can: "{move: false}")
    let put = Edit.put(row: "x", item: item(done: true), .section("all", at: 1), .none)
    #expect(try session.apply([put, put]) == ["x", "x"])
    #expect(outline(session).last == "all: 1@all x@all 2@all 3@all")
  }

  /// The row that an item would get in a further section has the name of another item, wherever that one stands: neither is lost
  /// to the other, and no edit of the one reaches the other.
  @Test(arguments: [EditPlace.end, .section("all", at: 0)])
  func aFurtherRowWithTheNameOfAnotherItemIsRefused(place: EditPlace) throws {
    let session = try session()
    #expect(try session.apply([.put(row: "2@done", item: item(done: false), place, .none)]) == ["2@done"])
    let before = outline(session)
    #expect(before.contains { $0.contains("2@done@all") })
    do throws(EditSession.Refusal) {
      _ = try session.apply([.patch(row: "2", ["starred": true, "done": true])])
      Issue.record("it was taken")
    } catch {
      #expect(error.error.kind == .conflict)
      #expect(error.error.detail == "There is a row `2@done` already: identities are unique in a table.")
    }
  }

  /// The same in one batch: the edit that makes the other one's name twice is to blame.
  @Test func anItemThatTakesTheNameOfAFurtherRowIsRefused() throws {
    let session = try session()
    let edits: [Edit] = [
      .put(row: "2@done", item: item(done: false), .end, .none), .patch(row: "2", ["starred": true, "done": true]),
    ]
    do throws(EditSession.Refusal) {
      _ = try session.apply(edits)
      Issue.record("it was taken")
    } catch {
      #expect(error.edit == 1 && error.error.kind == .conflict)
    }
  }

  /// A sorted section has its own order, also of further rows.
  @Test func anotherPlaceThanAskedForIsRefused() throws {
    let table = try BatchTests.table(
      """
      source: {local: {items: [{title: A, starred: true}]}}
      sections: {match: all, list: [{id: starred, where: starred}, {id: all, sort: title}]}
      """
    )
    let session = EditSession(on: table, named: "t")
    do throws(EditSession.Refusal) {
      _ = try session.apply([.insert(item: item(done: false), .section("all", at: 0))])
      Issue.record("it was taken")
    } catch {
      #expect(error.error.detail == "Section `all` is sorted: row `2@all` stands at 1, not 0.")
    }
  }
}
