import Definitions
import Expressions
import JSON
import TableModel
import Testing

@testable import Configuration

/// The shape that users were shown: every line of it decodes as it stands.
@Suite struct ConfigByExampleTests {
  let definition: ServiceDefinition

  init() throws {
    let (definition, diagnostics) = ConfigurationReader.read(
      text: try fixture("config-by-example.yaml"),
      file: "config.yaml",
      environment: ["GITHUB_TOKEN": "t0ps3cret"]
    )
    #expect(diagnostics.isEmpty, "\(diagnostics)")
    self.definition = try #require(definition)
  }

  func table(_ name: String) throws -> TableDefinition {
    try #require(definition.tables.first { $0.name == name })
  }

  @Test func serviceSettings() {
    #expect(definition.listen.host == "127.0.0.1")
    #expect(definition.listen.port == 8080)
    #expect(definition.store == .sqlite(path: "data/tablecast.sqlite"))
    #expect(definition.history == 64)
    #expect(definition.environment == ["GITHUB_TOKEN": "t0ps3cret"])
  }

  @Test func sources() throws {
    #expect(definition.sources.map(\.name) == ["issues", "team", "$todo"])
    guard case .upstream(let issues) = definition.sources[0].kind, case .upstream(let team) = definition.sources[1].kind
    else {
      Issue.record("upstreams are expected")
      return
    }
    #expect(issues.every == .seconds(30))
    #expect(issues.timeout == .seconds(10))
    #expect(issues.maxBytes == 32 << 20)
    #expect(issues.headers.map(\.name) == ["Authorization"])
    #expect(issues.items?.text == "$response")
    #expect(team.every == .seconds(300))
    #expect(team.items?.text == "data.members")
  }

  @Test func cells() {
    #expect(
      definition.cells.map(\.identifier) == [
        "SectionTitle", "TableViewCellWithLabel", "TableViewCellWithImageAndLabel", "TableViewExpandableCell",
      ]
    )
    #expect(definition.cells[2].registration == .nib("TableViewCellWithImageAndLabel"))
    #expect(definition.cells[2].fields[1] == .init(name: "imageName", type: .string, isOptional: true))
    #expect(definition.cells[2].fallback == "TableViewCellWithLabel")
    #expect(definition.cells[3].registration == .class("TableViewExpandableCell"))
    #expect(definition.cells[3].version == 2)
    #expect(definition.cells[3].expands == "isExpanded")
    #expect(definition.cells[3].fields.map(\.type) == [.string, .string, .boolean])
  }

  @Test func representations() throws {
    #expect(definition.representations.keys.sorted() == ["$default", "issue", "pull"])
    guard case .cases(let cases)? = definition.representations["pull"], case .use(let name) = cases[1].representation
    else {
      Issue.record("cases are expected")
      return
    }
    #expect(cases[0].when?.text == "user.avatar_url != null")
    #expect(cases[1].when == nil)
    #expect(name == "$default")
  }

  @Test func listOfSections() throws {
    let issues = try table("issues")
    #expect(issues.title == "Swift issues")
    #expect(issues.representations.keys.sorted() == ["pull"])
    guard case .list(let sections, firstMatch: true) = issues.sections else {
      Issue.record("a list is expected")
      return
    }
    #expect(sections.map(\.id) == ["open", "closed"])
    #expect(sections.map(\.hideEmpty) == [true, false])
    #expect(sections[0].predicate?.text == "state == 'open'")
    #expect(sections[1].header?.cell == "SectionTitle")
    #expect(issues.animation == AnimationConfiguration(insert: .fade, delete: .fade, reload: .none))
  }

  @Test func groups() throws {
    let people = try table("people")
    #expect(people.title == "people")
    #expect(people.rowType == nil)
    guard case .groups(let groups) = people.sections else {
      Issue.record("groups are expected")
      return
    }
    #expect(groups.key.text == "department")
    #expect(groups.order == ["Design", "Engineering"])
    #expect(groups.sort.map(\.key.text) == ["name"])
  }

  @Test func smallestTable() throws {
    let names = try table("names")
    #expect(names.cell?.cell == "TableViewCellWithLabel")
    guard case .single(let section) = names.sections else {
      Issue.record("one section is expected")
      return
    }
    #expect(section.id == "main")
  }

  @Test func localTable() throws {
    let todo = try table("todo")
    #expect(todo.source == "$todo")
    #expect(todo.rowID == nil)
    #expect(todo.sharedTaps)
    guard case .constant(true) = todo.can.edit, case .expression(let move) = todo.can.move,
      case .local(let local) = definition.sources[2].kind
    else {
      Issue.record("permissions and items are expected")
      return
    }
    #expect(move.text == "!done")
    #expect(local.items == [["title": "Buy milk", "done": false, "section": "today"]])
    #expect(local.defaultItem == ["title": "New", "done": false, "section": "today"])
  }
}
