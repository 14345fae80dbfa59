import Definitions
import JSON
import TableMapping
import TableModel
import Testing

@Suite struct DispatchTests {
  private func fixture(_ edit: (inout Fixture) -> Void = { _ in }) -> Fixture {
    Fixture {
      $0.table.cell = nil
      $0.table.rowType = template("${type}")
      $0.representations = [
        "issue": .cell(mapping("Title", ["title": "issue ${id}"])),
        "3": .cell(mapping("Title", ["title": "three"])),
        "pull": .cases([
          .init(
            when: expression("image != null"),
            representation: .cell(mapping("Image", ["title": "p", "image": "${image}"]))
          ),
          .init(when: nil, representation: .use("$default")),
        ]),
        "picky": .cases([.init(when: expression("n < 3"), representation: .use("issue"))]),
        "$default": .cell(mapping("Title", ["title": "default ${id}"])),
      ]
      edit(&$0)
    }
  }

  @Test(
    "the type picks the representation",
    arguments: [
      (#""issue""#, "issue 1"), ("3", "three"), (#""pull""#, "default 1"), (#""unheard of""#, "default 1"),
      ("null", "default 1"), (#""""#, "default 1"), (#""picky","n":1"#, "issue 1"), (#""picky","n":5"#, "default 1"),
      (#""picky","n":{}"#, "default 1"), ("[]", "default 1"),
    ]
  )
  func types(type: String, title: String) throws {
    let result = try fixture().map(#"[{"id":1,"type":\#(type)}]"#)
    #expect(result.rows.first?.payload() == #"{"title":"\#(title)"}"#)
  }

  @Test func theTablesCellComesBeforeTheDefault() throws {
    let fixture = fixture { $0.table.cell = mapping("Title", ["title": "cell"]) }
    #expect(try fixture.map(#"[{"id":1,"type":"new"}]"#).rows.first?.payload() == #"{"title":"cell"}"#)
    #expect(try fixture.map(#"[{"id":1,"type":"issue"}]"#).rows.first?.payload() == #"{"title":"issue 1"}"#)
  }

  @Test func aTablesOwnRepresentationsStandOverTheShared() throws {
    let fixture = fixture {
      $0.table.representations = [
        "pull": .use("issue"),
        // Its own look of the shared one: no circle.
        "issue": .cases([
          .init(when: expression("big"), representation: .cell(mapping("Title", ["title": "BIG"]))),
          .init(when: nil, representation: .use("issue")),
        ]),
      ]
    }
    #expect(try fixture.map(#"[{"id":1,"type":"pull"}]"#).rows.first?.payload() == #"{"title":"issue 1"}"#)
    #expect(try fixture.map(#"[{"id":1,"type":"pull","big":true}]"#).rows.first?.payload() == #"{"title":"BIG"}"#)
  }

  @Test func withoutADefaultAnItemIsSkippedWithItsType() throws {
    let fixture = fixture {
      $0.representations["$default"] = nil; $0.representations["pull"] = nil
    }
    let skipped = try fixture.map(#"[{"id":1,"type":"new"}]"#).skipped.first
    #expect(skipped?.type == "new")
    #expect(
      skipped?.reason
        == "no representation takes the type “new”, and there is neither a `$default` nor a `cell` of the table"
    )
    #expect(try fixture.map(#"[{"id":1,"type":"picky"}]"#).reasons.first?.hasPrefix("no case of ") == true)
  }

  @Test func circlesAndUnknownNamesAreErrors() {
    func message(_ edit: (inout Fixture) -> Void) -> String? {
      do throws(DefinitionError) {
        _ = try fixture(edit).mapper()
        return nil
      } catch {
        return "\(error.path): \(error.message)"
      }
    }
    #expect(
      message {
        $0.representations["a"] = .use("b"); $0.representations["b"] = .use("a")
      }
        == "representations.a: representations use each other in a circle: a → b → a"
    )
    #expect(message { $0.representations["a"] = .use("a") }?.contains("in a circle: a → a") == true)
    #expect(message { $0.table.representations["a"] = .use("a") }?.contains("uses itself") == true)
    #expect(message { $0.representations["a"] = .use("x") } == "representations.a: no representation “x” is declared")
    #expect(
      message { $0.representations["a"] = .cell(mapping("X", [:])) }
        == "representations.a: no cell “X” is declared under `cells`"
    )
    #expect(message { $0.cells[0].fallback = "Image" }?.contains("falls back on itself") == true)
    #expect(message { $0.cells[0].fallback = "X" } == "cells.Title.fallback: no cell “X” is declared")
    #expect(
      message { $0.table.sections = .list([section("a"), section("a")], firstMatch: true) }
        == "sections: two sections have the id “a”"
    )
  }

  @Test func anUnfitItemTakesTheFallbacksCellThenTheDefault() throws {
    let fixture = fixture {
      $0.representations["pull"] = .cell(mapping("Image", ["title": "${title}", "image": "${image}"]))
    }
    let fitting = try fixture.map(#"[{"id":1,"type":"pull","title":"t","image":"/i"}]"#).rows.first
    #expect(fitting?.cells.map(\.cellIdentifier) == ["Image", "Title"])
    let fallback = try fixture.map(#"[{"id":1,"type":"pull","title":"t","image":"no url"}]"#)
    #expect(fallback.rows.first?.cells.map(\.cellIdentifier) == ["Title"])
    #expect(fallback.rows.first?.payload() == #"{"title":"t"}"#)
    #expect(fallback.skippedItems == 0)
    #expect(try fixture.map(#"[{"id":1,"type":"pull"}]"#).rows.first?.payload() == #"{"title":"default 1"}"#)
    var strict = fixture
    strict.representations["$default"] = nil
    #expect(
      try strict.map(#"[{"id":1,"type":"pull"}]"#).reasons == ["the field “title” of Image is null; a text is expected"]
    )
  }

  @Test func aFallbackThatCanNotBeFilledIsLeftOut() throws {
    let fixture = fixture {
      $0.cells[0].fallback = "Rich"
      $0.cells.append(CellDefinition(identifier: "Rich", fields: [.init(name: "rich", type: .any)], fallback: "Plain"))
      $0.cells.append(CellDefinition(identifier: "Plain", fields: [.init(name: "title", type: .string)]))
    }
    let row = try fixture.map(#"[{"id":1,"type":"issue"}]"#).rows.first
    #expect(row?.cells.map(\.cellIdentifier) == ["Title", "Plain"])
  }

  @Test func failuresOfCanAndSelectAreWarnings() throws {
    let result = try Fixture {
      $0.table.cell = mapping("Title", ["title": "a"], select: ["to": "${id - 'x'}"])
      $0.table.can.edit = .expression(expression("id < 'x'"))
    }.map(#"[{"id":{},"title":"a"},{"id":1,"title":"a"}]"#)
    #expect(result.rows.count == 1)
    #expect(result.rows.first?.select == nil)
    #expect(result.rows.first?.permissions == [.select])
    #expect(result.warnings.count == 1)
  }
}
