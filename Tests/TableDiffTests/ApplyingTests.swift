import TableDiff
import TableModel
import Testing

/// A changeset that was made for another version is refused, and the error says where and why.
@Suite struct ApplyingTests {
  struct Misfit: Sendable, CustomTestStringConvertible {
    let reason: String
    let change: @Sendable (inout Changeset.Stage) -> Void
    var testDescription: String { reason }

    init(_ reason: String, _ change: @escaping @Sendable (inout Changeset.Stage) -> Void) {
      (self.reason, self.change) = (reason, change)
    }
  }

  static func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(section: section, row: row) }

  static let misfits = [
    Misfit("stage 0, rows.delete at [0, 2]: the section has 2 rows") {
      $0.rows.delete = [.init(at: path(0, 2), id: "a")]
    },
    Misfit("stage 0, rows.delete at [-1, 0]: there are 2 sections") {
      $0.rows.delete = [.init(at: path(-1, 0), id: "a")]
    },
    Misfit("stage 0, rows.delete at [0, 1]: “a” expected, but “b” stands there") {
      $0.rows.delete = [.init(at: path(0, 1), id: "a")]
    },
    Misfit("stage 0, rows.move from [0, 0]: the row leaves twice") {
      $0.rows.delete = [.init(at: path(0, 0), id: "a")]
      $0.rows.move = [.init(from: path(0, 0), to: path(1, 0), id: "a")]
    },
    Misfit("stage 0, rows.delete at [0, 0]: the section is deleted or moved in the same stage") {
      $0.sections.delete = [.init(at: 0, id: "A")]
      $0.rows.delete = [.init(at: path(0, 0), id: "a")]
    },
    Misfit("stage 0, rows.insert at [0, 0]: the section is inserted or moved in the same stage") {
      $0.sections.insert = [.init(at: 0, section: Section(id: "N", rows: [row("n")]))]
      $0.rows.insert = [.init(at: path(0, 0), row: row("x"))]
    },
    Misfit("stage 0, rows to [0, 1]: another row arrives there") {
      $0.rows.insert = [.init(at: path(0, 1), row: row("x")), .init(at: path(0, 1), row: row("y"))]
    },
    Misfit("stage 0, rows to [0, 3]: the section has 3 rows then") {
      $0.rows.insert = [.init(at: path(0, 3), row: row("x"))]
    },
    Misfit("stage 0, rows.insert at [2, 0]: the table has 2 sections then") {
      $0.rows.insert = [.init(at: path(2, 0), row: row("x"))]
    },
    Misfit("stage 0, sections.delete at 2: there are 2 sections") { $0.sections.delete = [.init(at: 2, id: "A")] },
    Misfit("stage 0, sections.delete at 1: “A” expected, but “B” stands there") {
      $0.sections.delete = [.init(at: 1, id: "A")]
    },
    Misfit("stage 0, sections.move from 0: the section leaves twice") {
      $0.sections.delete = [.init(at: 0, id: "A")]
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
    },
    Misfit("stage 0, sections.move to 1: another section arrives there") {
      $0.sections.move = [.init(from: 0, to: 1, id: "A"), .init(from: 1, to: 1, id: "B")]
    },
    Misfit("stage 0, sections.insert at 5: the table has 3 sections then") {
      $0.sections.insert = [.init(at: 5, section: Section(id: "N", rows: [row("n")]))]
    },
    Misfit("stage 0, rows.move from [0, 0]: the section is deleted or moved in the same stage") {
      $0.sections.move = [.init(from: 0, to: 1, id: "A")]
      $0.rows.move = [.init(from: path(0, 0), to: path(0, 0), id: "a")]
    },
    Misfit("stage 0, rows.move to [1, 0]: the section is inserted or moved in the same stage") {
      $0.sections.insert = [.init(at: 1, section: Section(id: "N", rows: [row("n")]))]
      $0.rows.move = [.init(from: path(0, 0), to: path(1, 0), id: "a")]
    },
    Misfit("stage 0, rows to [0, -1]: the section has 3 rows then") {
      $0.rows.insert = [.init(at: path(0, -1), row: row("x"))]
    },
    Misfit("stage 0, sections.move to 2: the table has 2 sections then") {
      $0.sections.move = [.init(from: 0, to: 2, id: "A")]
    },
    Misfit("stage 0, rows.update at [2, 0]: there are 2 sections") {
      $0.rows.update = [.init(at: path(2, 0), row: row("c"), reload: false)]
    },
    Misfit("stage 0, rows.update at [1, 0]: the row is updated twice") {
      $0.rows.update = [
        .init(at: path(1, 0), row: row("c'"), reload: false), .init(at: path(1, 0), row: row("c"), reload: false),
      ]
    },
    Misfit("stage 0, sections.update at 2: there are 2 sections") {
      $0.sections.update = [.init(at: 2, id: "B", header: nil, footer: nil)]
    },
    Misfit("stage 0, sections.update at 0: the section is updated twice") {
      $0.sections.update = [
        .init(at: 0, id: "A", header: nil, footer: nil), .init(at: 0, id: "A", header: nil, footer: nil),
      ]
    },
    Misfit("stage 0, rows.update at [1, 1]: the section has 1 rows") {
      $0.rows.update = [.init(at: path(1, 1), row: row("c"), reload: false)]
    },
    Misfit("stage 0, rows.update at [1, 0]: “x” expected, but “c” stands there") {
      $0.rows.update = [.init(at: path(1, 0), row: row("x"), reload: false)]
    },
    Misfit("stage 0, rows.update at [1, 0]: reload must tell whether the cell identifier changes") {
      $0.rows.update = [.init(at: path(1, 0), row: row("c!"), reload: false)]
    },
    Misfit("stage 0, sections.update at 0: “B” expected, but “A” stands there") {
      $0.sections.update = [.init(at: 0, id: "B", header: nil, footer: nil)]
    },
    Misfit("stage 0, counts: 9 sections with 9 rows announced, but there are 2 with 3") {
      $0.attributes.counts = Counts(sections: 9, rows: 9, omittedSections: 0, skippedItems: 0)
    },
  ]

  @Test("A misfit is refused", arguments: misfits)
  func refuses(_ misfit: Misfit) {
    var stage = Changeset.Stage()
    misfit.change(&stage)
    let error = #expect(throws: ChangesetError.self) {
      try table("A: a b | B: c").applying(Changeset(stages: [stage]))
    }
    #expect(error?.description == misfit.reason)
  }

  @Test func attributesAreSet() throws {
    let old = table("A: a")
    var new = table("A: a")
    new.state = .stale
    new.problem = Problem(title: "x", detail: "y", since: "z")
    new.title = "Other"
    new.animation.delete = .left
    new.skippedItems = 3
    let changeset = try verify(from: old, to: new)
    #expect(changeset.stages.count == 1 && changeset.stages[0].sections.isEmpty && changeset.stages[0].rows.isEmpty)
    try verify(from: new, to: old)
  }
}
