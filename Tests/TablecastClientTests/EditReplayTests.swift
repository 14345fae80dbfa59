import Testing

@testable import TablecastClient

/// The open edits over the service's rows, against a model that looks for each row where it needs it.
@Suite struct EditReplayTests {
  private struct Model {
    var sections: [[(id: String, title: String)]]

    func path(_ id: String) -> (section: Int, row: Int)? {
      for (section, rows) in sections.enumerated() {
        if let row = rows.firstIndex(where: { $0.id == id }) { return (section, row) }
      }
      return nil
    }

    mutating func insert(_ row: (id: String, title: String), _ place: EditPlace) -> Bool {
      switch place {
      case .end:
        guard !sections.isEmpty else { return false }
        sections[sections.count - 1].append(row)
      case .section(let id, let at):
        guard let section = sections.indices.first(where: { "s\($0)" == id }) else { return false }
        sections[section].insert(row, at: max(0, min(at ?? .max, sections[section].count)))
      case .before(let other):
        guard let path = path(other) else { return false }
        sections[path.section].insert(row, at: path.row)
      case .after(let other):
        guard let path = path(other) else { return false }
        sections[path.section].insert(row, at: path.row + 1)
      }
      return true
    }

    mutating func apply(_ edit: TableEdit, _ added: String) {
      switch edit {
      case .add(_, let place, _): if path(added) == nil { _ = insert((added, "new"), place) }
      case .patch(let row, _, _): if let path = path(row) { sections[path.section][path.row].title = "patched" }
      case .delete(let row): if let path = path(row) { sections[path.section].remove(at: path.row) }
      case .move(let row, let place):
        guard let path = path(row) else { return }
        let element = sections[path.section].remove(at: path.row)
        if !insert(element, place) { sections[path.section].insert(element, at: path.row) }
      default: return
      }
    }
  }

  private let preview: JSONText
  private let title: JSONText

  init() throws {
    preview = try JSONText(#"{"cellIdentifier":"C","payload":{"title":"new"}}"#)
    title = try JSONText(#"{"title":"patched"}"#)
  }

  private func section(_ index: Int, _ rows: [(id: String, title: String)]) throws -> TableSection {
    var section = TableSection(id: "s\(index)")
    section.rows = TableRows(
      try rows.map {
        try TableRow(JSONText(#"{"id":"\#($0.id)","cellIdentifier":"C","payload":{"title":"\#($0.title)"}}"#))
      }
    )
    return section
  }

  /// Each has a name of its own until the service has named it, and may stand there already then.
  @Test func everyAdditionOfABatchIsShown() throws {
    let sections = [try section(0, [("1", "old"), ("7", "old")])]
    let adds = [TableEdit.add(item: .null, .end, preview: preview), .add(item: .null, .before("1"), preview: preview)]
    let batch = TableEdit.batch([adds[0], .delete(row: "1"), adds[1], adds[0]])
    var status = EditStatus(id: EditID("a"), edit: batch, state: .sent)
    #expect(EditReplay(sections, [status]).sections[0].rows.map(\.id) == ["7", "a-0", "a-3"])
    status.state = .acknowledged(try JSONText(#"{"cursor":"00000000000a.2","ids":["7","1",null,"9"]}"#))
    let replay = EditReplay(sections, [status])
    #expect(replay.sections[0].rows.map(\.id) == ["7", "9"])
    #expect(replay.pendingRows == ["1", "7", "9", "a-2"])
  }

  /// Some of the rows aren't there, some of the added ones have a name of the service's, which may stand there already.
  @Test func editsAreShownInTheirOrder() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for round in 0..<600 {
      let counts = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0...12, using: &random) }
      var next = 0
      var model = Model(
        sections: counts.map { count in
          (0..<count).map { _ in
            next += 1
            return ("\(next)", "old")
          }
        }
      )
      let sections = try model.sections.enumerated().map { try section($0, $1) }
      var statuses: [EditStatus] = []
      var pending: Set<String> = []
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        var names = (0...next + 1).map { "\($0)" } + pending.sorted()
        names.shuffle(using: &random)
        let places: [EditPlace] = [
          .end, .before(names[1]), .after(names[1]), .section("s\(Int.random(in: 0...3, using: &random))", at: nil),
          .section("s0", at: Int.random(in: -2...15, using: &random)),
        ]
        let place = places.randomElement(using: &random) ?? .end
        let edits: [TableEdit] = [
          .add(item: .null, place, preview: preview), .patch(row: names[0], .null, preview: title),
          .delete(row: names[0]), .move(row: names[0], place), .tap(row: names[0]), .refresh,
        ]
        var status = EditStatus(id: EditID(), edit: edits.randomElement(using: &random) ?? .refresh, state: .local)
        var added = status.id.localRow
        switch Int.random(in: 0...9, using: &random) {
        case 0: status.state = .unknown
        case 1:
          added = "\(Int.random(in: 1...next + 5, using: &random))"
          status.state = .acknowledged(try JSONText(#"{"id":"\#(added)"}"#))
        default: status.state = .sent
        }
        statuses.append(status)
        guard !status.state.isOver else { continue }
        model.apply(status.edit, added)
        if status.edit.isAdd { pending.insert(added) } else if let row = status.edit.row { pending.insert(row) }
      }
      let replay = EditReplay(sections, statuses)
      #expect(
        replay.sections.map { $0.rows.map { "\($0.id) \($0.json["payload"]?["title"]?.string ?? "")" } }
          == model.sections.map { $0.map { "\($0.id) \($0.title)" } },
        "seed \(seed), round \(round)"
      )
      #expect(replay.pendingRows == pending, "seed \(seed), round \(round)")
    }
  }
}
