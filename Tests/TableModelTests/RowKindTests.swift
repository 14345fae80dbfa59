import TableModel
import TestSupport
import Testing

/// The kinds of a list's rows, which lists that follow from each other take over, held against those of a list made anew.
@Suite struct RowKindTests {
  private static func row(_ number: Int, _ cells: [String], toggles name: String?) -> Row {
    let text = name.map { "{\"id\":\"\(number)\",\"\($0)\":false}" } ?? "{\"id\":\"\(number)\"}"
    let bytes = Array(text.utf8)
    return Row(
      id: "\(number)",
      encoded: bytes,
      cells: CellChain(cells.map { CellPart(cellIdentifier: $0, payload: 0..<1) })
        ?? CellChain(CellPart(cellIdentifier: "", payload: 0..<1)),
      permissions: [],
      expansion: name.map { _ in bytes.count - 6..<bytes.count - 1 }
    )
  }

  /// Some of them are of few rows, so that the last one goes now and then.
  private static func row(_ number: Int, using random: inout SeededGenerator) -> Row {
    switch Int.random(in: 0..<200, using: &random) {
    case 0: row(number, ["Rare"], toggles: nil)
    case 1: row(number, ["Fold", "Label"], toggles: "isOpen")
    case 2: row(number, ["Fold", "Label"], toggles: "open")
    case 3: row(number, ["Fold"], toggles: "open")
    case 4..<20: row(number, ["Label", "Plain"], toggles: nil)
    default: row(number, ["Label"], toggles: nil)
    }
  }

  private static func kinds(_ list: RowList) -> Set<RowKind> {
    let kinds = Table(name: "t", title: "T", state: .ready, sections: [Section(id: "s", rows: list)]).rowKinds
    #expect(Set(kinds).count == kinds.count)
    return Set(kinds)
  }

  @Test(arguments: seeds(of: 6)) func listsHaveTheKindsOfTheirRows(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var next = [3, 60, 2_000, 2_100, 9_000, 30_000][Int(seed) - 1]
    var list = RowList((0..<next).map { Self.row($0, using: &random) })
    for step in 0..<120 {
      next += 1
      let place = Int.random(in: 0...list.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: list = list.inserting(Self.row(next, using: &random), at: place)
      case 1 where place < list.count: list = list.removing(at: place)
      case 2 where place < list.count: list = list.replacing(place, with: Self.row(next, using: &random))
      case 3:
        let places = Set((0..<30).map { _ in Int.random(in: 0..<max(1, list.count), using: &random) }).sorted()
        list = list.replacing(places.filter { $0 < list.count }.map { ($0, Self.row($0, using: &random)) })
      case 4:
        let end = min(list.count, place + Int.random(in: 0..<40, using: &random))
        let new = (0..<Int.random(in: 0..<40, using: &random)).map {
          Self.row(100_000 + step * 100 + $0, using: &random)
        }
        list = list.replacing(place..<end, with: new)
      // A row of a kind that is rare goes, and another one comes in its place.
      default:
        guard let rare = list.firstIndex(where: { $0.cellIdentifier == "Rare" }) else { continue }
        list = list.replacing(rare, with: Self.row(next, ["Label"], toggles: nil))
      }
      // Not after each step, so that some parts know theirs and others don't.
      guard Bool.random(using: &random) else { continue }
      #expect(Self.kinds(list) == Self.kinds(RowList(Array(list))), "seed \(seed), step \(step)")
    }
  }
}
