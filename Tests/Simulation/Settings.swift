import Configuration
import Definitions

/// A configuration of the simulated service, and how it may differ from the one before.
struct Settings {
  /// Of replicas' configurations the higher one counts.
  var generation = 0
  var title = 0
  var history = 16
  /// The text before each row's title.
  var label = 0
  /// Of the service. Each makes other rows of the same configuration.
  var release = 0
  /// How `board` is grouped.
  var isGrouped = true
  /// `board` is there.
  var hasBoard = true
  /// What `part` shows can be edited through it.
  var isPartEdited = false
  var every = 2
  /// What the items' source is called: the tables that show them are made anew where it is called otherwise.
  var source = "tasks"
  /// The language that comes first: with another one each table is made anew, in the place of the one before.
  var isGerman = false
  /// Members make room for one another, and searches are forgotten.
  var isTight = false
  /// Members are asked for no more after so many seconds in which nobody reads them, and dropped a little later.
  var idle: Int?

  /// - Parameter takesAway: one in so many lacks `board`; nil: none does.
  static func random(
    _ world: World,
    changesLanguages: Bool,
    renames: Bool,
    isTight: Bool,
    takesAway: Int? = nil
  ) -> Settings {
    Settings(
      title: world.pick(0...3),
      history: world.pick([1, 4, 16, 64]),
      label: world.pick(0...2),
      isGrouped: !world.chance(3),
      hasBoard: !(takesAway.map(world.chance) ?? false),
      isPartEdited: world.chance(3),
      every: world.pick([1, 2, 5]),
      source: renames && world.chance(2) ? "works" : "tasks",
      isGerman: changesLanguages && world.chance(3),
      isTight: isTight,
      idle: world.pick([nil, 1, 2])
    )
  }

  private var instances: String {
    let bounds = (isTight ? ["max: 1"] : []) + (idle.map { ["freezeAfter: \($0)s", "dropAfter: \($0 * 4)s"] } ?? [])
    return bounds.isEmpty ? "" : "instances: {\(bounds.joined(separator: ", "))}"
  }

  var text: String {
    """
    history: \(history)
    generation: \(generation)
    store: memory
    auth: {jwt: {issuer: "https://id.test", audience: test, jwks: "https://id.test/keys"}}
    \(isTight ? "limits: {lensBytes: 16KB}" : "")
    locales: \(isGerman ? "[de-DE, en-US]" : "[en-US, de-DE]")
    cells:
      Head: {fields: {title: string}}
      Task:
        fields: {title: string, value: string, note: string, owner: string, person: optional string, isExpanded: boolean}
        expands: isExpanded
      Joined: {fields: {title: string, revision: integer, mark: integer, person: string}}
      Person: {fields: {key: string, value: string}}
      News: {fields: {title: string, revision: integer, mark: integer}}
    sources:
      \(source):
        local:
          items: []
          default: {list: a}
      news: {url: "http://upstream.test/news", every: \(every)s, timeout: 3s}
    \(people)
    tables:
      todo:
        title: "Todo \(title)"
        source: \(source)
        cell: Task
        payload: {title: "\(words) ${$locale} ${title}", \(texts)}
        sections:
          groupBy: list
          header: {cell: Head, payload: {title: "${$key} ${$count}"}}
        find: {search: [value], filters: {list: {by: list}}, sorts: {value: {by: value}}}
        actions: {mark: {title: Mark, patch: {note: "${$edit.note}"}}}
    \(hasBoard ? board : "")
      only:
        source: \(source)
        parameters: {list: {pattern: "[a-c]", default: a}}
        cell: Task
        payload: {title: "\(words)", \(texts)}
        \(instances)
        sections: [{id: "only", where: list == $params.list}]
      mine:
        source: \(source)
        cell: Task
        payload: {title: "\(words) ${$caller.name}", \(texts)}
        \(instances)
        sections: [{id: mine, where: owner == $caller.name}]
        find: {search: [value], sorts: {value: {by: value}}}
      people:
        source: people
        cell: Person
        payload: {key: "${key}", value: "${name}"}
      news:
        title: "News \(title)"
        source: news
        row: {id: "${id}"}
        cell: News
        payload: {title: "\(words) ${title}", revision: "${revision}", mark: "${mark}"}
        sections: {groupBy: kind}
        \(edits)
      part:
        source: news
        parameters: {kind: {pattern: "[a-c]", default: a}}
        row: {id: "${id}"}
        cell: News
        payload: {title: "${title}", revision: "${revision}", mark: "${mark}"}
        sections: [{id: part, where: kind == $params.kind || kind == 'state'}]
        \(instances)
        \(isPartEdited ? edits : "")
      joined:
        source: news
        lookups: {person: {source: people, key: key, on: kind}}
        row: {id: "${id}"}
        cell: Joined
        payload: {title: "${title}", revision: "${revision}", mark: "${mark}", person: "${$person.name ?? ''}"}
        \(edits)
    """
  }

  private var edits: String {
    let insert = #"insert: {url: "http://upstream.test/news", body: "${$edit}"}"#
    return #"edits: {patch: {url: "http://upstream.test/news/${$id}", body: "${$edit}"}, \#(insert)}"#
  }

  private var board: String {
    """
      board:
          title: Board
          source: \(source)
          lookups: {person: {source: people, key: key, on: list}}
          cell: Task
          payload: {title: "${title}", person: "${$person.name ?? ''}", \(texts)}
          sections: \(isGrouped ? "{groupBy: list, sort: value}" : "[{id: all}]")
          sharedTaps: true
    """
  }

  private var texts: String {
    #"value: "${value}", note: "${note}", owner: "${owner}", isExpanded: false"#
  }

  private var people: String {
    """
      people:
          local:
            items: [{key: a, name: first}, {key: b, name: first}, {key: c, name: first}]
    """
  }

  /// What the titles of rows begin with.
  var words: String { "\(label) of release \(release)" }

  /// The configuration as a process of a release reads it. Releases call it by the same digests.
  func definition(_ world: World, release: Int) -> ServiceDefinition {
    let contents = read(world).contents
    var other = self
    other.release = release
    var definition = other.read(world)
    definition.contents = contents
    definition.contents.release = "release \(release)"
    return definition
  }

  private func read(_ world: World) -> ServiceDefinition {
    let (definition, diagnostics) = ConfigurationReader.read(text: text, file: "simulation", environment: [:])
    guard let definition else { world.fail("the simulation's configuration is wrong: \(diagnostics)\n\(text)") }
    return definition
  }
}
