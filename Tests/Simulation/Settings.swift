import Configuration
import Definitions

/// A configuration of the simulated service, and how it may differ from the one before.
struct Settings {
  var title = 0
  var history = 16
  /// The text before each row's title.
  var label = 0
  /// How `board` is grouped.
  var isGrouped = true
  var hasBoard = true
  var every = 2
  /// The language that comes first: with another one each table is made anew, in the place of the one before.
  var isGerman = false

  static func random(_ world: World, changesLanguages: Bool) -> Settings {
    Settings(
      title: world.pick(0...3),
      history: world.pick([4, 16, 64]),
      label: world.pick(0...2),
      isGrouped: !world.chance(3),
      hasBoard: true,
      every: world.pick([1, 2, 5]),
      isGerman: changesLanguages && world.chance(3)
    )
  }

  var text: String {
    """
    history: \(history)
    store: memory
    locales: \(isGerman ? "[de-DE, en-US]" : "[en-US, de-DE]")
    cells:
      Head: {fields: {title: string}}
      Task: {fields: {title: string, value: string, note: string, isExpanded: boolean}, expands: isExpanded}
      News: {fields: {title: string, revision: integer}}
    sources:
      tasks:
        local:
          items: []
          default: {list: a}
      news: {url: "http://upstream.test/news", every: \(every)s, timeout: 3s}
    tables:
      todo:
        title: "Todo \(title)"
        source: tasks
        cell: Task
        payload: {title: "\(label) ${$locale} ${title}", value: "${value}", note: "${note}", isExpanded: false}
        sections:
          groupBy: list
          header: {cell: Head, payload: {title: "${$key} ${$count}"}}
        find: {search: [value], filters: {list: {by: list}}, sorts: {value: {by: value}}}
    \(hasBoard ? board : "")
      news:
        title: "News \(title)"
        source: news
        row: {id: "${id}"}
        cell: News
        payload: {title: "\(label) ${title}", revision: "${revision}"}
        sections: {groupBy: kind}
    """
  }

  private var board: String {
    """
      board:
        title: Board
        source: tasks
        cell: Task
        payload: {title: "${title}", value: "${value}", note: "${note}", isExpanded: false}
        sections: \(isGrouped ? "{groupBy: list, sort: value}" : "[{id: all}]")
        sharedTaps: true
    """
  }

  func definition(_ world: World) -> ServiceDefinition {
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "simulation", environment: [:])
    guard let definition else { world.fail("the simulation's configuration is wrong: \(diagnostics)\n\(text)") }
    return definition
  }
}
