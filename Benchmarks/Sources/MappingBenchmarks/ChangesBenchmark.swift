import Definitions
import Expressions
import JSON
import TableMapping
import TableModel

/// The cost of every kind of change of a long list, beside the mapping of everything.
struct ChangesBenchmark {
  private let count: Int

  init(items: Int) { count = items }

  /// A list and a mapper of it, with what becomes of it.
  private struct Trial {
    let mapper: TableMapper
    var contents: [String: SourceContent]
    /// The next contents, given how often that was asked and the last result.
    let next: (Int, MappingResult) -> [String: SourceContent]
  }

  /// Prints, by kind, the median milliseconds of a change, and of mapping everything.
  func run(times: Int) throws {
    var trials: [(String, Trial)] = []
    for (name, sort) in [("in place", nil), ("that moves", "rank")] as [(String, String?)] {
      trials.append(("an edit of an own item \(name)", try owned(sort, changes: 1)))
      trials.append(("20 own items changed by another replica, \(name)", try owned(sort, changes: 20)))
      trials.append(("a refresh, 1 % changed \(name)", try refresh(sort, every: 100)))
    }
    trials.append(("a refresh, all changed in place", try refresh(nil, every: 1)))
    trials.append(("a refresh, one item on top", try insertion()))
    trials.append(("an edit over a response", try edit()))
    trials.append(("the very same response", try refresh(nil, every: .max)))
    for (name, var trial) in trials {
      var (cold, last) = milliseconds { trial.mapper.map(trial.contents) }
      var changes: [Double] = []
      for time in 1...times {
        trial.contents = trial.next(time, last)
        let (elapsed, result) = milliseconds { map(trial.mapper, trial.contents, after: last) }
        changes.append(elapsed)
        last = result
      }
      for _ in 0..<3 { cold = min(cold, milliseconds { trial.mapper.map(trial.contents) }.0) }
      changes.sort()
      print(
        "{\"change\":\"\(name)\",\"ms\":\(changes[times / 2]),\"all\":\(cold),\"rows\":\(last.sections[0].rows.count)}"
      )
    }
  }

  private func mapper(sortedBy sort: String?, isLocal: Bool) throws -> TableMapper {
    var table = TableDefinition(name: "issues", title: "Issues", source: "issues")
    var section = SectionDefinition(id: "all")
    section.rowID = isLocal ? nil : try Template(text: "${number}")
    section.sort = try sort.map { [SortDefinition(key: try Expression($0))] } ?? []
    table.sections = .single(section)
    table.cell = CellMapping(
      cell: "IssueCell",
      payload: try Template(["title": "#${number} ${title}", "author": "${user}"])
    )
    let fields: [CellDefinition.Field] = [.init(name: "title", type: .string), .init(name: "author", type: .string)]
    let upstream = UpstreamDefinition(url: try Template(text: "https://a.example/"))
    return try TableMapper(
      table: table,
      cells: [CellDefinition(identifier: "IssueCell", fields: fields)],
      sources: [SourceDefinition(name: "issues", kind: isLocal ? .local(LocalDefinition()) : .upstream(upstream))]
    )
  }

  private func item(_ number: Int, _ time: Int, moves: Bool) -> [UInt8] {
    let rank = moves ? (number &* 7919 &+ time &* 104_729) % count : number &* 7919 % count
    return Array(
      #"{"number":\#(number),"title":"Issue no. \#(number) as of \#(time)","user":"user-\#(number % 97)","rank":\#(rank)}"#
        .utf8
    )
  }

  private func owned(_ sort: String?, changes: Int) throws -> Trial {
    var list = OwnedList(
      (0..<count).map { OwnedItem(number: UInt64($0 + 1), rank: Int64($0) << 32, bytes: item($0, 0, moves: true)) }
    )
    return Trial(mapper: try mapper(sortedBy: sort, isLocal: true), contents: ["issues": .owned(list)]) { time, _ in
      for change in 0..<changes {
        let place = (time * 1013 + change * 131) % self.count
        list.replace(place, self.item(place, time, moves: true))
      }
      defer { list.settle() }
      return ["issues": .owned(list)]
    }
  }

  private func page(_ items: [[UInt8]]) -> SourceContent {
    .pages([Array("[".utf8) + Array(items.joined(separator: Array(",".utf8))) + Array("]".utf8)])
  }

  private func refresh(_ sort: String?, every step: Int) throws -> Trial {
    var items = (0..<count).map { item($0, 0, moves: true) }
    let content = page(items)
    return Trial(mapper: try mapper(sortedBy: sort, isLocal: false), contents: ["issues": content]) { time, _ in
      guard step < self.count else { return ["issues": content] }
      for place in stride(from: 0, to: items.count, by: step) { items[place] = self.item(place, time, moves: true) }
      return ["issues": self.page(items)]
    }
  }

  private func insertion() throws -> Trial {
    var items = (0..<count).map { item($0, 0, moves: false) }
    return Trial(mapper: try mapper(sortedBy: nil, isLocal: false), contents: ["issues": page(items)]) { time, _ in
      items.insert(self.item(self.count + time, time, moves: false), at: 0)
      return ["issues": self.page(items)]
    }
  }

  private func edit() throws -> Trial {
    var content = page((0..<count).map { item($0, 0, moves: false) })
    return Trial(mapper: try mapper(sortedBy: nil, isLocal: false), contents: ["issues": content]) { time, last in
      guard var edits = last.edits(of: "issues", in: content) else { return ["issues": content] }
      let place = time * 1013 % self.count
      edits.replace(place, with: self.item(place, time, moves: false))
      content.edits = edits
      return ["issues": content]
    }
  }
}

private func map(_ mapper: TableMapper, _ contents: [String: SourceContent], after last: MappingResult) -> MappingResult
{
  mapper.map(contents, after: last)
}

/// Items that the service owns, which know what was changed last.
private struct OwnedList: OwnedItems {
  private(set) var owned: [OwnedItem]
  private var changed: [Int] = []

  init(_ items: [OwnedItem]) { owned = items }

  var count: Int { owned.count }

  func place(of number: UInt64) -> Int? { owned.firstIndex { $0.number == number } }

  mutating func replace(_ place: Int, _ bytes: [UInt8]) {
    owned[place].bytes = bytes
    changed.append(place)
  }

  mutating func settle() { changed = [] }

  func changes(since earlier: any OwnedItems, atMost maximum: Int) -> [OwnedItemChange]? {
    Set(changed).map { OwnedItemChange(number: owned[$0].number, after: owned[$0]) }
  }
}
