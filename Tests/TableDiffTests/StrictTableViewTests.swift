import TableDiff
import TableModel
import Testing

/// The judge is judged: whatever `UITableView` refuses, the strict view must refuse, and for that reason.
@Suite struct StrictTableViewTests {
  struct Refused: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: String
    let stages: @Sendable () -> [Changeset.Stage]
    var testDescription: String { name }

    init(_ name: String, _ reason: String, _ change: @escaping @Sendable (inout Changeset.Stage) -> Void) {
      self.init(name, reason, stages: [change])
    }

    init(_ name: String, _ reason: String, stages: [@Sendable (inout Changeset.Stage) -> Void]) {
      (self.name, self.reason) = (name, reason)
      self.stages = {
        stages.map { change in
          var stage = Changeset.Stage()
          change(&stage)
          return stage
        }
      }
    }
  }

  /// What every case begins with.
  static let shown = "A: a b | B: c | C^x: d"

  static func at(_ section: Int, _ row: Int) -> IndexPath { IndexPath(section: section, row: row) }
  static func new(_ id: String, _ rows: String...) -> Section { Section(id: id, rows: rows.map { row($0) }) }

  static let sections = [
    Refused("a section deleted that is not there", "section leaves out of range: [3]") {
      $0.sections.delete = [.init(at: 3, id: "D")]
    },
    Refused("a section deleted twice", "section leaves twice: [0, 0]") {
      $0.sections.delete = [.init(at: 0, id: "A"), .init(at: 0, id: "A")]
    },
    Refused("a section deleted and moved", "section leaves twice: [0, 0]") {
      $0.sections.delete = [.init(at: 0, id: "A")]
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
    },
    Refused("another section deleted than is meant", "wrong section deleted") {
      $0.sections.delete = [.init(at: 0, id: "B")]
    },
    Refused("another section moved than is meant", "wrong section moved") {
      $0.sections.move = [.init(from: 0, to: 1, id: "B")]
    },
    Refused("a section inserted behind the end", "section arrives out of range: [4]") {
      $0.sections.insert = [.init(at: 4, section: new("N", "n"))]
    },
    Refused("two sections inserted in one place", "section arrives twice: [1, 1]") {
      $0.sections.insert = [.init(at: 1, section: new("M", "m")), .init(at: 1, section: new("N", "n"))]
    },
    Refused("a section moved to where one is inserted", "section arrives twice: [1, 1]") {
      $0.sections.insert = [.init(at: 1, section: new("N", "n"))]
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
    },
    Refused("a section moved behind the end", "section arrives out of range: [3]") {
      $0.sections.move = [.init(from: 0, to: 3, id: "A")]
    },
    Refused("a section updated that is not there", "section updated out of range: [3]") {
      $0.sections.update = [.init(at: 3, id: "D", header: nil, footer: nil)]
    },
    Refused("a section updated twice", "section updated twice: [2, 2]") {
      $0.sections.update = [
        .init(at: 2, id: "C", header: nil, footer: nil), .init(at: 2, id: "C", header: nil, footer: nil),
      ]
    },
    Refused("another section updated than is meant", "wrong section updated") {
      $0.sections.update = [.init(at: 1, id: "C", header: nil, footer: nil)]
    },
    Refused("a section updated that was inserted", "a section that was inserted is updated too") {
      $0.sections.insert = [.init(at: 0, section: new("N", "n"))]
      $0.sections.update = [.init(at: 0, id: "N", header: nil, footer: nil)]
    },
    Refused("a section update without a change", "a section update changes nothing") {
      $0.sections.update = [.init(at: 1, id: "B", header: nil, footer: nil)]
    },
    Refused("a section inserted that stands already", "a section stands twice") {
      $0.sections.insert = [.init(at: 0, section: new("A", "n"))]
    },
  ]

  static let rows = [
    Refused("a row deleted that is not there", "no row at IndexPath(section: 0, row: 2)") {
      $0.rows.delete = [.init(at: at(0, 2), id: "x")]
    },
    Refused("a row deleted in a section that is not there", "no row at IndexPath(section: 3, row: 0)") {
      $0.rows.delete = [.init(at: at(3, 0), id: "x")]
    },
    Refused("another row deleted than is meant", "wrong row at IndexPath(section: 0, row: 0)") {
      $0.rows.delete = [.init(at: at(0, 0), id: "b")]
    },
    Refused("a row deleted twice", "IndexPath(section: 0, row: 0) leaves twice") {
      $0.rows.delete = [.init(at: at(0, 0), id: "a"), .init(at: at(0, 0), id: "a")]
    },
    Refused("a row deleted and moved", "IndexPath(section: 0, row: 0) leaves twice") {
      $0.rows.delete = [.init(at: at(0, 0), id: "a")]
      $0.rows.move = [.init(from: at(0, 0), to: at(1, 0), id: "a")]
    },
    Refused("a row moved twice", "IndexPath(section: 0, row: 0) leaves twice") {
      $0.rows.move = [.init(from: at(0, 0), to: at(1, 0), id: "a"), .init(from: at(0, 0), to: at(2, 0), id: "a")]
    },
    Refused("a row deleted in a deleted section", "a row leaves a deleted or moved section") {
      $0.sections.delete = [.init(at: 0, id: "A")]
      $0.rows.delete = [.init(at: at(0, 0), id: "a")]
    },
    Refused("a row moved out of a deleted section", "a row leaves a deleted or moved section") {
      $0.sections.delete = [.init(at: 0, id: "A")]
      $0.rows.move = [.init(from: at(0, 0), to: at(0, 0), id: "a")]
    },
    Refused("a row deleted in a section that moves", "a row leaves a deleted or moved section") {
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
      $0.rows.delete = [.init(at: at(0, 0), id: "a")]
    },
    Refused("a row deleted in a section that moves to where it is", "a row leaves a deleted or moved section") {
      $0.sections.move = [.init(from: 0, to: 0, id: "A")]
      $0.rows.delete = [.init(at: at(0, 0), id: "a")]
    },
    Refused("a row inserted in an inserted section", "a row enters a new or moved section") {
      $0.sections.insert = [.init(at: 0, section: new("N", "n"))]
      $0.rows.insert = [.init(at: at(0, 0), row: row("x"))]
    },
    Refused("a row inserted in a section that moves", "a row enters a new or moved section") {
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
      $0.rows.insert = [.init(at: at(1, 0), row: row("x"))]
    },
    Refused("a row moved into a section that moves", "a row enters a new or moved section") {
      $0.sections.move = [.init(from: 0, to: 2, id: "A")]
      $0.rows.move = [.init(from: at(1, 0), to: at(2, 0), id: "c")]
    },
    Refused("a row inserted in a section that is not there", "no section for IndexPath(section: 3, row: 0)") {
      $0.rows.insert = [.init(at: at(3, 0), row: row("x"))]
    },
    Refused("two rows inserted in one place", "IndexPath(section: 0, row: 0) arrives twice") {
      $0.rows.insert = [.init(at: at(0, 0), row: row("x")), .init(at: at(0, 0), row: row("y"))]
    },
    Refused("a row moved to where one is inserted", "IndexPath(section: 1, row: 0) arrives twice") {
      $0.rows.insert = [.init(at: at(1, 0), row: row("x"))]
      $0.rows.move = [.init(from: at(0, 0), to: at(1, 0), id: "a")]
    },
    Refused("counts that don't add up: a gap before what arrives", "a gap before row 3") {
      $0.rows.insert = [.init(at: at(0, 3), row: row("x"))]
    },
    Refused("a row inserted that stands already", "row a stands twice") {
      $0.rows.insert = [.init(at: at(1, 0), row: row("a"))]
    },
  ]

  static let updates = [
    Refused("a row updated that is not there", "update of no row at IndexPath(section: 1, row: 1)") {
      $0.rows.update = [.init(at: at(1, 1), row: row("x"), reload: false)]
    },
    Refused("a row updated twice", "a row is updated twice") {
      $0.rows.update = [
        .init(at: at(0, 0), row: row("a'"), reload: false), .init(at: at(0, 0), row: row("a''"), reload: false),
      ]
    },
    Refused("a row updated by its place before the stage", "wrong row updated at IndexPath(section: 0, row: 0)") {
      $0.rows.move = [.init(from: at(0, 0), to: at(0, 1), id: "a")]
      $0.rows.update = [.init(at: at(0, 0), row: row("a'"), reload: false)]
    },
    Refused("a row updated that was inserted", "a row that was inserted is updated too") {
      $0.rows.insert = [.init(at: at(0, 0), row: row("x"))]
      $0.rows.update = [.init(at: at(0, 0), row: row("x'"), reload: false)]
    },
    Refused("a row updated that came with its section", "a row that was inserted is updated too") {
      $0.sections.insert = [.init(at: 0, section: new("N", "n"))]
      $0.rows.update = [.init(at: at(0, 0), row: row("n'"), reload: false)]
    },
    Refused("an update without a change", "an update changes nothing") {
      $0.rows.update = [.init(at: at(0, 0), row: row("a"), reload: false)]
    },
    Refused("another cell without a reload", "wrong reload") {
      $0.rows.update = [.init(at: at(0, 0), row: row("a!"), reload: false)]
    },
    Refused("a reload of the same cell", "wrong reload") {
      $0.rows.update = [.init(at: at(0, 0), row: row("a'"), reload: true)]
    },
  ]

  static let stages = [
    Refused("a stage that does nothing", "stage 0 is empty") { _ in },
    Refused(
      "attributes before the last stage",
      "attributes before the last stage",
      stages: [
        { $0.attributes.title = "Another" }, { $0.rows.delete = [.init(at: at(0, 0), id: "a")] },
      ]
    ),
    Refused("a state that is the same", "state unchanged") { $0.attributes.state = .ready },
    Refused("a problem that is the same", "problem unchanged") { $0.attributes.problem = .some(nil) },
    Refused("a title that is the same", "title unchanged") { $0.attributes.title = "Title" },
    Refused("an animation that is the same", "animation unchanged") { $0.attributes.animation = .init() },
    Refused("counts that are the same", "counts unchanged") {
      $0.attributes.counts = Counts(sections: 3, rows: 4, omittedSections: 0, skippedItems: 0)
    },
    Refused("a window that is the same", "window unchanged") { $0.attributes.window = .some(nil) },
    // A row that leaves a deleted section comes again later: not in an earlier stage, where it would stand twice.
    Refused(
      "a row that stands twice between stages",
      "row a stands twice",
      stages: [
        { $0.rows.insert = [.init(at: at(1, 0), row: row("a"))] }, { $0.rows.delete = [.init(at: at(0, 0), id: "a")] },
      ]
    ),
  ]

  @Test("It refuses", arguments: sections + rows + updates + stages)
  func refuses(_ example: Refused) {
    var view = StrictTableView(table(Self.shown))
    let refusal = #expect(throws: StrictTableView.Refusal.self) {
      try view.perform(Changeset(stages: example.stages()))
    }
    #expect(refusal?.description == example.reason)
  }

  @Test func itShowsWhatIsThereAndNothingElse() throws {
    let view = StrictTableView(table(Self.shown))
    try view.checkShows(table(Self.shown))
    for other in ["A: a b | B: c", "A: a b | B: c | C: d", "A: b a | B: c | C^x: d", "A: a' b | B: c | C^x: d"] {
      #expect(throws: StrictTableView.Refusal.self) { try view.checkShows(table(other)) }
    }
    var renamed = table(Self.shown)
    renamed.title = "Another"
    #expect(throws: StrictTableView.Refusal.self) { try view.checkShows(renamed) }
  }

  @Test func aBatchOfEverythingIsTaken() throws {
    var stage = Changeset.Stage()
    stage.sections.delete = [.init(at: 1, id: "B")]
    stage.sections.insert = [.init(at: 0, section: Self.new("N", "n"))]
    stage.sections.move = [.init(from: 2, to: 1, id: "C")]
    stage.rows.delete = [.init(at: Self.at(0, 0), id: "a")]
    stage.rows.insert = [.init(at: Self.at(2, 1), row: row("x"))]
    stage.rows.update = [.init(at: Self.at(1, 0), row: row("d'"), reload: false)]
    stage.attributes.counts = Counts(sections: 3, rows: 4, omittedSections: 0, skippedItems: 1)
    var view = StrictTableView(table(Self.shown))
    try view.perform(Changeset(stages: [stage]))
    var expected = table("N: n | C^x: d' | A: b x")
    expected.skippedItems = 1
    try view.checkShows(expected)
  }
}
