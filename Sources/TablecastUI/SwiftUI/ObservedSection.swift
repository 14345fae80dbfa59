#if canImport(Observation)
public import Observation
public import TablecastClient

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class ObservedSection<Cell: CellModel>: Identifiable {
  public nonisolated let id: String
  /// `id` as a key.
  public nonisolated var identity: Identity { Identity(id) }
  public private(set) var header: CellContent<Cell>?
  public private(set) var footer: CellContent<Cell>?
  public private(set) var rows: [ObservedRow<Cell>] = []
  @ObservationIgnored private var shown: (header: JSONText?, footer: JSONText?)

  init(_ id: String) { self.id = id }

  func show(_ header: JSONText?, _ footer: JSONText?) {
    if shown.header != header { self.header = header.map { CellContent($0) } }
    if shown.footer != footer { self.footer = footer.map { CellContent($0) } }
    shown = (header, footer)
  }

  func show(_ rows: [ObservedRow<Cell>]) {
    if !self.rows.elementsEqual(rows, by: ===) { self.rows = rows }
  }

  /// Shows a state with the same rows in the same order. False where they aren't the same.
  ///
  /// - Parameter former: the rows of the state that is shown; nil where that is not known. Chunks that both states share are skipped.
  func showInPlace(_ section: TableSection, from former: TableRows?) -> Bool {
    guard section.rows.count == rows.count else { return false }
    // Changed ones are noted first: a state that doesn't fit is to change nothing.
    var changed: [(ObservedRow<Cell>, TableRow)] = []
    func note(_ observed: ObservedRow<Cell>, _ row: TableRow) -> Bool {
      guard observed.shown !== row else { return true }
      changed.append((observed, row))
      return observed.identity == row.identity
    }
    if let places = former.flatMap(section.rows.places) {
      let rows = rows
      guard places.allSatisfy({ note(rows[$0], section.rows[$0]) }) else { return false }
    } else {
      guard zip(rows, section.rows).allSatisfy(note) else { return false }
    }
    for (observed, row) in changed { observed.show(row) }
    show(section.header, section.footer)
    return true
  }

  func row(_ index: Int) -> ObservedRow<Cell>? { rows.indices.contains(index) ? rows[index] : nil }

  /// Above so many changes the list is made anew, which costs one pass.
  private static var fewChanges: Int { 16 }

  func remove(_ gone: [Int]) {
    guard gone.count > Self.fewChanges else {
      for index in gone.sorted(by: >) { rows.remove(at: index) }
      return
    }
    let gone = Set(gone)
    rows = rows.indices.filter { !gone.contains($0) }.map { rows[$0] }
  }

  /// - Parameter arriving: with the places that they have afterwards. False where there can be none.
  func insert(_ arriving: [(Int, ObservedRow<Cell>)]) -> Bool {
    let arriving = arriving.sorted { $0.0 < $1.0 }
    guard arriving.enumerated().allSatisfy({ $1.0 <= rows.count + $0 }),
      zip(arriving, arriving.dropFirst()).allSatisfy({ $0.0 < $1.0 })
    else { return false }
    guard arriving.count > Self.fewChanges else {
      for (at, row) in arriving { rows.insert(row, at: at) }
      return true
    }
    var result: [ObservedRow<Cell>] = []
    result.reserveCapacity(rows.count + arriving.count)
    var staying = rows[...]
    for (at, row) in arriving {
      let gap = at - result.count
      result += staying.prefix(gap)
      staying = staying.dropFirst(gap)
      result.append(row)
    }
    rows = result + staying
    return true
  }
}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor
@Observable
public final class ObservedRow<Cell: CellModel>: Identifiable {
  public nonisolated let id: String
  /// `id` as a key: `ForEach(section.rows, id: \.identity)` tells rows apart whose `id`s are equal for Swift only.
  public nonisolated var identity: Identity { Identity(id) }
  public private(set) var row: TableRow
  /// Whether the row has a pending edit.
  public private(set) var isPending = false
  /// `row`, without a note of who looks.
  @ObservationIgnored private(set) var shown: TableRow
  @ObservationIgnored private var decoded: CellContent<Cell>?

  init(_ row: TableRow, _ pendingRows: Set<String>) {
    id = row.id
    self.row = row
    shown = row
    isPending = !pendingRows.isEmpty && pendingRows.contains(row.id)
  }

  /// The row's content. It is decoded when first asked for, once for each state of the row.
  public var content: CellContent<Cell> {
    let row = row
    if let decoded { return decoded }
    let content: CellContent<Cell> = row.content()
    decoded = content
    return content
  }

  func show(_ row: TableRow) {
    guard shown !== row else { return }
    let isSame = shown == row
    shown = row
    guard !isSame else { return }
    decoded = nil
    self.row = row
  }

  func show(isPending: Bool) {
    if self.isPending != isPending { self.isPending = isPending }
  }
}
#endif
