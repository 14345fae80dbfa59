import Testing

@testable import TablecastClient

/// Replies are read in one pass, whatever the order of their members.
@Suite struct TableReplyTests {
  private static let row = #"{"id":"1","cellIdentifier":"C","payload":{"id":"}","cellIdentifier":[]}}"#

  /// Members in order; each object may be shuffled and have members that nobody knows.
  private indirect enum Part {
    case json(String)
    case list([Part])
    case object([(String, Part)])

    func written(_ random: inout SplitMix64) -> String {
      switch self {
      case .json(let text): return text
      case .list(let parts): return "[" + parts.map { $0.written(&random) }.joined(separator: ",") + "]"
      case .object(let members):
        let unknown =
          [#""later":{"row":["}",null]}"#, #""x\"":-1.5e3"#, #""":"\\""#].randomElement(using: &random) ?? ""
        let known = members.map { "\"\($0)\":" + $1.written(&random) }
        return "{" + (known + [unknown]).shuffled(using: &random).joined(separator: ", ") + "}"
      }
    }
  }

  private static let changes: [(String, Part)] = [
    ("table", .json(#""t""#)), ("from", .json(#""a.1""#)), ("to", .json(#""a.2""#)), ("slot", .json("7")),
    (
      "stages",
      .list([
        .object([
          (
            "sections",
            .object([
              ("delete", .list([.object([("at", .json("3")), ("id", .json(#""s3""#))])])),
              (
                "insert",
                .list([
                  .object([
                    ("at", .json("1")),
                    (
                      "section",
                      .object([("id", .json(#""s9""#)), ("rows", .list([.json(row)])), ("header", .json("null"))])
                    ),
                  ])
                ])
              ),
              ("move", .list([.object([("from", .json("2")), ("to", .json("0")), ("id", .json(#""s2""#))])])),
              (
                "update",
                .list([
                  .object([
                    ("at", .json("0")), ("id", .json(#""s""#)), ("header", .json(#"{"a":1}"#)),
                    ("footer", .json("null")),
                  ])
                ])
              ),
            ])
          ),
          ("title", .json(#""T\u0021""#)),
          (
            "rows",
            .object([
              ("delete", .list([.object([("at", .json("[0,4]")), ("id", .json(#""4""#))])])),
              ("insert", .list([.object([("at", .json("[0 , 5]")), ("row", .json(row))])])),
              ("move", .list([.object([("from", .json("[0,6]")), ("to", .json("[1,7]")), ("id", .json(#""6""#))])])),
              (
                "update",
                .list([
                  .object([("at", .json("[2,3]")), ("row", .json(row)), ("reload", .json("false"))]),
                  .object([("at", .json("[2,4]")), ("row", .json(row))]),
                ])
              ),
            ])
          ),
        ])
      ])
    ),
  ]

  @Test func membersComeInAnyOrderAndUnknownOnesArePassed() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for round in 0..<300 {
      let text = Part.object(Self.changes).written(&random)
      let reply = try #require(try TableReply.read(Array(text.utf8)).first)
      guard case .stages(let stages, let from, let to) = reply.outcome, var stage = stages.first else {
        Issue.record("seed \(seed), round \(round): \(reply.outcome), \(text)")
        return
      }
      #expect(reply.table == "t" && reply.slot == "7" && from.text == "a.1" && to.text == "a.2")
      let row = try TableRow(JSONText(Self.row))
      var section = TableSection(id: "s9")
      section.rows = [row]
      var wanted = TableStage()
      wanted.deletedSections = [.init(at: 3, id: "s3")]
      wanted.insertedSections = [.init(at: 1, section: section)]
      wanted.movedSections = [.init(from: 2, to: 0, id: "s2")]
      wanted.updatedSections = [.init(at: 0, id: "s", header: try JSONText(#"{"a":1}"#), footer: nil)]
      wanted.deletedRows = [.init(at: RowPath(section: 0, row: 4), id: "4")]
      wanted.insertedRows = [.init(at: RowPath(section: 0, row: 5), row: row)]
      wanted.movedRows = [.init(from: RowPath(section: 0, row: 6), to: RowPath(section: 1, row: 7), id: "6")]
      wanted.updatedRows = [
        .init(at: RowPath(section: 2, row: 3), row: row, reload: false),
        .init(at: RowPath(section: 2, row: 4), row: row, reload: true),
      ]
      stage.attributes.removeAll { $0.name != "title" }
      wanted.attributes = [.init(name: "title", value: try JSONText(#""T\u0021""#))]
      #expect(stage == wanted, "seed \(seed), round \(round): \(text)")
      #expect(row.id == "1" && row.cellIdentifier == "C")
    }
  }

  /// Each of these takes its own table's changeset with it, and nothing else of the reply.
  @Test(arguments: [
    #""stages":[{"rows":{"insert":[{"at":[0,0],"row":{"id":"1","payload":{}}}]}}]"#,
    #""stages":[{"rows":{"insert":[{"at":[0,0],"row":{"id":1,"cellIdentifier":"C"}}]}}]"#,
    #""stages":[{"rows":{"insert":[{"at":[0,0],"row":null}]}}]"#,
    #""stages":[{"rows":{"insert":[{"at":[0],"row":{"id":"1","cellIdentifier":"C"}}]}}]"#,
    #""stages":[{"rows":{"update":[{"at":[0,-1],"row":{"id":"1","cellIdentifier":"C"}}]}}]"#,
    #""stages":[{"rows":{"delete":[{"at":[0,1.5],"id":"1"}]}}]"#,
    #""stages":[{"rows":{"delete":[{"at":[0,1]}]}}]"#,
    #""stages":[{"rows":{"move":[{"from":[0,1],"id":"1"}]}}]"#,
    #""stages":[{"rows":{"swap":[{"at":[0,1]}]}}]"#,
    #""stages":[{"sections":{"insert":[{"at":0}]}}]"#,
    #""stages":[{"sections":{"insert":[{"at":0,"section":{"id":"s"}}]}}]"#,
    #""stages":[{"sections":{"update":[{"at":"0","id":"s"}]}}]"#,
    #""stages":[{"sections":{"swap":[{}]}}]"#,
    #""stages":[{},7]"#, #""stages":{}"#, #""stages":null"#, #""later":[]"#,
    #""to":"a b","stages":[]"#, #""to":null,"stages":[]"#,
    #""snapshot":{"table":"t","cursor":"a.2","sections":[{"id":"s","rows":[{"id":"1"}]}]}"#,
    #""snapshot":{"table":"t","cursor":"a.2","sections":[{"id":"s","rows":[]},{"id":"s","rows":[]}]}"#,
    #""snapshot":{"table":"t","cursor":"a.2","sections":null}"#,
    #""snapshot":{"table":"t","cursor":"a.3","sections":[]}"#,
    #""snapshot":{"table":"u","cursor":"a.2","sections":[]}"#,
    #""snapshot":{"table":"t","cursor":"a.2","sections":[]},"to":7"#,
  ])
  func oneMalformedReplyTakesNoOtherWithIt(_ members: String) throws {
    let given = members.contains("\"to\"") ? "" : #""to":"a.2","#
    let good = #"{"table":"u","from":"a.1","to":"a.1","stages":[]}"#
    let text = #"{"x":1,"changes":[{"table":"t","from":"a.1",\#(given)\#(members)},\#(good)],"changes":7}"#
    let replies = try TableReply.read(Array(text.utf8), isMultiple: true)
    try #require(replies.map(\.table) == ["t", "u"])
    guard case .malformed = replies[0].outcome else {
      Issue.record("\(replies[0].outcome)")
      return
    }
    guard case .stages(let stages, _, _) = replies[1].outcome, stages.isEmpty else {
      Issue.record("\(replies[1].outcome)")
      return
    }
  }

  @Test(arguments: [
    #""problem":{"status":410},"stages":[7]"#, #""stages":[{"rows":{"swap":[{}]}}],"problem":{"status":410}"#,
    #""snapshot":{},"problem":{"status":410},"stages":null"#, #""to":8,"problem":{"status":410}"#,
  ])
  func aProblemCountsBeforeAllElse(_ members: String) throws {
    let text = #"{"table":"t","from":"a.1",\#(members)}"#
    guard case .problem(let problem)? = try TableReply.read(Array(text.utf8)).first?.outcome else {
      Issue.record("no problem")
      return
    }
    #expect(problem.status == 410)
  }

  @Test func operationsWithoutEntriesAreNone() throws {
    let text = #"{"table":"t","from":"a.1","to":"a.2","stages":[{"rows":{"swap":[],"insert":null},"sections":null}]}"#
    guard case .stages(let stages, _, _)? = try TableReply.read(Array(text.utf8)).first?.outcome else {
      Issue.record("no stages")
      return
    }
    #expect(stages == [TableStage()])
  }

  @Test(arguments: [
    (#"{"from":"a"}"#, false), (#"{"table":7}"#, false), ("[]", false), ("null", false), (#"{"table":"t"}"#, true),
    (#"{"changes":{}}"#, true), (#"{"table":"t","stages":[}"#, false), (#"{"changes":[{"table":"t"}]"#, true),
  ])
  func whatIsNoReplyIsRefused(_ text: String, _ isMultiple: Bool) {
    #expect(throws: MalformedReply.self) { try TableReply.read(Array(text.utf8), isMultiple: isMultiple) }
  }
}
