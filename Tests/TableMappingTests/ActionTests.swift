import Definitions
import JSON
import TableEncoding
import TableMapping
import TableModel
import Testing

@Suite struct ActionTests {
  private func action(_ id: String, _ title: JSONValue, when condition: String? = nil) -> ActionDefinition {
    ActionDefinition(
      id: id,
      title: template(title),
      style: id == "archive" ? .destructive : .normal,
      condition: condition.map { expression($0) },
      effect: .patch(template(["done": true]))
    )
  }

  private var fixture: Fixture {
    Fixture {
      $0.table.actions = [action("archive", "Archive", when: "state == 'open'"), action("done", "Done ${$id}")]
      $0.table.cell = mapping("Expandable", ["title": "${title}", "text": "x"], select: ["to": "${id}"])
    }
  }

  @Test func aRowSaysWhatItOffers() throws {
    let result = try fixture.map(#"[{"id":1,"title":"a","state":"open"},{"id":2,"title":"b"}]"#)
    #expect(result.rows.map(\.actions) == [["archive", "done"], ["done"]])
    #expect(
      result.rows[0].text.contains(
        #""can":{"edit":false,"move":false,"select":true},"actions":[{"id":"archive","title":"Archive","#
          + #""style":"destructive"},{"id":"done","title":"Done 1","style":"normal"}],"select":{"to":1},"fallback":"#
      )
    )
    #expect(try JSONValue(parsing: result.rows[1].encoded) != .null)
  }

  @Test func aRowWithoutActionsDoesNotNameThem() throws {
    var fixture = fixture
    fixture.table.actions.removeLast()
    let result = try fixture.map(#"[{"id":1,"title":"actions","state":"closed"}]"#)
    #expect(result.rows[0].actions.isEmpty)
    #expect(try JSONValue(parsing: result.rows[0].encoded)["actions"] == nil)
  }

  @Test func actionsStayInEveryVariantOfTheRow() throws {
    let row = try #require(try fixture.map(#"[{"id":1,"title":"a","state":"open"}]"#).rows.first)
    for variant in [
      row.toggled(), row.renamed("other"), row.showing(accepted: { $0 == "Title" }, defaultCell: nil),
      row.showing(accepted: { _ in false }, defaultCell: .builtIn),
    ] {
      #expect(variant.actions == ["archive", "done"])
      #expect(try JSONValue(parsing: variant.encoded)["actions"] == JSONValue(parsing: row.encoded)["actions"])
    }
  }

  @Test func whatFailsIsNotOfferedAndSaid() throws {
    var fixture = fixture
    fixture.table.actions[0] = action("archive", "Archive", when: "title - 1")
    let result = try fixture.map(#"[{"id":1,"title":"a"}]"#)
    #expect(result.rows[0].actions == ["done"])
    #expect(result.warnings.first?.hasPrefix("the action `archive`: ") == true)
  }
}
