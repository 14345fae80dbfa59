import Synchronization
import TableFinding
import TableModel
import TestSupport

/// A table of random items, and a naive search in it.
struct FindingTrial {
  struct Item {
    var id: String
    var texts: [String]
    var states: [String]
    var labels: [String] = []
    /// Nil: it has none.
    var size: UInt8?
    /// It is shown, and found by nothing.
    var note = 0
    /// What it is found by is not shown.
    var isSecret = false

    var row: Row {
      var record = FindRecord()
      record.set(texts: texts)
      record.values = [states, labels].map { values in
        var unique: [[UInt8]] = []
        for value in values.map({ Array($0.utf8) }) where !unique.contains(value) { unique.append(value) }
        return unique
      }
      record.keys = [size.map { [0x20, $0] } ?? [], size.map { [0x20, $0 / 8] } ?? []]
      // Whatever it is found by is seen, too, so that versions that look the same are the same.
      let seen = (texts + states + labels).joined(separator: " ")
      let encoded = Array(#"{"id":"\#(id)","seen":"\#(isSecret ? "" : seen) \#(size ?? 0)","note":\#(note)}"#.utf8)
      return Row(
        id: id,
        encoded: encoded,
        cells: CellChain(CellPart(cellIdentifier: "Cell", payload: 0..<0)),
        permissions: .select,
        findable: record.bytes(of: FindingTrial.schema)
      )
    }
  }

  static let schema = FindSchema(
    definition: "trial",
    isSearched: true,
    filters: ["state", "label"],
    sorts: [.init(id: "size"), .init(id: "all", isDescending: true, keepsSections: false)]
  )
  static let offer = FindOffer(
    schema,
    prompt: "Search",
    filters: [
      .init(id: "state", title: "State", titles: [(Array("open".utf8), "Open"), (Array("gone".utf8), "Gone")]),
      .init(id: "label", title: "Label", titles: []),
    ],
    sorts: [.init(id: "size", title: "Size"), .init(id: "all", title: "All")]
  )
  static let words = [
    "swift", "swing", "SWIM", "Straße", "été", "漢字", "東京都", "foo_bar", "42", "example.com", "ﬁsh", "İz",
  ]

  var items: [[Item]]
  /// As versions follow each other: sections share what did not change.
  private(set) var table: Table
  private var next = 0
  let epoch = Epoch.random()

  init(rows: Int, using random: inout SeededGenerator) {
    items = [[], [], []]
    table = Table(name: "trial", title: "Trial", state: .ready)
    for _ in 0..<rows { items[Int.random(in: 0..<3, using: &random)].append(item(using: &random)) }
    for section in items.indices { show(section, RowList(items[section].map(\.row))) }
  }

  init(items: [Item]) {
    self.items = [items, [], []]
    table = Table(name: "trial", title: "Trial", state: .ready)
    for section in self.items.indices { show(section, RowList(self.items[section].map(\.row))) }
  }

  private mutating func item(using random: inout SeededGenerator) -> Item {
    next += 1
    return Item(
      id: "i\(next)",
      texts: (0..<Int.random(in: 0...2, using: &random)).map { _ in
        (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.words.pick(using: &random) }
          .joined(separator: [" ", "-", ", "].pick(using: &random))
      },
      states: [["open", "closed", "none"].pick(using: &random)],
      labels: (0..<Int.random(in: 0...2, using: &random)).map { _ in "l\(Int.random(in: 0..<7, using: &random))" },
      size: Bool.random(using: &random) ? UInt8.random(in: 0...40, using: &random) : nil
    )
  }

  // MARK: Changes

  private mutating func show(_ section: Int, _ rows: RowList) {
    let made = Section(id: "s\(section)", header: Self.header("s\(section)", items[section]), rows: rows)
    if section < table.sections.count { table.sections[section] = made } else { table.sections.append(made) }
    table.countRows()
  }

  mutating func change(using random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let section = Int.random(in: 0..<3, using: &random)
      let rows = table.sections[section].rows
      let place = Int.random(in: 0...items[section].count, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        let new = item(using: &random)
        items[section].insert(new, at: place)
        show(section, rows.inserting(new.row, at: place))
      case 3...4 where place < items[section].count:
        items[section].remove(at: place)
        show(section, rows.removing(at: place))
      case 5...8 where place < items[section].count:
        var changed = item(using: &random)
        changed.id = items[section][place].id
        if Bool.random(using: &random) {
          changed = items[section][place]
          changed.note += 1
        }
        items[section][place] = changed
        show(section, rows.replacing(place, with: changed.row))
      case 9 where place < items[section].count:
        let moved = items[section].remove(at: place)
        show(section, rows.removing(at: place))
        let other = Int.random(in: 0..<3, using: &random)
        let to = Int.random(in: 0...items[other].count, using: &random)
        items[other].insert(moved, at: to)
        show(other, table.sections[other].rows.inserting(moved.row, at: to))
      case 10:
        // Made anew, as a refresh does.
        items[section].shuffle(using: &random)
        show(section, RowList(items[section].map(\.row), sharing: rows))
      default: break
      }
    }
  }

  mutating func add(_ count: Int, using random: inout SeededGenerator) {
    for _ in 0..<count {
      let (new, place) = (item(using: &random), Int.random(in: 0...items[0].count, using: &random))
      items[0].insert(new, at: place)
      show(0, table.sections[0].rows.inserting(new.row, at: place))
    }
  }

  mutating func replaceOne(using random: inout SeededGenerator) {
    let place = items[1].count / 2
    items[1][place].note += 1
    show(1, table.sections[1].rows.replacing(place, with: items[1][place].row))
  }

  // MARK: Searches

  func search(using random: inout SeededGenerator) -> FindSearch {
    let text = [
      "", "s", "sw", "SWI", "strasse", "ete", "字", "漢", "京", "bar", "4", "fi", "swi strass", "ex com", "nothing", "İ",
      "straßennamen",
    ]
    .pick(using: &random)
    var choices: [FindSearch.Choice] = []
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      choices.append(
        [("state", "open"), ("state", "closed"), ("label", "l1"), ("label", "l2"), ("label", "none"), ("state", "odd")]
          .map { .init(filter: Array($0.utf8), value: Array($1.utf8)) }.pick(using: &random)
      )
    }
    let sort: String? = [nil, nil, "size", "all"].pick(using: &random)
    return FindSearch(words: Folding.terms(of: text), choices: choices, sort: sort.map { Array($0.utf8) })
  }

  /// As one types on.
  func narrowed(_ search: FindSearch, using random: inout SeededGenerator) -> FindSearch {
    let texts = search.words.map { String(decoding: $0, as: UTF8.self) + (Bool.random(using: &random) ? "i" : "t") }
    return FindSearch(words: texts.flatMap { Folding.terms(of: $0) }, choices: search.choices, sort: search.sort)
  }

  // MARK: The oracle

  /// The words of a text, written down by hand for those that stand in items.
  private static let knownWords = Mutex<[String: [String]]>([:])

  private static func words(of text: String) -> [String] {
    knownWords.withLock { known in
      let words = known[text] ?? naiveWords(text)
      known[text] = words
      return words
    }
  }

  private static func naiveWords(_ text: String) -> [String] {
    let known = ["straße": "strasse", "été": "ete", "ﬁsh": "fish", "i̇z": "iz", "swim": "swim"]
    return text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { known[String($0)] ?? String($0) }
  }

  private static func has(_ item: Item, _ term: [UInt8]) -> Bool {
    let isAnywhere = term.starts(with: "漢".utf8) || term.starts(with: "字".utf8) || term.starts(with: "京".utf8)
    return item.texts.contains { text in
      words(of: text).contains { word in
        word.utf8.starts(with: term)
          || isAnywhere && word.utf8.indices.contains { word.utf8[$0...].starts(with: term) }
      }
    }
  }

  private static func isFound(_ item: Item, _ search: FindSearch, but filter: String? = nil) -> Bool {
    search.words.allSatisfy { has(item, $0) }
      && ["state", "label"].allSatisfy { name in
        let chosen = search.values(of: name).map { String(decoding: $0, as: UTF8.self) }
        let own = name == "state" ? item.states : item.labels
        return name == filter || chosen.isEmpty || own.contains { chosen.contains($0) }
      }
  }

  private static func header(_ id: String, _ items: [Item]) -> CellModel {
    let notes = items.reduce(0) { $0 + $1.note }
    return CellModel(cellIdentifier: "Header", encoded: Array("\(id): \(items.count), \(notes)".utf8))
  }

  /// Headers count what is found, and read its items.
  var framing: Framing {
    Framing(readsItems: { _ in true }) { found in
      let notes = found.rows().reduce(0) { sum, row in
        let text = String(decoding: row.encoded, as: UTF8.self)
        return sum + (Int(text.dropLast().split(separator: ":").last ?? "") ?? 0)
      }
      return (
        CellModel(cellIdentifier: "Header", encoded: Array("\(found.section.id): \(found.count), \(notes)".utf8)), nil
      )
    }
  }

  func expected(_ search: FindSearch) -> Table {
    guard !search.isEmpty else { return table }
    var result = table
    let found = items.map { $0.filter { Self.isFound($0, search) } }
    func sorted(_ items: [Item], descending: Bool) -> [Item] {
      items.enumerated().sorted { first, second in
        let (one, other) = (
          first.element.size.map { descending ? $0 / 8 : $0 }, second.element.size.map { descending ? $0 / 8 : $0 }
        )
        if one == other { return first.offset < second.offset }
        guard let one, let other else { return one != nil }
        return descending ? one > other : one < other
      }.map(\.element)
    }
    let name = search.sort.map { String(decoding: $0, as: UTF8.self) }
    if name == "all" {
      let rows = sorted(found.flatMap(\.self), descending: true).map(\.row)
      result.sections = rows.isEmpty ? [] : [Section(id: "all", rows: rows)]
    } else {
      result.sections = found.enumerated().compactMap { index, items in
        let rows = name == "size" ? sorted(items, descending: false) : items
        return rows.isEmpty
          ? nil : Section(id: "s\(index)", header: Self.header("s\(index)", items), rows: rows.map(\.row))
      }
    }
    return result
  }

  func expectedMenu(_ search: FindSearch) -> FindMenu {
    let filters = Self.offer.filters.map { filter in
      var counts: [String: Int] = [:]
      for item in items.flatMap(\.self) where Self.isFound(item, search, but: filter.id) {
        for value in Set(filter.id == "state" ? item.states : item.labels) { counts[value, default: 0] += 1 }
      }
      let chosen = search.values(of: filter.id).map { String(decoding: $0, as: UTF8.self) }
      let configured = filter.titles.map { (String(decoding: $0.value, as: UTF8.self), $0.title) }
      let others = Set(counts.keys).union(chosen).subtracting(configured.map(\.0)).sorted { first, second in
        let (one, other) = (counts[first] ?? 0, counts[second] ?? 0)
        return one == other ? first < second : one > other
      }
      let values = (configured + others.map { ($0, $0) }).map { value, title in
        FindMenu.Value(
          value: Array(value.utf8),
          title: title,
          count: counts[value] ?? 0,
          isSelected: chosen.contains(value)
        )
      }
      return FindMenu.Filter(id: filter.id, title: filter.title, values: values, hasMore: false)
    }
    return FindMenu(
      prompt: "Search",
      sort: search.sort.map { String(decoding: $0, as: UTF8.self) },
      sorts: Self.offer.sorts,
      filters: filters
    )
  }
}

extension Array {
  fileprivate func pick(using random: inout SeededGenerator) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
