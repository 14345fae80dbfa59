import TableModel
import TableStore

/// How appearances draw versions, found out once for all versions that have the same kinds of rows.
struct DrawnVersions {
  private struct Key: Hashable {
    var kinds: Int
    var appearance: RowAppearance
  }
  private var drawings: [Key: CellDrawing?] = [:]
  /// The kinds of rows that versions have had, by number.
  private var kinds: [[RowKind]] = []
  private var numbers: [Cursor: Int] = [:]
  /// By number, the registry's digest that has all cells of these kinds.
  private var known: [Int: [UInt8]] = [:]

  private static let maximum = 4_096
  private static let maximumKinds = 64

  /// Somebody has asked.
  var isUsed: Bool { !drawings.isEmpty }

  /// How a version's rows are drawn for an appearance; nil where that is not known.
  mutating func known(_ appearance: RowAppearance, _ version: Version) -> CellDrawing?? {
    drawings[Key(kinds: number(version), appearance: appearance)]
  }

  mutating func note(_ drawing: CellDrawing?, _ appearance: RowAppearance, _ version: Version) {
    // Sets of cells are the clients' to choose.
    if drawings.count >= Self.maximum { drawings = [:] }
    drawings[Key(kinds: number(version), appearance: appearance)] = .some(drawing)
  }

  /// Returns whether a registry is known to have all cells of a version's rows.
  mutating func areKnown(_ version: Version, _ registry: CellRegistry) -> Bool {
    known[number(version)] == registry.digest
  }

  mutating func noteKnown(_ version: Version, _ registry: CellRegistry) { known[number(version)] = registry.digest }

  /// Returns the number of a version's kinds.
  private mutating func number(_ version: Version) -> Int {
    if let known = numbers[version.cursor] { return known }
    let found = version.rowKinds
    if numbers.count >= Self.maximum { numbers = [:] }
    if let known = kinds.firstIndex(of: found) {
      numbers[version.cursor] = known
      return known
    }
    if kinds.count >= Self.maximumKinds { (kinds, drawings, numbers, known) = ([], [:], [:], [:]) }
    kinds.append(found)
    numbers[version.cursor] = kinds.count - 1
    return kinds.count - 1
  }
}
