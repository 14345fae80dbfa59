import Foundation
import JSON
import TestSupport
import Testing

/// `--find` of `render` and `watch`: what both show is what the service finds.
@Suite struct FindCommandTests {
  private static let configuration = """
    store: memory
    sources:
      tasks:
        local:
          items:
            - {title: Swim, state: open, section: a}
            - {title: Swift book, state: closed, section: a}
            - {title: Bread, state: open, section: b}
    tables:
      t:
        source: tasks
        row: {type: task}
        sections: {groupBy: section}
        find:
          prompt: Search tasks
          search: [title]
          filters: {state: {title: State, by: state, titles: {open: Open, closed: Closed}}}
          sorts: {title: {title: By title, by: title, sections: false}}
    """

  private static func titles(_ state: JSONValue) -> [String?] {
    (state["sections"]?.elements ?? []).flatMap { section in
      (section["rows"]?.elements ?? []).map { $0["payload"]?["title"]?.text }
    }
  }

  @Test func bothShowWhatIsFound() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.configuration)
    let render = ["render", "--config", "tablecast.yaml", "--table", "t", "--find"]
    let drawn = try Command(render + ["q=swi&sort=title", "--json"], in: folder)
    #expect(drawn.status == 0, "\(drawn.errors)")
    let rendered = try JSONValue(parsing: drawn.output)
    #expect(Self.titles(rendered) == ["Swift book", "Swim"])
    #expect(try Command(render + ["filter=state:open"], in: folder).output.contains("State: [Open 2], Closed 1"))

    let service = try ServiceProcess(Self.configuration)
    let watch = ["watch", "http://127.0.0.1:\(service.port)", "t", "--json", "--find", "q=swi&sort=title"]
    let watched = try Command(watch + ["--seconds", "2"], in: folder)
    #expect(watched.status == 0, "\(watched.errors)")
    let last = try JSONValue(parsing: String(watched.output.split(separator: "\n").last ?? Substring()))
    #expect(Self.titles(last) == Self.titles(rendered))
    #expect(last["find"] == rendered["find"])
    #expect(last["find"]?["prompt"] == "Search tasks" && last["find"]?["sort"] == "title")

    let refused = try Command(
      ["watch", "http://127.0.0.1:\(service.port)", "t", "--json", "--find", "sort=age"],
      in: folder
    )
    #expect(refused.status == 1)
    #expect(refused.output.contains("\"connection\":\"refused\"") && refused.output.contains("no sort `age`"))
  }

  @Test(arguments: [
    ("sort=age", "has no sort `age`: title is there"), ("filter=colour:red", "has no filter `colour`: state is there"),
    ("state=open", "a search has no `state`"), ("filter=open", "`open` is no filter"),
  ]) func whatCannotBeFoundByIsSaid(_ find: String, _ says: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.configuration)
    let command = try Command(["render", "-c", "tablecast.yaml", "-t", "t", "--find", find], in: folder)
    #expect(command.status != 0 && command.errors.contains(says), "\(command.errors)")
  }

  /// A search that finds everything has the table's headers: a group that `order` names has that name as its key.
  @Test(arguments: [
    ("state", "[closed, none]", "${$key ?? 'No state'} (${$count})", ["closed (1)", "none (1)", "open (1)"]),
    ("state", "[closed]", "${$key ?? 'No state'} (${$count})", ["closed (1)", "No state (1)", "open (1)"]),
    ("level", "['1']", "${$key == '1' ? 'Urgent' : 'Later'} (${$count})", ["Urgent (2)", "Later (1)"]),
  ]) func headersOfWhatIsFound(_ group: String, _ order: String, _ title: String, _ expected: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      store: memory
      cells: {Title: {fields: {title: string}}}
      sources:
        tasks:
          local:
            items:
              - {title: Swim, state: null, level: 1}
              - {title: Swift book, state: closed, level: 1}
              - {title: Swing, state: open, level: 2}
      tables:
        t:
          source: tasks
          cell: Title
          payload: {title: "${title}"}
          sections:
            groupBy: \(group)
            order: \(order)
            header: {cell: Title, payload: {title: "\(title)"}}
          find: {search: [title]}
      """
    )
    for find in [[], ["--find", "q=sw"]] {
      let drawn = try Command(["render", "--config", "tablecast.yaml", "--table", "t", "--json"] + find, in: folder)
      #expect(drawn.status == 0, "\(drawn.errors)")
      let sections = try JSONValue(parsing: drawn.output)["sections"]?.elements ?? []
      #expect(sections.map { $0["header"]?["payload"]?["title"]?.text ?? "-" } == expected, "\(find)")
    }
  }
}
