import Definitions
import Dispatch
import JSON
import Queues
import TableMapping
import TableModel
import TableStore
import TestSupport
import Testing

@testable import TableEngine

/// A batch is one layout where it can be, and does what its edits do one by one.
@Suite struct BatchTests {
  private let table: EditSnapshot

  init() throws {
    table = try Self.table(
      """
      source: {local: {items: [{n: a, title: A}, {n: b, title: B}, {n: c, title: C}, {n: d, title: D}]}}
      row: {id: "${n}"}
      """
    )
  }

  /// A table whose rows have titles.
  static func table(_ table: String) throws -> EditSnapshot {
    let lines = table.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    let definition = try ServiceDefinition.read(
      """
      cells: {Label: {nib: Label, fields: {title: string}}}
      tables:
        t:
          cell: Label
          payload: {title: "${title}"}
      \(lines)
      """
    )
    let engine = try Engine(
      definition,
      EngineEnvironment.silent(MemoryStore())
    )
    let writer = try #require(engine.catalog.tables.first).writer
    return writer.content.queue.sync { EditSnapshot(of: writer) }
  }

  private func rows(_ session: EditSession) -> [String] {
    session.table.sections.flatMap(\.rows).map { "\($0.id) \(String(decoding: $0.encoded, as: UTF8.self).count)" }
  }

  @Test func whatGoesAndComesBackInOneBatchMayHaveTheSameIdentity() throws {
    let session = EditSession(on: table, named: "t")
    let edits: [Edit] = [
      .delete(row: "a"), .insert(item: ["n": "a", "title": "again"], .end), .patch(row: "b", ["n": "x"]),
      .insert(item: ["n": "b", "title": "new"], .end), .patch(row: "x", ["title": "Twice"]),
    ]
    #expect(try session.apply(edits) == ["a", "a", "x", "b", "x"])
    #expect(session.table.sections[0].rows.map(\.id) == ["x", "c", "d", "a", "b"])
  }

  @Test func theEditThatIsRefusedIsNamed() throws {
    let cases: [([Edit], Int)] = [
      ([.patch(row: "a", ["title": "1"]), .patch(row: "none", [:])], 1),
      ([.patch(row: "a", ["title": "1"]), .patch(row: "b", ["n": "c"]), .delete(row: "d")], 1),
      ([.delete(row: "a"), .patch(row: "a", [:])], 1),
      ([.patch(row: "c", ["title": "1"]), .patch(row: "d", ["title": 7])], 1),
    ]
    for (edits, number) in cases {
      let session = EditSession(on: table, named: "t")
      do throws(EditSession.Refusal) {
        _ = try session.apply(edits)
        Issue.record("\(edits) was taken")
      } catch {
        #expect(error.edit == number, "\(edits): \(error.error)")
      }
    }
  }

  /// The same edits in one batch and one by one, by chance: the same table, the same refusals.
  @Test(arguments: UInt64(1)...20) func aBatchIsItsEditsOneByOne(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let names = ["a", "b", "c", "d", "e"]
      func name() -> String { names.randomElement(using: &generator) ?? "a" }
      let edits: [Edit] = (0..<Int.random(in: 1...6, using: &generator)).map { number in
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .insert(item: ["n": .string("new\(number)"), "title": "N"], .end)
        case 1: .patch(row: name(), ["title": .string("T\(number)")])
        case 2: .delete(row: name())
        case 3: .move(row: name(), .before(name()))
        default: .insert(item: ["n": .string("at\(number)"), "title": "P"], .after(name()))
        }
      }
      let (batch, single) = (EditSession(on: table, named: "t"), EditSession(on: table, named: "t"))
      var refused: Int?
      for (number, edit) in edits.enumerated() where refused == nil {
        if (try? single.apply([edit])) == nil { refused = number }
      }
      do throws(EditSession.Refusal) {
        _ = try batch.apply(edits)
        #expect(refused == nil, "seed \(seed): \(edits)")
        #expect(rows(batch) == rows(single), "seed \(seed): \(edits)")
      } catch {
        #expect(error.edit == refused, "seed \(seed): \(edits): \(error.error)")
      }
    }
  }

  /// Additions to groups, which a batch lays out together, among edits that it has to lay out one by one: as one by one,
  /// whatever the groups' values are, and whether they are there.
  @Test(arguments: 0..<25 as Range<UInt64>) func groupsAreJoinedAsOneByOne(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = [
      ["x", "y", "z"], ["1", "2", "3"], ["true", "false"], ["\"1\"", "2", "x"], ["é", "e\u{301}", "none"],
    ]
    let firsts = values[Int(seed) % values.count]
    let items = firsts.enumerated().map { "{n: i\($0), title: T, g: \($1)}" }
    let sections = [
      "{groupBy: g}", "{groupBy: g, sortGroups: ascending}", "{groupBy: g, sort: title}",
      "{groupBy: g, order: [w, '7'], limit: 2, hideEmpty: false}", "{groupBy: nested.g}",
    ][Int(seed / 5) % 5]
    let table = try Self.table(
      """
      source: {local: {items: [\(items.joined(separator: ", "))], default: {title: D}}}
      row: {id: "${n}"}
      sections: \(sections)
      """
    )
    for round in 0..<8 {
      func group() -> String {
        ["x", "y", "z", "1", "2", "7", "true", "w", "none", "é", "e\u{301}", "2.5", "new"].randomElement(
          using: &generator
        )
          ?? "x"
      }
      func name(_ number: Int) -> String { "i\(Int.random(in: 0...(3 + number), using: &generator))" }
      let edits: [Edit] = (0..<Int.random(in: 1...9, using: &generator)).map { number in
        let item: JSONValue = [
          "n": .string(Int.random(in: 0..<12, using: &generator) == 0 ? name(number) : "i\(4 + number)"),
          "title": Int.random(in: 0..<24, using: &generator) == 0 ? 7 : .string("T\(number)"),
        ]
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: return .patch(row: name(number), ["title": .string("P\(number)")])
        case 1: return .patch(row: name(number), ["g": .string(group())])
        case 2: return .delete(row: name(number))
        case 3: return .move(row: name(number), .section(group(), at: nil))
        case 4: return .insert(item: item, .end)
        case 5: return .insert(item: item, .after(name(number)))
        case 6: return .insert(item: item, .section(group(), at: Int.random(in: 0...2, using: &generator)))
        default: return .insert(item: item, .section(group(), at: nil))
        }
      }
      let (batch, single) = (EditSession(on: table, named: "t"), EditSession(on: table, named: "t"))
      var (refused, words): (Int?, String) = (nil, "")
      for (number, edit) in edits.enumerated() where refused == nil {
        do throws(EditSession.Refusal) { _ = try single.apply([edit]) } catch {
          (refused, words) = (number, error.error.detail)
        }
      }
      do throws(EditSession.Refusal) {
        _ = try batch.apply(edits)
        #expect(refused == nil, "seed \(seed), round \(round): \(edits): \(words)")
        #expect(picture(batch) == picture(single), "seed \(seed), round \(round): \(edits)")
      } catch {
        #expect(error.edit == refused, "seed \(seed), round \(round): \(edits): \(error.error)")
        #expect(error.error.detail == words, "seed \(seed), round \(round): \(edits)")
      }
    }
  }

  private static func add(_ name: String, to group: String, at index: Int? = nil) -> Edit {
    .insert(item: ["n": .string(name), "title": "N"], .section(group, at: index))
  }

  /// Additions to groups whose other rows go or change in the same batch.
  @Test func groupsAreJoinedAmongOtherEditsOfThem() throws {
    let table = try Self.table(
      """
      source: {local: {items: [{n: a, title: A, g: x}, {n: b, title: B, g: x}, {n: c, title: C, g: y}]}}
      row: {id: "${n}"}
      sections: {groupBy: g}
      """
    )
    let cases: [[Edit]] = [
      [.delete(row: "b"), Self.add("d", to: "x")],
      [.delete(row: "b"), Self.add("d", to: "x", at: 1)],
      [.delete(row: "c"), Self.add("d", to: "y")],
      [Self.add("d", to: "x"), .delete(row: "b"), Self.add("e", to: "x", at: 2)],
      [Self.add("d", to: "x", at: 2), .delete(row: "a")],
      [Self.add("d", to: "x", at: 2), .patch(row: "a", ["g": "y"])],
      [Self.add("d", to: "z", at: 0), Self.add("e", to: "z", at: 1), .delete(row: "d"), .delete(row: "a")],
    ]
    for edits in cases {
      let (batch, single) = (EditSession(on: table, named: "t"), EditSession(on: table, named: "t"))
      for edit in edits { _ = try single.apply([edit]) }
      do throws(EditSession.Refusal) { _ = try batch.apply(edits) } catch {
        Issue.record("\(edits): edit \(error.edit) is refused: \(error.error.detail)")
      }
      #expect(picture(batch) == picture(single), "\(edits)")
    }
  }

  /// The sections with their rows' bytes, and the items in their order.
  private func picture(_ session: EditSession) -> [String] {
    session.table.sections.flatMap { section in
      ["section \(Array(section.id.utf8))"]
        + section.rows.map { "\($0.id) \(String(decoding: $0.encoded, as: UTF8.self))" }
    } + (session.content.local?.items.owned.map { String(decoding: $0.bytes, as: UTF8.self) } ?? [])
  }

  @Test func additionsToGroupsAreOneLayout() throws {
    let table = try Self.table("source: {local: {items: [{title: A, g: a}]}}\nsections: {groupBy: g}")
    let session = EditSession(on: table, named: "t")
    let before = session.layouts
    let edits = (0..<500).map { Edit.insert(item: ["title": "T"], .section("g\($0 % 250)", at: $0 / 250)) }
    #expect(try session.apply(edits).count == 500)
    #expect(session.layouts == before + 1)
    #expect(session.table.sections.map(\.id) == ["a"] + (0..<250).map { "g\($0)" })
    #expect(session.table.sections.dropFirst().allSatisfy { $0.rows.count == 2 })
  }
}
